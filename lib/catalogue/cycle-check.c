/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/cycle-check.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "catalogue/catalogue.h"

struct provider_link { /* one service that provides a name */
	size_t service, older; /* older: index of the next one of the same name + 1, or 0 */
};

struct graph {
	const struct catalogue *catalogue;
	struct names provided;
	size_t *newest; /* by number in provided: index in links + 1, or 0 */
	struct provider_link *links;
	size_t link_count, link_capacity;
	size_t *first, *edges; /* edges[first[i]] .. edges[first[i + 1]]: what service i waits for */
	size_t edge_count, edge_capacity;
	size_t reported;
};

static const struct service *
cycle_service_at(const struct graph *graph, size_t number)
{
	return &graph->catalogue->entities[graph->catalogue->first[ENTITY_SERVICE] + number].service;
}

static size_t
cycle_service_count(const struct catalogue *catalogue)
{
	return catalogue->names[ENTITY_SERVICE].count;
}

static void
cycle_note_providers(struct graph *graph)
{
	size_t capacity = 0;

	for (size_t i = 0; i < cycle_service_count(graph->catalogue); i++) {
		const struct string_list *provides = &cycle_service_at(graph, i)->provides;

		for (size_t j = 0; j < provides->count; j++) {
			size_t known = graph->provided.count, number = (size_t)names_intern(&graph->provided, provides->list[j]);

			ARRAY_ROOM(graph->newest, number, capacity);
			ARRAY_ROOM(graph->links, graph->link_count, graph->link_capacity);
			graph->links[graph->link_count++] =
			    (struct provider_link){i, number < known ? graph->newest[number] : 0};
			graph->newest[number] = graph->link_count;
		}
	}
}

static void
cycle_add_edge(struct graph *graph, size_t from, size_t to)
{
	if (from == to)
		return;
	ARRAY_ROOM(graph->edges, graph->edge_count, graph->edge_capacity);
	graph->edges[graph->edge_count++] = to;
}

/* From a service to each that has a name in the list, or provides it. */
static void
cycle_add_edges(struct graph *graph, size_t from, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		int service = names_find(&graph->catalogue->names[ENTITY_SERVICE], list->list[i]);
		int alias = names_find(&graph->provided, list->list[i]);

		if (service != NAMES_NONE)
			cycle_add_edge(graph, from, (size_t)service);
		for (size_t l = alias == NAMES_NONE ? 0 : graph->newest[alias]; l; l = graph->links[l - 1].older)
			cycle_add_edge(graph, from, graph->links[l - 1].service);
	}
}

static void
cycle_make_edges(struct graph *graph, bool install)
{
	size_t count = cycle_service_count(graph->catalogue);

	graph->edge_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct service *service = cycle_service_at(graph, i);

		graph->first[i] = graph->edge_count;
		cycle_add_edges(graph, i, install ? &service->install_requires : &service->runtime_requires);
		cycle_add_edges(graph, i, install ? &service->install_uses : &service->runtime_uses);
	}
	graph->first[count] = graph->edge_count;
}

/* The services from path[start] on wait for one another. */
static void
cycle_report(struct graph *graph, const size_t *path, size_t start, size_t length, bool install,
    struct findings *findings)
{
	const struct catalogue *catalogue = graph->catalogue;
	const struct entity *entity = &catalogue->entities[catalogue->first[ENTITY_SERVICE] + path[start]];
	struct problems problems = {0};
	struct place root = place_root(entity->source, &problems);
	struct place dependencies = place_member(&root, "dependencies");
	struct place stage = place_member(&dependencies, install ? "install" : "runtime");
	struct buffer text = {0};

	if (graph->reported++ >= PROBLEMS_KEPT)
		return;
	for (size_t i = start; i < length; i++)
		buffer_printf(&text, "%s, which needs ", cycle_service_at(graph, path[i])->name);
	place_problem(&stage, "a cycle: %s%s", text.data, cycle_service_at(graph, path[start])->name);
	findings_add(findings, SEVERITY_WARNING, entity->file, &problems);
	buffer_release(&text);
	problems_release(&problems);
}

/* Goes down from one service, path by path. position: 0 not met, its place in path + 1, SIZE_MAX once left. */
static void
cycle_search(struct graph *graph, size_t root, size_t *path, size_t *next, size_t *position, bool install,
    struct findings *findings)
{
	size_t length = 0;

	path[length++] = root;
	position[root] = length;
	while (length) {
		size_t at = path[length - 1], to;

		if (next[at] == graph->first[at + 1]) {
			position[at] = SIZE_MAX;
			length--;
			continue;
		}
		to = graph->edges[next[at]++];
		if (position[to] == 0) {
			path[length++] = to;
			position[to] = length;
		} else if (position[to] != SIZE_MAX) {
			cycle_report(graph, path, position[to] - 1, length, install, findings);
		}
	}
}

static void
cycle_check_stage(struct graph *graph, bool install, struct findings *findings)
{
	size_t count = cycle_service_count(graph->catalogue);
	size_t *path = memory_zeroed(count, sizeof *path), *next = memory_zeroed(count, sizeof *next);
	size_t *position = memory_zeroed(count, sizeof *position);

	cycle_make_edges(graph, install);
	for (size_t i = 0; i < count; i++)
		next[i] = graph->first[i];
	for (size_t i = 0; i < count; i++)
		if (position[i] == 0)
			cycle_search(graph, i, path, next, position, install, findings);
	free(path);
	free(next);
	free(position);
}

void
check_cycles(const struct catalogue *catalogue, struct findings *findings)
{
	struct graph graph = {.catalogue = catalogue};

	graph.first = memory_zeroed(cycle_service_count(catalogue) + 1, sizeof *graph.first);
	cycle_note_providers(&graph);
	cycle_check_stage(&graph, true, findings);
	cycle_check_stage(&graph, false, findings);
	names_release(&graph.provided);
	free(graph.newest);
	free(graph.links);
	free(graph.first);
	free(graph.edges);
}
