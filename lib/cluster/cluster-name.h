/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cluster may be called.
 */
#ifndef CLUSTER_CLUSTER_NAME_H
#define CLUSTER_CLUSTER_NAME_H

#include <stdint.h>

struct account;
struct error;

/* 0 where a cluster may have that name, anywhere. EX_USAGE where none may. */
int cluster_name_check(const char *name, struct error *err);

/* 0 where one of the tenant may get it now. EX_NO where it is taken. */
int cluster_name_admit(struct account *account, int64_t tenant, const char *name, struct error *err);

#endif
