/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of clusters.
 */
#ifndef CLUSTER_CLUSTER_NAME_H
#define CLUSTER_CLUSTER_NAME_H

#include <stdint.h>

struct account;
struct error;

/* Returns 0 if a cluster may have that name; else -1 with EX_USAGE. */
int cluster_name_check(const char *name, struct error *err);

/* Returns 0 if no cluster of the tenant has the name; else -1 with EX_NO. */
int cluster_name_admit(struct account *account, int64_t tenant, const char *name, struct error *err);

#endif
