/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the archive that each instance of a service gets back: the newest of its own; of a machine that has none, as a new one,
 * the newest of an instance that is gone; else the newest of the service.
 */
#ifndef PREPARE_RESTORE_CHOICE_H
#define PREPARE_RESTORE_CHOICE_H

struct arguments;
struct error;
struct operation_context;
struct string_list;

/* Appends --archive for each instance of the services (empty: all) on the nodes (ids; empty: all) that can be restored. archive: the id
 * of that of the only instance; NULL: they are chosen, and a person is told which. EX_NO where an instance has none. */
int restore_choice_push(struct operation_context *context, const struct string_list *nodes, const struct string_list *services,
    const char *archive, struct arguments *plan, struct error *err);

#endif
