/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of clusters, and of those to whom they belong.
 */
#ifndef CLUSTER_CLUSTER_NAME_H
#define CLUSTER_CLUSTER_NAME_H

#include <stdint.h>

struct account;
struct error;

/* Returns 0 if a cluster may have that name; else -1 with EX_USAGE. */
int cluster_name_check(const char *name, struct error *err);

/* Returns 0 if these may be the owner and the group of a new cluster that somebody asks for; else -1 with EX_USAGE. NULL: who asks, who is
 * whatever the system calls them, and no group. */
int cluster_name_check_people(const char *owner, const char *group, struct error *err);

/* Returns 0 if no cluster of the tenant has the name; else -1 with EX_NO. */
int cluster_name_admit(struct account *account, int64_t tenant, const char *name, struct error *err);

#endif
