/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds one cluster in the store, for commands that need little of it.
 */
#ifndef OPERATION_FIND_CLUSTER_H
#define OPERATION_FIND_CLUSTER_H

#include "account/accounts.h"

struct error;

/* Opens the store for a command about a cluster, as account_open does; where there is no store yet, there is no such cluster
 * (EX_NO). */
int find_cluster_open(struct account *account, const struct account_ask *ask, enum store_mode mode, const char *cluster,
    struct error *err);

/* Returns 0 where there is such a cluster, else -1 with the reason. */
int find_cluster_check(const struct account_ask *ask, const char *cluster, struct error *err);

/* Prints its configuration on stdout. */
int find_cluster_config(const struct account_ask *ask, const char *cluster, struct error *err);

#endif
