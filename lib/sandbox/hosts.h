/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a cluster's machines: one hosts(5) file per cluster, which each of its machines has as its own
 * /etc/hosts. It is replaced whole, so a machine reads the old or the new one. The sandbox's folder must be
 * locked (state.h).
 */
#ifndef SANDBOX_HOSTS_H
#define SANDBOX_HOSTS_H

#include <stdbool.h>

struct error;

/* Gives address the name hostname, and what of it stands before the first dot. */
int hosts_add(int sandbox, const char *cluster, const char *address, const char *hostname, struct error *err);

/* Removes the names of address, and with the last ones the file. */
int hosts_remove(int sandbox, const char *cluster, const char *address, struct error *err);

/* Returns whether the cluster has machines. */
bool hosts_any(int sandbox, const char *cluster);

#endif
