/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/sightings.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum { LIST_SHARE = 4 }; /* of the rate, at most one of so many requests is for a list, however many pages that has */

struct sightings { /* under the lock of cloud/stop.h */
	bool asking;          /* one of those who wait asks for all */
	int64_t asked_ms;     /* when the list below was asked for, monotonic */
	int64_t pause_ms;     /* until there may be another */
	int64_t failed_ms;    /* when the list that failed last was asked for */
	struct error error;   /* why */
	struct cloud_machines machines;
};

struct sightings *
sightings_new(void)
{
	struct sightings *sightings = memory_zeroed(1, sizeof *sightings);

	sightings->asked_ms = sightings->failed_ms = -1;
	return sightings;
}

static const char *
sightings_text(struct arena *arena, const char *text)
{
	return text ? arena_string(arena, text) : NULL;
}

static void
sightings_copy(const struct cloud_machine *machine, struct cloud_machines *to)
{
	struct cloud_machine *copy = cloud_machines_add(to);
	struct arena *arena = &to->arena;

	*copy = (struct cloud_machine){
		.id = sightings_text(arena, machine->id), .node = sightings_text(arena, machine->node),
		.token = sightings_text(arena, machine->token), .cluster = sightings_text(arena, machine->cluster),
		.provider = sightings_text(arena, machine->provider), .name = sightings_text(arena, machine->name),
		.zone = sightings_text(arena, machine->zone), .access_v4 = sightings_text(arena, machine->access_v4),
		.access_v6 = sightings_text(arena, machine->access_v6), .bind_v4 = sightings_text(arena, machine->bind_v4),
		.bind_v6 = sightings_text(arena, machine->bind_v6), .reason = sightings_text(arena, machine->reason),
		.state = machine->state, .failure = machine->failure, .is_off = machine->is_off, .is_going = machine->is_going, .made_ms = machine->made_ms};
}

/* Orders machines by age, the oldest first; of one instant by id, so that all who look agree. */
static int
sightings_by_age(const void *a, const void *b)
{
	const struct cloud_machine *one = a, *two = b;

	if (one->made_ms != two->made_ms)
		return one->made_ms < two->made_ms ? -1 : 1;
	return strcmp(one->id, two->id);
}

static void
sightings_find(const struct cloud_machines *all, const char *provider, const char *node, struct cloud_machines *found)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct cloud_machine *machine = &all->list[i];

		if (machine->node && strcmp(machine->node, node) == 0 && machine->state != CLOUD_GONE &&
		    (!machine->provider || strcmp(machine->provider, provider) == 0))
			sightings_copy(machine, found);
	}
	if (found->count > 1)
		qsort(found->list, found->count, sizeof *found->list, sightings_by_age);
}

/* Asks for the list, without the lock while it is under way, once the interval since the last one is over. */
static void
sightings_ask(struct cloud *cloud, const char *node, const struct stop *stop)
{
	struct sightings *sightings = cloud->sightings;
	struct cloud_machines machines = {.list = NULL};
	int64_t last = sightings->asked_ms > sightings->failed_ms ? sightings->asked_ms : sightings->failed_ms, asked, first_ms;
	struct error err = {.code = 0};
	int result = 0;

	sightings->asking = true;
	while (result == 0 && last >= 0 && clock_monotonic_ms() < last + sightings->pause_ms)
		result = stop_wait(stop, last + sightings->pause_ms, &err);
	asked = clock_monotonic_ms();
	first_ms = client_go_first(cloud->client, true);
	stop_unlock();
	if (result == 0)
		result = cloud->api->list(cloud, node, stop, &machines, &err);
	stop_lock();
	first_ms = client_go_first(cloud->client, false) - first_ms;
	sightings->pause_ms = first_ms * LIST_SHARE > cloud->poll_ms ? first_ms * LIST_SHARE : cloud->poll_ms;
	sightings->asking = false;
	if (result == 0) {
		cloud_machines_release(&sightings->machines);
		sightings->machines = machines;
		sightings->asked_ms = asked;
	} else {
		cloud_machines_release(&machines);
		/* Where only the one who asked had to end, another asks anew. */
		if (!stop->cancelled && clock_monotonic_ms() < stop->deadline_ms) {
			sightings->failed_ms = asked;
			sightings->error = err;
		}
	}
	stop_wake_all();
}

int
sightings_look(struct cloud *cloud, const char *node, int64_t since_ms, const struct stop *stop, struct cloud_machines *found,
    struct error *err)
{
	struct sightings *sightings = cloud->sightings;
	int result = stop_check(stop, err);

	stop_lock();
	while (result == 0 && sightings->asked_ms < since_ms) {
		if (sightings->failed_ms >= since_ms) {
			*err = sightings->error;
			result = -1;
		} else if (sightings->asking) {
			result = stop_wait(stop, INT64_MAX, err);
		} else {
			sightings_ask(cloud, node, stop);
			if (stop->cancelled || clock_monotonic_ms() >= stop->deadline_ms)
				result = stop_wait(stop, 0, err);
		}
	}
	if (result == 0)
		sightings_find(&sightings->machines, cloud->name, node, found);
	stop_unlock();
	return result;
}
