/* SPDX-License-Identifier: Apache-2.0
 *
 * A change of a tenant's entities, any number at once, and what it must not do: make anything wrong that was right
 * before. A reference to something that does not exist is refused, wherever it stands: in what is put, or in what
 * refers to what is deleted. What was wrong before is no reason to refuse.
 *
 *	change_begin(&change, &store, &err);
 *	entities_put(&store, ...); entities_delete(&store, ...);
 *	if (change_check(&change, &err) == 0 && change.faults.count == 0)
 *		change_commit(&change, &err);
 *	change_release(&change);
 */
#ifndef STORE_CHANGE_H
#define STORE_CHANGE_H

#include <stdbool.h>

#include "model/catalogue.h"

struct error;
struct store;

struct change { /* release it: what is not committed is undone */
	struct store *store;
	struct catalogue before, after; /* the former only where there is something wrong now */
	struct findings found_before, found_after;
	struct findings faults; /* borrowed from found_after: what only this change makes wrong */
	bool open;              /* neither committed nor undone */
};

int change_begin(struct change *change, struct store *store, struct error *err);

/* Looks at all entities as they would be, and fills faults. */
int change_check(struct change *change, struct error *err);

int change_commit(struct change *change, struct error *err);
void change_release(struct change *change);

#endif
