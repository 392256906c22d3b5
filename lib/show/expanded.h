/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration as the services of a node get it: its macros expanded by what is known of the cluster's nodes. Secrets stay
 * references.
 */
#ifndef SHOW_EXPANDED_H
#define SHOW_EXPANDED_H

struct cluster_status;
struct error;
struct output;
struct target;

/* Prints a record of each node that the target names: its configuration, and which macros of it cannot be expanded.
 * EX_NO if there is none. */
int expanded_print(struct cluster_status *status, const struct target *target, struct output *output, struct error *err);

#endif
