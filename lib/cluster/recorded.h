/* SPDX-License-Identifier: Apache-2.0
 *
 * What the store says of one cluster, printed.
 */
#ifndef CLUSTER_RECORDED_H
#define CLUSTER_RECORDED_H

struct account_ask;
struct error;

/* Whether there is such a cluster: 0, or -1 with the reason. */
int recorded_check(const struct account_ask *ask, const char *cluster, struct error *err);

/* Prints its configuration on stdout. */
int recorded_config(const struct account_ask *ask, const char *cluster, struct error *err);

#endif
