/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds one cluster in the store, for commands that need little of it.
 */
#ifndef OPERATION_FIND_CLUSTER_H
#define OPERATION_FIND_CLUSTER_H

#include <jv.h>

#include "account/accounts.h"

struct cluster_list;
struct cluster_record;
struct error;

/* Opens the store as account_open does: 1; 0 where there is none yet, and none was asked for; -1. */
int find_cluster_account(struct account *account, const struct account_ask *ask, enum store_mode mode, struct error *err);

/* Opens the store for a command about a cluster: where there is no store yet, there is no such cluster (EX_NO). */
int find_cluster_open(struct account *account, const struct account_ask *ask, enum store_mode mode, const char *cluster,
    struct error *err);

/* Opens the store likewise, and adds the record of the cluster to the list. Release both in any case. */
int find_cluster(struct account *account, struct cluster_list *list, const struct account_ask *ask, enum store_mode mode,
    const char *cluster, struct error *err);

/* Returns its configuration, owned. *hides: who asks is neither an administrator nor its owner, and may not see passwords and keys in
 * clear. */
int find_cluster_config(const struct account_ask *ask, const char *cluster, jv *config, bool *hides, struct error *err);

/* Tells whether passwords and keys in clear of the cluster are hidden from the account. */
bool find_cluster_hides(const struct account *account, const struct cluster_record *cluster);

#endif
