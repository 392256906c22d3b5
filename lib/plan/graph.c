/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/graph.h"

#include <stdlib.h>

#include "base/memory.h"

void
graph_edge(struct graph *graph, uint32_t from, uint32_t to)
{
	ARRAY_ROOM(graph->edges, graph->edge_count, graph->capacity);
	graph->edges[graph->edge_count++] = (struct graph_edge){from, to};
}

void
graph_release(struct graph *graph)
{
	free(graph->edges);
	*graph = (struct graph){0};
}

/* Sorts the edges by one end, by counting. */
static struct neighbours
graph_sort_edges(const struct graph *graph, bool by_source)
{
	struct neighbours sorted = {
		.vertices = graph->vertices,
		.first = memory_zeroed(graph->vertices + 2, sizeof *sorted.first),
		.list = memory_resize(NULL, graph->edge_count, sizeof *sorted.list),
	};
	/* Shifted by one while filling: next[v] grows from the start of v to the start of v + 1. */
	size_t *next = sorted.first + 1;

	for (size_t i = 0; i < graph->edge_count; i++)
		next[(by_source ? graph->edges[i].from : graph->edges[i].to) + 1]++;
	for (size_t v = 0; v < graph->vertices; v++)
		next[v + 1] += next[v];
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (by_source)
			sorted.list[next[edge->from]++] = edge->to;
		else
			sorted.list[next[edge->to]++] = edge->from;
	}
	return sorted;
}

struct neighbours
graph_successors(const struct graph *graph)
{
	return graph_sort_edges(graph, true);
}

struct neighbours
graph_predecessors(const struct graph *graph)
{
	return graph_sort_edges(graph, false);
}

void
neighbours_release(struct neighbours *neighbours)
{
	free(neighbours->first);
	free(neighbours->list);
	*neighbours = (struct neighbours){0};
}

bool
graph_order(const struct neighbours *successors, uint32_t *order)
{
	size_t vertices = successors->vertices, head = 0, tail = 0;
	uint32_t *waiting = memory_zeroed(vertices, sizeof *waiting);

	for (size_t i = 0; i < successors->first[vertices]; i++)
		waiting[successors->list[i]]++;
	for (size_t v = 0; v < vertices; v++)
		if (waiting[v] == 0)
			order[tail++] = (uint32_t)v;
	for (; head < tail; head++) {
		uint32_t v = order[head];

		for (size_t i = successors->first[v]; i < successors->first[v + 1]; i++)
			if (--waiting[successors->list[i]] == 0)
				order[tail++] = successors->list[i];
	}
	free(waiting);
	return tail == vertices;
}

enum colour { UNSEEN, ON_PATH, FINISHED };

/* Walks from start depth first; path is the stack. Returns true if an edge leads back into the path, which is *length long;
 * the cycle begins at path[*back]. */
static bool
graph_walk(const struct neighbours *successors, uint32_t start, unsigned char *colours, size_t *next, uint32_t *path,
    size_t *length, size_t *back)
{
	size_t depth = 1;

	path[0] = start;
	colours[start] = ON_PATH;
	while (depth > 0) {
		uint32_t v = path[depth - 1], w;

		if (next[v] == successors->first[v + 1]) {
			colours[v] = FINISHED;
			depth--;
			continue;
		}
		w = successors->list[next[v]++];
		if (colours[w] == ON_PATH) {
			for (*back = 0; path[*back] != w; (*back)++)
				;
			*length = depth;
			return true;
		}
		if (colours[w] == UNSEEN) {
			colours[w] = ON_PATH;
			path[depth++] = w;
		}
	}
	return false;
}

size_t
graph_cycle(const struct neighbours *successors, uint32_t *cycle)
{
	size_t vertices = successors->vertices, length = 0, back = 0;
	unsigned char *colours = memory_zeroed(vertices, sizeof *colours);
	size_t *next = memory_resize(NULL, vertices, sizeof *next);
	bool found = false;

	for (size_t v = 0; v < vertices; v++)
		next[v] = successors->first[v];
	for (size_t v = 0; v < vertices && !found; v++)
		if (colours[v] == UNSEEN)
			found = graph_walk(successors, (uint32_t)v, colours, next, cycle, &length, &back);
	for (size_t i = back; found && i < length; i++)
		cycle[i - back] = cycle[i];
	free(colours);
	free(next);
	return found ? length - back : 0;
}

void
graph_reach(const struct neighbours *successors, bool *set)
{
	uint32_t *queue = memory_resize(NULL, successors->vertices, sizeof *queue);
	size_t head = 0, tail = 0;

	for (size_t v = 0; v < successors->vertices; v++)
		if (set[v])
			queue[tail++] = (uint32_t)v;
	for (; head < tail; head++) {
		uint32_t v = queue[head];

		for (size_t i = successors->first[v]; i < successors->first[v + 1]; i++) {
			uint32_t w = successors->list[i];

			if (!set[w]) {
				set[w] = true;
				queue[tail++] = w;
			}
		}
	}
	free(queue);
}
