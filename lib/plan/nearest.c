/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/nearest.h"

#include <stdlib.h>

#include "base/memory.h"

/* The ways in which a search meets a service; its mark is 4 * search + this, and is never lowered. */
enum met { MET_NEAR, MET_FAR, MET_BEHIND };

void
nearest_init(struct nearest *nearest, const struct relation *relation, const bool *counts, const bool *waits)
{
	size_t services = relation->all.vertices;

	*nearest = (struct nearest){.relation = relation, .counts = counts, .waits = waits};
	nearest->far = memory_resize(NULL, services, sizeof *nearest->far);
	nearest->near = memory_resize(NULL, services, sizeof *nearest->near);
	nearest->seen = memory_zeroed(services, sizeof *nearest->seen);
	nearest->queue = memory_resize(NULL, 2 * services + 1, sizeof *nearest->queue);
}

void
nearest_release(struct nearest *nearest)
{
	free(nearest->far);
	free(nearest->near);
	free(nearest->seen);
	free(nearest->queue);
}

static bool
nearest_is_met(const struct nearest *nearest, uint32_t service, enum met as)
{
	return nearest->seen[service] >= 4 * nearest->search + as;
}

/* Marks the neighbours of one service, and keeps those that a search has to go on from. */
static size_t
nearest_meet(struct nearest *nearest, const struct neighbours *neighbours, uint32_t service, enum met as, size_t tail)
{
	for (size_t i = neighbours->first[service]; i < neighbours->first[service + 1]; i++) {
		uint32_t next = neighbours->list[i];

		if (nearest_is_met(nearest, next, as))
			continue;
		if (nearest->counts[next] && as == MET_NEAR)
			nearest->near[nearest->near_count++] = next;
		else if (nearest->counts[next])
			nearest->far[nearest->far_count++] = next;
		else
			nearest->queue[tail++] = next;
		nearest->seen[next] = 4 * nearest->search + as;
	}
	return tail;
}

/* Marks what those found far wait for themselves, wherever it stands. It need not look beyond the last place at which
 * anything was found. */
static void
nearest_mark_behind(struct nearest *nearest)
{
	const struct neighbours *far = &nearest->relation->far;
	const uint32_t *places = nearest->relation->places;
	uint32_t last = 0;
	size_t tail = 0;

	for (size_t i = 0; i < nearest->far_count; i++)
		last = places[nearest->far[i]] > last ? places[nearest->far[i]] : last;
	for (size_t i = 0; i < nearest->near_count; i++)
		last = places[nearest->near[i]] > last ? places[nearest->near[i]] : last;
	for (; tail < nearest->far_count; tail++)
		nearest->queue[tail] = nearest->far[tail];
	for (size_t head = 0; head < tail; head++) {
		uint32_t service = nearest->queue[head];

		if (nearest->waits && nearest->counts[service] && !nearest->waits[service])
			continue;
		for (size_t i = far->first[service]; i < far->first[service + 1]; i++) {
			uint32_t next = far->list[i];

			if (nearest_is_met(nearest, next, MET_BEHIND) || places[next] > last)
				continue;
			nearest->seen[next] = 4 * nearest->search + MET_BEHIND;
			nearest->queue[tail++] = next;
		}
	}
}

/* Keeps the services of a list that were met so and not as more; returns how many. */
static size_t
nearest_keep(const struct nearest *nearest, uint32_t *list, size_t count, enum met as)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!nearest_is_met(nearest, list[i], as + 1))
			list[kept++] = list[i];
	return kept;
}

void
nearest_find(struct nearest *nearest, uint32_t service)
{
	const struct relation *relation = nearest->relation;
	size_t head, tail = 1, local;

	/* A way is near as long as all of it is local: first over local needs only, then from all that was met in this way over
	 * the others, then on over any. */
	nearest->search++;
	nearest->far_count = nearest->near_count = 0;
	nearest->queue[0] = service;
	for (head = 0; head < tail; head++)
		tail = nearest_meet(nearest, &relation->near, nearest->queue[head], MET_NEAR, tail);
	local = tail;
	for (head = 0; head < local; head++)
		tail = nearest_meet(nearest, &relation->far, nearest->queue[head], MET_FAR, tail);
	for (; head < tail; head++)
		tail = nearest_meet(nearest, &relation->all, nearest->queue[head], MET_FAR, tail);

	if (nearest->far_count + nearest->near_count > 1 && nearest->far_count)
		nearest_mark_behind(nearest);
	nearest->far_count = nearest_keep(nearest, nearest->far, nearest->far_count, MET_FAR);
	nearest->near_count = nearest_keep(nearest, nearest->near, nearest->near_count, MET_NEAR);
}
