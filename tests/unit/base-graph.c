/* SPDX-License-Identifier: Apache-2.0 */
#include "base/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tap.h"

enum { LONG = 1000000, RANDOM_GRAPHS = 2000, SMALL = 8 };

/* Copies the first cycle; returns how many vertices it has, 0 if there is none. */
static size_t
first_cycle(const struct neighbours *successors, uint32_t *cycle)
{
	struct graph_cycles cycles;
	const uint32_t *found;
	size_t length;

	graph_cycles_init(&cycles, successors);
	length = graph_cycles_next(&cycles, &found);
	if (length)
		memcpy(cycle, found, length * sizeof *cycle);
	graph_cycles_release(&cycles);
	return length;
}

static void
test_long_path(void)
{
	struct graph graph = {.vertices = LONG};
	struct neighbours successors;
	uint32_t *order = memory_resize(NULL, LONG, sizeof *order);
	bool *set = memory_zeroed(LONG, sizeof *set), right = true;

	for (uint32_t i = LONG - 1; i > 0; i--)
		graph_edge(&graph, i, i - 1);
	successors = graph_successors(&graph);
	tap_ok(graph_order(&successors, order), "a path of a million vertices has an order");
	for (uint32_t i = 0; i < LONG; i++)
		right = right && order[i] == LONG - 1 - i;
	tap_ok(right, "and it is the only one");
	tap_is_number(first_cycle(&successors, order), 0, "and no cycle");
	set[LONG - 1] = true;
	graph_reach(&successors, set);
	tap_ok(set[0], "its end is reached from its start");
	neighbours_release(&successors);

	graph_edge(&graph, 0, LONG - 1);
	successors = graph_successors(&graph);
	tap_ok(!graph_order(&successors, order), "closed to a circle it has none");
	tap_is_number(first_cycle(&successors, order), LONG, "and is one cycle");
	neighbours_release(&successors);
	graph_release(&graph);
	free(order);
	free(set);
}

static void
test_small(void)
{
	struct graph graph = {.vertices = 3};
	struct neighbours neighbours;
	uint32_t cycle[3];

	graph_edge(&graph, 0, 2);
	graph_edge(&graph, 0, 1);
	neighbours = graph_successors(&graph);
	tap_is_number(neighbours.list[neighbours.first[0]], 2, "neighbours are in the order their edges were added");
	neighbours_release(&neighbours);
	neighbours = graph_predecessors(&graph);
	tap_ok(neighbours.first[2] - neighbours.first[1] == 1 && neighbours.list[neighbours.first[1]] == 0,
	    "predecessors are successors the other way round");
	neighbours_release(&neighbours);
	graph_edge(&graph, 1, 1);
	neighbours = graph_successors(&graph);
	tap_ok(first_cycle(&neighbours, cycle) == 1 && cycle[0] == 1, "a vertex with an edge to itself is a cycle");
	neighbours_release(&neighbours);
	graph_release(&graph);

	neighbours = graph_successors(&(struct graph){0});
	tap_ok(graph_order(&neighbours, cycle) && first_cycle(&neighbours, cycle) == 0, "a graph without vertices has an order");
	neighbours_release(&neighbours);
}

/* Each further cycle is one, and the walk ends. */
static void
test_all_cycles(void)
{
	struct graph graph = {.vertices = 5};
	struct neighbours successors;
	struct graph_cycles cycles;
	const uint32_t *cycle;

	graph_edge(&graph, 0, 1);
	graph_edge(&graph, 1, 2);
	graph_edge(&graph, 2, 1);
	graph_edge(&graph, 2, 0);
	graph_edge(&graph, 3, 0);
	graph_edge(&graph, 4, 4);
	successors = graph_successors(&graph);
	graph_cycles_init(&cycles, &successors);
	tap_ok(graph_cycles_next(&cycles, &cycle) == 2 && cycle[0] == 1 && cycle[1] == 2, "a cycle inside of another comes first");
	tap_ok(graph_cycles_next(&cycles, &cycle) == 3 && cycle[0] == 0 && cycle[2] == 2, "then the other");
	tap_ok(graph_cycles_next(&cycles, &cycle) == 1 && cycle[0] == 4, "then one that cannot be reached from them");
	tap_is_number(graph_cycles_next(&cycles, &cycle), 0, "then there is none");
	graph_cycles_release(&cycles);
	neighbours_release(&successors);
	graph_release(&graph);
}

/* Whether what the functions say of the edges is right; paths by brute force. */
static bool
is_right(bool edges[SMALL][SMALL], const struct neighbours *successors)
{
	bool paths[SMALL][SMALL], cyclic = false, set[SMALL] = {true};
	uint32_t order[SMALL], cycle[SMALL];
	size_t length = first_cycle(successors, cycle);

	memcpy(paths, edges, sizeof paths);
	for (int k = 0; k < SMALL; k++)
		for (int i = 0; i < SMALL; i++)
			for (int j = 0; j < SMALL; j++)
				paths[i][j] = paths[i][j] || (paths[i][k] && paths[k][j]);
	for (int i = 0; i < SMALL; i++)
		cyclic = cyclic || paths[i][i];
	if (graph_order(successors, order) == cyclic || (length > 0) != cyclic)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!edges[cycle[i]][cycle[(i + 1) % length]])
			return false;
	for (int i = 0; !cyclic && i < SMALL; i++)
		for (int j = 0; j < i; j++)
			if (edges[order[i]][order[j]])
				return false;
	graph_reach(successors, set);
	for (int i = 1; i < SMALL; i++)
		if (set[i] != paths[0][i])
			return false;
	return true;
}

static void
test_random(unsigned seed)
{
	int wrong = 0;

	srand(seed);
	for (int n = 0; n < RANDOM_GRAPHS; n++) {
		bool edges[SMALL][SMALL] = {0};
		struct graph graph = {.vertices = SMALL};
		struct neighbours successors;

		for (int i = rand() % (2 * SMALL); i > 0; i--) {
			uint32_t from = (uint32_t)rand() % SMALL, to = (uint32_t)rand() % SMALL;

			edges[from][to] = true;
			graph_edge(&graph, from, to);
		}
		successors = graph_successors(&graph);
		wrong += !is_right(edges, &successors);
		neighbours_release(&successors);
		graph_release(&graph);
	}
	tap_is_number(wrong, 0, "random graphs agree with brute force (seed %u)", seed);
}

int
main(int argc, char **argv)
{
	test_small();
	test_long_path();
	test_all_cycles();
	test_random(argc > 1 ? (unsigned)atoi(argv[1]) : 4711);
	return tap_end();
}
