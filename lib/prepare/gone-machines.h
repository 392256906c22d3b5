/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans where machines of the cluster are on record as gone: what is done on the cluster as it is leaves them out; what changes it waits
 * until they are replaced.
 */
#ifndef PREPARE_GONE_MACHINES_H
#define PREPARE_GONE_MACHINES_H

#include "cluster/gone.h"

struct action_parameters;
struct arguments;
struct error;
struct operation_context;

/* Finds those of the cluster, if there is one. */
int gone_machines_find(const struct operation_context *context, struct gone *gone, struct error *err);

/* Says in the arguments of a plan for an action that they are left out, and says so to a person. nodes has the ids of those that were chosen; none:
 * all; others gets those of the other nodes on which there is something to do, in the arena of gone's layout. Fails with EX_NO where there are none. */
int gone_machines_leave_out(const struct operation_context *context, struct gone *gone, const struct action_parameters *parameters,
    const struct string_list *nodes, struct string_list *others, struct arguments *plan, struct error *err);

/* Says in the arguments of a plan for a change that those of them that leave with it are dead. */
int gone_machines_push_leaving(const struct operation_context *context, const struct gone *gone, struct arguments *plan, struct error *err);

/* Fails with EX_NO where the plan, which is in the folder, has to do something on one of them. */
int gone_machines_check_plan(const struct operation_context *context, const struct gone *gone, struct error *err);

#endif
