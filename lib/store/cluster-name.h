/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cluster may be called.
 */
#ifndef STORE_CLUSTER_NAME_H
#define STORE_CLUSTER_NAME_H

#include <stdint.h>

struct account;
struct error;

/* 0 where a cluster of the tenant may get that name. EX_USAGE where none may, EX_NO where it is taken. */
int cluster_check_name(struct account *account, int64_t tenant, const char *name, struct error *err);

#endif
