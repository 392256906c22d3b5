/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of a cluster that an operation has made only in part, such as one that cannot be entered: nothing can be done with them but to
 * delete them.
 */
#ifndef OPERATION_PARTIAL_MACHINES_H
#define OPERATION_PARTIAL_MACHINES_H

struct error;
struct operation_context;
struct string_list;

/* Returns a phrase that names those of the cluster, and the command that deletes them; NULL where there are none. The caller frees it. */
char *partial_machines_told(const struct operation_context *context);

/* Fails with EX_NO where one of the nodes, by their ids, is such a machine; NULL: where any of the cluster is. */
int partial_machines_refuse(const struct operation_context *context, const struct string_list *nodes, struct error *err);

#endif
