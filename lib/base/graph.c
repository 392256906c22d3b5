/* SPDX-License-Identifier: Apache-2.0 */
#include "base/graph.h"

#include <stdlib.h>

#include "base/memory.h"

void
graph_edge(struct graph *graph, uint32_t from, uint32_t to)
{
	ARRAY_ROOM(graph->edges, graph->edge_count, graph->capacity);
	graph->edges[graph->edge_count++] = (struct graph_edge){from, to};
}

void
graph_edges(struct graph *graph, const struct neighbours *successors)
{
	for (uint32_t v = 0; v < successors->vertices; v++)
		for (size_t i = successors->first[v]; i < successors->first[v + 1]; i++)
			graph_edge(graph, v, successors->list[i]);
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

void
graph_cycles_init(struct graph_cycles *cycles, const struct neighbours *successors)
{
	size_t vertices = successors->vertices;

	*cycles = (struct graph_cycles){
		.successors = successors,
		.path = memory_resize(NULL, vertices, sizeof *cycles->path),
		.places = memory_zeroed(vertices, sizeof *cycles->places),
		.next = memory_resize(NULL, vertices, sizeof *cycles->next),
	};
	for (size_t v = 0; v < vertices; v++)
		cycles->next[v] = successors->first[v];
}

void
graph_cycles_release(struct graph_cycles *cycles)
{
	free(cycles->path);
	free(cycles->places);
	free(cycles->next);
}

size_t
graph_cycles_next(struct graph_cycles *cycles, const uint32_t **cycle)
{
	const struct neighbours *successors = cycles->successors;

	while (cycles->length > 0 || cycles->start < successors->vertices) {
		uint32_t to;

		if (cycles->length == 0)
			to = (uint32_t)cycles->start++;
		else {
			uint32_t from = cycles->path[cycles->length - 1];

			if (cycles->next[from] == successors->first[from + 1]) {
				cycles->places[from] = GRAPH_NONE;
				cycles->length--;
				continue;
			}
			to = successors->list[cycles->next[from]++];
		}
		if (cycles->places[to] == 0) {
			cycles->path[cycles->length++] = to;
			cycles->places[to] = (uint32_t)cycles->length;
		} else if (cycles->places[to] != GRAPH_NONE) {
			*cycle = &cycles->path[cycles->places[to] - 1];
			return cycles->length - (cycles->places[to] - 1);
		}
	}
	return 0;
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

bool
graph_leads(const struct graph *graph, uint32_t from, uint32_t to)
{
	struct neighbours along = graph_successors(graph);
	bool *set = memory_zeroed(graph->vertices, sizeof *set), leads;

	set[from] = true;
	graph_reach(&along, set);
	leads = set[to];
	free(set);
	neighbours_release(&along);
	return leads;
}
