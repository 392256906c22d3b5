/* SPDX-License-Identifier: Apache-2.0
 *
 * A creation that failed or was cancelled, and is completed by another operation: what of it stands, and what it wanted.
 */
#ifndef PREPARE_UNFINISHED_CREATION_H
#define PREPARE_UNFINISHED_CREATION_H

struct arena;
struct arguments;
struct error;
struct operation;
struct operation_context;
struct string_list;

/* Leaves in the layout before the operation, was.ndjson, only what the creation has done. A machine that was made only in part, or
 * has no address and so may not be there, is to be replaced by another one: its id is added to dead. */
int unfinished_creation_keep_standing(const struct operation_context *context, struct arguments *dead, struct error *err);

/* Writes wanted.ndjson, the layout that the creation wanted. The ids of machines that it has not made, or only in part, are added to
 * replaced, which others are to come for as well; of dead, those that it has not made are removed. The lists live in the arena. */
int unfinished_creation_want(const struct operation_context *context, struct string_list *replaced, struct string_list *dead,
    struct arena *arena, struct error *err);

/* Fails with EX_NO where the incomplete cluster of that name is not being created: last is its last operation. */
int unfinished_creation_check(const char *name, const struct operation *last, struct error *err);

#endif
