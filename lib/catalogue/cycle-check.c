/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/cycle-check.h"

#include "base/buffer.h"
#include "base/graph.h"
#include "catalogue/catalogue.h"

struct cycle_check {
	const struct catalogue *catalogue;
	size_t count;               /* services */
	struct names provided;      /* names that services provide, beside their own */
	struct neighbours provider; /* from each of these names to the services that provide it */
	struct findings *findings;
	size_t reported;
};

static const struct service *
cycle_service_at(const struct cycle_check *check, size_t number)
{
	return &check->catalogue->entities[check->catalogue->first[ENTITY_SERVICE] + number].service;
}

static void
cycle_find_providers(struct cycle_check *check)
{
	struct graph graph = {0};

	for (size_t i = 0; i < check->count; i++) {
		const struct string_list *provides = &cycle_service_at(check, i)->provides;

		for (size_t j = 0; j < provides->count; j++)
			graph_edge(&graph, (uint32_t)names_intern(&check->provided, provides->list[j]), (uint32_t)i);
	}
	graph.vertices = check->provided.count;
	check->provider = graph_successors(&graph);
	graph_release(&graph);
}

/* Adds edges from a service to each other one that has a name in the list, or provides it. */
static void
cycle_add_edges(const struct cycle_check *check, struct graph *graph, uint32_t from, const struct string_list *list)
{
	const struct neighbours *provider = &check->provider;

	for (size_t i = 0; i < list->count; i++) {
		int service = names_find(&check->catalogue->names[ENTITY_SERVICE], list->list[i]);
		int name = names_find(&check->provided, list->list[i]);

		if (service != NAMES_NONE && (uint32_t)service != from)
			graph_edge(graph, from, (uint32_t)service);
		for (size_t j = name == NAMES_NONE ? 0 : provider->first[name]; name != NAMES_NONE && j < provider->first[name + 1]; j++)
			if (provider->list[j] != from)
				graph_edge(graph, from, provider->list[j]);
	}
}

/* Adds the finding that these services wait for one another. */
static void
cycle_report(struct cycle_check *check, const uint32_t *cycle, size_t length, bool install)
{
	const struct catalogue *catalogue = check->catalogue;
	const struct entity *entity = &catalogue->entities[catalogue->first[ENTITY_SERVICE] + cycle[0]];
	struct problems problems = {.source = &entity->yaml};
	struct place root = place_root(entity->source, &problems);
	struct place dependencies = place_member(&root, "dependencies");
	struct place stage = place_member(&dependencies, install ? "install" : "runtime");
	struct buffer text = {0};

	for (size_t i = 0; i < length; i++)
		buffer_printf(&text, "%s, which needs ", cycle_service_at(check, cycle[i])->name);
	place_problem(&stage, "a cycle: %s%s", text.data, cycle_service_at(check, cycle[0])->name);
	findings_add(check->findings, SEVERITY_WARNING, entity->file, &problems);
	buffer_release(&text);
	problems_release(&problems);
}

static void
cycle_check_stage(struct cycle_check *check, bool install)
{
	struct graph graph = {.vertices = check->count};
	struct neighbours needs;
	struct graph_cycles cycles;
	const uint32_t *cycle;
	size_t length;

	for (uint32_t i = 0; i < check->count; i++) {
		const struct service *service = cycle_service_at(check, i);

		cycle_add_edges(check, &graph, i, install ? &service->install_requires : &service->runtime_requires);
		cycle_add_edges(check, &graph, i, install ? &service->install_uses : &service->runtime_uses);
	}
	needs = graph_successors(&graph);
	graph_cycles_init(&cycles, &needs);
	for (; check->reported < PROBLEMS_KEPT && (length = graph_cycles_next(&cycles, &cycle)) > 0; check->reported++)
		cycle_report(check, cycle, length, install);
	graph_cycles_release(&cycles);
	neighbours_release(&needs);
	graph_release(&graph);
}

void
check_cycles(const struct catalogue *catalogue, struct findings *findings)
{
	struct cycle_check check = {.catalogue = catalogue, .count = catalogue->names[ENTITY_SERVICE].count, .findings = findings};

	cycle_find_providers(&check);
	cycle_check_stage(&check, true);
	cycle_check_stage(&check, false);
	names_release(&check.provided);
	neighbours_release(&check.provider);
}
