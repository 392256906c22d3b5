/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds volumes and snapshots that a provider has for this installation, and no record of the store knows. They hold data, so that nothing but
 * a person deletes them.
 */
#ifndef RECONCILE_VOLUMES_DIFF_H
#define RECONCILE_VOLUMES_DIFF_H

struct account;
struct drift_list;
struct error;
struct operation_options;

/* Adds them, of all providers from which clusters have had volumes. Returns the worst exit code of what was warned of, or -1. */
int volumes_diff(struct account *account, const struct operation_options *options, struct drift_list *drift, struct error *err);

#endif
