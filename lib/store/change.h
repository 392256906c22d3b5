/* SPDX-License-Identifier: Apache-2.0
 *
 * A change of a tenant's entities, any number at once. It must not make anything wrong that was right before. A
 * reference to something that does not exist is refused, wherever it stands: in what is put, or in what refers to what
 * is deleted. What was wrong before is no reason to refuse.
 *
 *	change_begin(&change, &store, &err);
 *	change_put(&change, ...); change_delete(&change, ...);
 *	if (change_check(&change, &err) == 0 && change.faults.count == 0)
 *		change_commit(&change, &err);
 *	change_release(&change);
 */
#ifndef STORE_CHANGE_H
#define STORE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/entities.h"

struct error;
struct input_entity;
struct store;

struct change { /* release it: what is not committed is undone */
	struct store *store;
	struct catalogue before, after; /* the former only where there is something wrong now */
	struct findings found_before, found_after;
	struct revisions touched; /* as they were before */
	struct findings faults; /* borrowed from found_after: what only this change makes wrong */
	bool open;              /* neither committed nor undone */
};

int change_begin(struct change *change, struct store *store, struct error *err);

/* entities_put and entities_delete, as part of the change. */
int change_put(struct change *change, const struct input_entity *entity, int64_t expected, int64_t *version,
    struct error *err);
int change_delete(struct change *change, enum entity_kind kind, const char *name, int64_t expected, struct error *err);

/* Looks at the entities that it affects as they would be, and fills faults. */
int change_check(struct change *change, struct error *err);

int change_commit(struct change *change, struct error *err);
void change_release(struct change *change);

#endif
