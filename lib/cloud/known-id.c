/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/known-id.h"

#include <string.h>

#include "base/memory.h"
#include "cloud/stop.h"

struct known_id {
	char *kind, *name, *id;
	struct known_id *next;
};

const char *
known_id_find(struct known_id *const *list, const char *kind, const char *name, struct arena *arena)
{
	const struct known_id *known;
	const char *id;

	stop_lock();
	for (known = *list; known && (strcmp(known->kind, kind) != 0 || strcmp(known->name, name) != 0); known = known->next)
		;
	id = known ? arena_string(arena, known->id) : NULL;
	stop_unlock();
	return id;
}

void
known_id_keep(struct known_id **list, const char *kind, const char *name, const char *id)
{
	struct known_id *known = memory_zeroed(1, sizeof *known);

	*known = (struct known_id){.kind = memory_string(kind), .name = memory_string(name), .id = memory_string(id)};
	stop_lock();
	known->next = *list;
	*list = known;
	stop_unlock();
}
