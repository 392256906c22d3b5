/* SPDX-License-Identifier: Apache-2.0
 *
 * Directed graphs over the vertices 0, 1, 2, ...: of services, and of the steps of a plan. All walks are
 * iterative and take time linear in vertices and edges.
 */
#ifndef BASE_GRAPH_H
#define BASE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX /* no vertex */

struct graph { /* zero-initialise; vertices is the caller's to count */
	size_t vertices;
	struct graph_edge {
		uint32_t from, to;
	} *edges;
	size_t edge_count, capacity;
};

struct neighbours;

void graph_edge(struct graph *graph, uint32_t from, uint32_t to);
void graph_edges(struct graph *graph, const struct neighbours *successors); /* one to each successor */
void graph_release(struct graph *graph);

/* The neighbours of v are list[first[v]] .. list[first[v + 1] - 1], in the order their edges were added. */
struct neighbours {
	size_t vertices;
	size_t *first;
	uint32_t *list;
};

struct neighbours graph_successors(const struct graph *graph);
struct neighbours graph_predecessors(const struct graph *graph);
void neighbours_release(struct neighbours *neighbours);

/* Fills order (room for all vertices) so that each comes before its successors: breadth first, vertices that
 * are free at the same time by number. Returns false if a cycle forbids it. */
bool graph_order(const struct neighbours *successors, uint32_t *order);

/* A walk, depth first, that finds a cycle for each edge that leads back to a vertex of its path. */
struct graph_cycles {
	const struct neighbours *successors;
	uint32_t *path;   /* from where the walk began to where it is */
	size_t length;    /* of it */
	uint32_t *places; /* of each vertex: its place in the path + 1, 0 before the walk came to it, GRAPH_NONE once it is left */
	size_t *next;     /* of each vertex: the successor to go to next */
	size_t start;     /* vertices before it have been begun with */
};

/* Begins a walk, which borrows the neighbours. */
void graph_cycles_init(struct graph_cycles *cycles, const struct neighbours *successors);
void graph_cycles_release(struct graph_cycles *cycles);

/* Sets cycle to the vertices of the next cycle, the first not repeated; they stay until the next call. Returns how many; 0 if
 * there is no more. */
size_t graph_cycles_next(struct graph_cycles *cycles, const uint32_t **cycle);

/* Extends set by all that can be reached from it. */
void graph_reach(const struct neighbours *successors, bool *set);

/* Tells whether a way leads from one vertex to another, or they are the same. */
bool graph_leads(const struct graph *graph, uint32_t from, uint32_t to);

#endif
