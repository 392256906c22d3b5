/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tap.h"

enum { SMALL = 7, RANDOM_RELATIONS = 3000 };

struct sample { /* edges lead from a service to one of a higher number, so that there is an order */
	bool far[SMALL][SMALL], near[SMALL][SMALL], counts[SMALL], waits[SMALL];
	struct relation relation;
};

static struct neighbours
neighbours_of(bool a[SMALL][SMALL], bool b[SMALL][SMALL])
{
	struct graph graph = {.vertices = SMALL};
	struct neighbours neighbours;

	for (uint32_t i = 0; i < SMALL; i++)
		for (uint32_t j = 0; j < SMALL; j++)
			if (a[i][j] || b[i][j])
				graph_edge(&graph, i, j);
	neighbours = graph_successors(&graph);
	graph_release(&graph);
	return neighbours;
}

static void
make_sample(struct sample *sample)
{
	*sample = (struct sample){0};
	for (int i = 0; i < SMALL; i++) {
		sample->counts[i] = rand() % 2;
		sample->waits[i] = rand() % 4;
		for (int j = i + 1; j < SMALL; j++) {
			sample->far[i][j] = rand() % 4 == 0;
			sample->near[i][j] = !sample->far[i][j] && rand() % 4 == 0;
		}
	}
	sample->relation = (struct relation){.all = neighbours_of(sample->far, sample->near),
		.far = neighbours_of(sample->far, sample->far), .near = neighbours_of(sample->near, sample->near),
		.places = memory_zeroed(SMALL, sizeof(uint32_t))};
	for (uint32_t i = 0; i < SMALL; i++)
		sample->relation.places[i] = i;
}

static void
release_sample(struct sample *sample)
{
	neighbours_release(&sample->relation.all);
	neighbours_release(&sample->relation.far);
	neighbours_release(&sample->relation.near);
	free(sample->relation.places);
}

/* Follows every way from a service through those that do not count. */
static void
follow(const struct sample *sample, int at, bool is_near, bool far[SMALL], bool near[SMALL])
{
	for (int next = 0; next < SMALL; next++) {
		bool stays_near = is_near && sample->near[at][next];

		if (!sample->far[at][next] && !sample->near[at][next])
			continue;
		if (sample->counts[next])
			(stays_near ? near : far)[next] = true;
		else
			follow(sample, next, stays_near, far, near);
	}
}

static bool
leads_far(const struct sample *sample, int from, int to)
{
	if (sample->counts[from] && !sample->waits[from])
		return false;
	for (int next = 0; next < SMALL; next++)
		if (sample->far[from][next] && (next == to || leads_far(sample, next, to)))
			return true;
	return false;
}

static bool
is_same(const uint32_t *list, size_t count, const bool set[SMALL])
{
	size_t size = 0;

	for (int i = 0; i < SMALL; i++)
		size += set[i];
	for (size_t i = 0; i < count; i++)
		if (!set[list[i]])
			return false;
	return size == count;
}

static bool
is_right(const struct sample *sample, int service, const struct nearest *nearest)
{
	bool far[SMALL] = {0}, near[SMALL] = {0}, all_far[SMALL];

	follow(sample, service, true, far, near);
	memcpy(all_far, far, sizeof far);
	for (int i = 0; i < SMALL; i++) {
		near[i] = near[i] && !all_far[i];
		for (int j = 0; j < SMALL; j++) {
			far[i] = far[i] && !(all_far[j] && leads_far(sample, j, i));
			near[i] = near[i] && !(all_far[j] && leads_far(sample, j, i));
		}
	}
	return is_same(nearest->far, nearest->far_count, far) && is_same(nearest->near, nearest->near_count, near);
}

static void
test_random(unsigned seed)
{
	int wrong = 0;

	srand(seed);
	for (int n = 0; n < RANDOM_RELATIONS; n++) {
		struct nearest nearest;
		struct sample sample;

		make_sample(&sample);
		nearest_init(&nearest, &sample.relation, sample.counts, sample.waits);
		for (int i = 0; i < SMALL; i++) {
			nearest_find(&nearest, (uint32_t)i);
			wrong += !is_right(&sample, i, &nearest);
		}
		nearest_release(&nearest);
		release_sample(&sample);
	}
	tap_is_number(wrong, 0, "what is found is what every way leads to, less what that waits for (seed %u)", seed);
}

int
main(int argc, char **argv)
{
	test_random(argc > 1 ? (unsigned)atoi(argv[1]) : 4711);
	return tap_end();
}
