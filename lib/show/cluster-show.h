/* SPDX-License-Identifier: Apache-2.0
 *
 * One cluster whole: how it stands, its nodes, its links, what was done last, what failed and why, where its files are, and how
 * to log in.
 */
#ifndef SHOW_CLUSTER_SHOW_H
#define SHOW_CLUSTER_SHOW_H

struct error;
struct cluster_status;
struct output;
struct target;

/* Prints the cluster for a person, with more columns for each node if wide; or its name; or as records: clusterstatus, operation (the last),
 * taskstatus (of each task of it that failed), node, link. */
int cluster_show_print(struct cluster_status *status, struct output *output, struct error *err);

/* Prints the nodes of a cluster that the target names, and their links; as records: node, link. EX_NO if there is none. */
int cluster_show_part(struct cluster_status *status, const struct target *target, struct output *output, struct error *err);

#endif
