/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dependency.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/layout.h"

/* Who provides a name: an edge from the number of the name to the service. */
struct providers {
	struct names names;
	struct neighbours of;
};

static void
mark_present(const struct names *services, struct string_list names, bool *present)
{
	for (size_t i = 0; i < names.count; i++) {
		int service = names_find(services, names.list[i]);

		if (service != NAMES_NONE)
			present[service] = true;
	}
}

/* Which definitions belong to services that are, were or shall be on the cluster; the caller frees it. */
static bool *
find_present(const struct names *services, const struct layout *layout)
{
	bool *present = memory_zeroed(services->count, sizeof *present);

	mark_present(services, layout->cluster.services, present);
	for (size_t i = 0; i < layout->node_count; i++) {
		mark_present(services, layout->nodes[i].services, present);
		mark_present(services, layout->nodes[i].was, present);
	}
	return present;
}

static void
providers_init(struct providers *providers, const struct cluster *cluster, const bool *present)
{
	struct graph graph = {0};

	*providers = (struct providers){0};
	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct string_list *provides = &cluster->definitions[i].provides;

		for (size_t j = 0; present[i] && j < provides->count; j++)
			graph_edge(&graph, (uint32_t)names_intern(&providers->names, provides->list[j]), (uint32_t)i);
	}
	graph.vertices = providers->names.count;
	providers->of = graph_successors(&graph);
	graph_release(&graph);
}

static void
providers_release(struct providers *providers)
{
	names_release(&providers->names);
	neighbours_release(&providers->of);
}

/* The edges of one service while they are collected, each once. */
struct collector {
	const struct names *services;
	const struct providers *providers;
	const bool *present;
	struct graph *graph;
	uint32_t from;
	uint32_t *seen; /* of a service: from + 1 where the edge is there */
};

static void
collect_one(struct collector *collector, uint32_t to)
{
	if (collector->present[to] && collector->seen[to] != collector->from + 1) {
		collector->seen[to] = collector->from + 1;
		graph_edge(collector->graph, collector->from, to);
	}
}

/* A service that provides what it needs is not made to wait for itself; one that names itself is a cycle. */
static void
collect(struct collector *collector, struct string_list names)
{
	for (size_t i = 0; i < names.count; i++) {
		int service = names_find(collector->services, names.list[i]);
		int alias = names_find(&collector->providers->names, names.list[i]);
		const struct neighbours *of = &collector->providers->of;

		if (service != NAMES_NONE)
			collect_one(collector, (uint32_t)service);
		for (size_t j = alias < 0 ? 0 : of->first[alias]; alias >= 0 && j < of->first[alias + 1]; j++)
			if (of->list[j] != collector->from)
				collect_one(collector, of->list[j]);
	}
}

static void
read_graph(struct dependencies *dependencies, enum dependency dependency, struct collector collector,
    const struct cluster *cluster)
{
	bool install = dependency == DEPENDENCY_INSTALL;
	struct graph graph = {.vertices = cluster->definition_count};

	collector.graph = &graph;
	collector.seen = memory_zeroed(graph.vertices, sizeof *collector.seen);
	for (size_t i = 0; i < graph.vertices; i++) {
		const struct service *service = &cluster->definitions[i];

		if (!collector.present[i])
			continue;
		collector.from = (uint32_t)i;
		collect(&collector, install ? service->install_requires : service->runtime_requires);
		collect(&collector, install ? service->install_uses : service->runtime_uses);
	}
	dependencies->needs[dependency] = graph_successors(&graph);
	dependencies->needed_by[dependency] = graph_predecessors(&graph);
	free(collector.seen);
	graph_release(&graph);
}

void
dependencies_init(struct dependencies *dependencies, const struct layout *layout)
{
	const struct cluster *cluster = &layout->cluster;
	struct providers providers;
	bool *present;

	*dependencies = (struct dependencies){0};
	for (size_t i = 0; i < cluster->definition_count; i++)
		names_intern(&dependencies->services, cluster->definitions[i].name);
	present = find_present(&dependencies->services, layout);
	providers_init(&providers, cluster, present);
	for (int i = 0; i < DEPENDENCY_COUNT; i++)
		read_graph(dependencies, i,
		    (struct collector){.services = &dependencies->services, .providers = &providers, .present = present},
		    cluster);
	providers_release(&providers);
	free(present);
}

void
dependencies_release(struct dependencies *dependencies)
{
	names_release(&dependencies->services);
	for (int i = 0; i < DEPENDENCY_COUNT; i++) {
		neighbours_release(&dependencies->needs[i]);
		neighbours_release(&dependencies->needed_by[i]);
	}
}

int
dependencies_acyclic(const struct dependencies *dependencies, enum dependency dependency, struct error *err)
{
	const char *const *names = dependencies->services.list;
	const struct neighbours *needs = &dependencies->needs[dependency];
	uint32_t *cycle = memory_resize(NULL, needs->vertices, sizeof *cycle);
	size_t length = graph_cycle(needs, cycle);
	struct buffer text = {0};

	for (size_t i = 0; i < length; i++)
		buffer_printf(&text, "%s -> ", names[cycle[i]]);
	if (length)
		error_set(err, EX_NO, "the %s dependencies of the services form a cycle: %s%s",
		    dependency == DEPENDENCY_INSTALL ? "install" : "runtime", text.data, names[cycle[0]]);
	buffer_release(&text);
	free(cycle);
	return length ? -1 : 0;
}

size_t
dependencies_nearest(const struct neighbours *neighbours, uint32_t service, const bool *counts, uint32_t *found)
{
	bool *seen = memory_zeroed(neighbours->vertices, sizeof *seen);
	bool *behind = memory_zeroed(neighbours->vertices, sizeof *behind);
	uint32_t *queue = memory_resize(NULL, neighbours->vertices + 1, sizeof *queue);
	size_t head = 0, tail = 0, count = 0;

	queue[tail++] = service;
	for (; head < tail; head++) {
		for (size_t i = neighbours->first[queue[head]]; i < neighbours->first[queue[head] + 1]; i++) {
			uint32_t next = neighbours->list[i];

			if (!seen[next] && !counts[next])
				queue[tail++] = next;
			seen[next] = true;
		}
	}
	for (uint32_t v = 0; v < neighbours->vertices; v++)
		if (seen[v] && counts[v])
			for (size_t i = neighbours->first[v]; i < neighbours->first[v + 1]; i++)
				behind[neighbours->list[i]] = true;
	graph_reach(neighbours, behind);
	for (uint32_t v = 0; v < neighbours->vertices; v++)
		if (seen[v] && counts[v] && !behind[v])
			found[count++] = v;
	free(seen);
	free(behind);
	free(queue);
	return count;
}
