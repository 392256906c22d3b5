/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/known-id.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cloud/stop.h"

struct known_id {
	char *kind, *name;
	char *id;            /* NULL: it is not known yet */
	bool asked;          /* a thread searches for it */
	unsigned failed;     /* how many searches have failed, all but those whose thread had to end */
	struct error error;  /* why the last one of these did */
	struct known_id *next;
};

/* Returns what is kept of the name, which is nothing at first. */
static struct known_id *
known_id_entry(struct known_id **list, const char *kind, const char *name)
{
	struct known_id *known = *list;

	while (known && (strcmp(known->kind, kind) != 0 || strcmp(known->name, name) != 0))
		known = known->next;
	if (!known) {
		known = memory_zeroed(1, sizeof *known);
		*known = (struct known_id){.kind = memory_string(kind), .name = memory_string(name), .next = *list};
		*list = known;
	}
	return known;
}

/* Searches, for all who wait, without the lock. */
static int
known_id_ask(struct known_id *known, known_id_search *search, const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct error *err)
{
	const char *id;
	bool ended;

	known->asked = true;
	stop_unlock();
	id = search(cloud, known->kind, known->name, stop, arena, err);
	ended = !id && stop_is_due(stop);
	stop_lock();
	if (id) {
		known->id = memory_string(id);
	} else if (!ended) {
		known->failed++;
		known->error = *err;
	}
	known->asked = false;
	stop_wake_all();
	return id ? 0 : -1;
}

const char *
known_id(struct known_id **list, known_id_search *search, const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop,
    struct arena *arena, struct error *err)
{
	struct known_id *known;
	unsigned failed;
	int result = 0;

	stop_lock();
	known = known_id_entry(list, kind, name);
	failed = known->failed;
	while (result == 0 && !known->id) {
		if (known->failed != failed) {
			*err = known->error;
			result = -1;
		} else {
			result = known->asked ? stop_wait(stop, INT64_MAX, err) : known_id_ask(known, search, cloud, stop, arena, err);
		}
	}
	stop_unlock();
	return result == 0 ? arena_string(arena, known->id) : NULL;
}
