/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dependency.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/layout.h"
#include "model/name.h"

/* An edge leads from the number of a name to each service that provides it. */
struct providers {
	struct names names;
	struct neighbours of;
};

static void
dependency_mark_present(const struct names *services, struct string_list names, bool *present)
{
	for (size_t i = 0; i < names.count; i++) {
		int service = names_find(services, names.list[i]);

		if (service != NAMES_NONE)
			present[service] = true;
	}
}

/* Finds the definitions of services that are, were or shall be on the cluster; the caller frees the result. */
static bool *
dependency_find_present(const struct names *services, const struct layout *layout)
{
	bool *present = memory_zeroed(services->count, sizeof *present);

	dependency_mark_present(services, layout->cluster.services, present);
	for (size_t i = 0; i < layout->node_count; i++) {
		dependency_mark_present(services, layout->nodes[i].services, present);
		dependency_mark_present(services, layout->nodes[i].was, present);
	}
	return present;
}

static void
dependency_providers_init(struct providers *providers, const struct cluster *cluster, const bool *present)
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

/* The edges of one service while they are collected, each once. */
struct collector {
	const struct names *services;
	const struct providers *providers;
	const bool *present;
	struct graph all, far, near;
	uint32_t from;
	uint32_t *seen; /* of a service: from + 1 where the edge is there */
};

static void
dependency_collect_one(struct collector *collector, uint32_t to, struct graph *kind)
{
	if (!collector->present[to] || collector->seen[to] == collector->from + 1)
		return;
	collector->seen[to] = collector->from + 1;
	graph_edge(&collector->all, collector->from, to);
	graph_edge(kind, collector->from, to);
}

/* Collects all that go by a name. A service that provides what it needs does not wait for itself; one that names itself is
 * a cycle. */
static void
dependency_collect_name(struct collector *collector, const char *name, struct graph *kind)
{
	int service = names_find(collector->services, name);
	int alias = names_find(&collector->providers->names, name);
	const struct neighbours *of = &collector->providers->of;

	if (service != NAMES_NONE)
		dependency_collect_one(collector, (uint32_t)service, kind);
	for (size_t j = alias < 0 ? 0 : of->first[alias]; alias >= 0 && j < of->first[alias + 1]; j++)
		if (of->list[j] != collector->from)
			dependency_collect_one(collector, of->list[j], kind);
}

enum { LIST_REQUIRES, LIST_USES, LIST_LOCAL, LISTS };

/* Collects what a service names at install time or at run time, as far as it is local or as far as it is not. */
static void
dependency_collect(struct collector *collector, const struct string_list *lists, bool local)
{
	struct graph *kind = local ? &collector->near : &collector->far;

	for (int list = LIST_REQUIRES; list <= LIST_USES; list++) {
		for (size_t i = 0; i < lists[list].count; i++) {
			const char *name = lists[list].list[i];

			if (name_list_has(&lists[LIST_LOCAL], name) == local)
				dependency_collect_name(collector, name, kind);
		}
	}
}

/* Collects the needs of one service. Those that are not local come first: one that is both is far. */
static void
dependency_collect_service(struct collector *collector, const struct service *service, enum dependency dependency)
{
	const struct string_list install[LISTS] = {
		service->install_requires, service->install_uses, service->install_local};
	const struct string_list runtime[LISTS] = {
		service->runtime_requires, service->runtime_uses, service->runtime_local};

	for (int local = 0; local <= 1; local++) {
		if (dependency != DEPENDENCY_RUNTIME)
			dependency_collect(collector, install, local);
		if (dependency != DEPENDENCY_INSTALL)
			dependency_collect(collector, runtime, local);
	}
}

static struct relation
dependency_relation_of(const struct collector *collector, struct neighbours neighbours_of(const struct graph *graph))
{
	struct relation relation = {.all = neighbours_of(&collector->all), .far = neighbours_of(&collector->far),
		.near = neighbours_of(&collector->near)};
	size_t count = relation.all.vertices;
	uint32_t *order = memory_resize(NULL, count, sizeof *order);

	relation.places = memory_zeroed(count, sizeof *relation.places);
	if (graph_order(&relation.all, order))
		for (uint32_t i = 0; i < count; i++)
			relation.places[order[i]] = i;
	free(order);
	return relation;
}

static void
dependency_relation_release(struct relation *relation)
{
	neighbours_release(&relation->all);
	neighbours_release(&relation->far);
	neighbours_release(&relation->near);
	free(relation->places);
}

static void
dependency_read_graph(struct dependencies *dependencies, enum dependency dependency, struct collector collector,
    const struct cluster *cluster)
{
	size_t count = cluster->definition_count;

	collector.all.vertices = collector.far.vertices = collector.near.vertices = count;
	collector.seen = memory_zeroed(count, sizeof *collector.seen);
	for (size_t i = 0; i < count; i++) {
		collector.from = (uint32_t)i;
		if (collector.present[i])
			dependency_collect_service(&collector, &cluster->definitions[i], dependency);
	}
	dependencies->needs[dependency] = dependency_relation_of(&collector, graph_successors);
	dependencies->needed_by[dependency] = dependency_relation_of(&collector, graph_predecessors);
	dependencies->any_near = dependencies->any_near || collector.near.edge_count > 0;
	free(collector.seen);
	graph_release(&collector.all);
	graph_release(&collector.far);
	graph_release(&collector.near);
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
	present = dependency_find_present(&dependencies->services, layout);
	dependency_providers_init(&providers, cluster, present);
	for (int i = 0; i < DEPENDENCY_COUNT; i++)
		dependency_read_graph(dependencies, (enum dependency)i,
		    (struct collector){.services = &dependencies->services, .providers = &providers, .present = present},
		    cluster);
	names_release(&providers.names);
	neighbours_release(&providers.of);
	free(present);
}

void
dependencies_release(struct dependencies *dependencies)
{
	names_release(&dependencies->services);
	for (int i = 0; i < DEPENDENCY_COUNT; i++) {
		dependency_relation_release(&dependencies->needs[i]);
		dependency_relation_release(&dependencies->needed_by[i]);
	}
}

int
dependencies_acyclic(const struct dependencies *dependencies, enum dependency dependency, struct error *err)
{
	static const char *const words[] = {"install", "runtime", "install and runtime"};
	const char *const *names = dependencies->services.list;
	struct graph_cycles cycles;
	const uint32_t *cycle;
	size_t length;

	graph_cycles_init(&cycles, &dependencies->needs[dependency].all);
	length = graph_cycles_next(&cycles, &cycle);
	if (length) {
		struct buffer text = {0};

		for (size_t i = 0; i < length; i++)
			buffer_printf(&text, "%s -> ", names[cycle[i]]);
		error_set(err, EX_NO, "the %s dependencies of the services form a cycle: %s%s", words[dependency], text.data,
		    names[cycle[0]]);
		buffer_release(&text);
	}
	graph_cycles_release(&cycles);
	return length ? -1 : 0;
}
