/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/needs.h"

#include <stdlib.h>

#include "base/memory.h"

struct named { /* a name, and a service that goes by it */
	int name;
	uint32_t service;
};

struct finder {
	const struct judge *judge;
	bool *in_use; /* of each service */
	struct names names;
	struct named *named; /* sorted by name */
	size_t named_count, named_capacity;
	struct need_edge *found;
	size_t count, capacity;
};

/* Marks the services of a list as in use. */
static void
needs_use(const struct finder *finder, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		int service = names_find(&finder->judge->services, list->list[i]);

		if (service != NAMES_NONE)
			finder->in_use[service] = true;
	}
}

static int
needs_compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->name != y->name ? (x->name > y->name) - (x->name < y->name)
	    : (x->service > y->service) - (x->service < y->service);
}

static void
needs_add_name(struct finder *finder, const char *name, uint32_t service)
{
	ARRAY_ROOM(finder->named, finder->named_count, finder->named_capacity);
	finder->named[finder->named_count++] = (struct named){names_intern(&finder->names, name), service};
}

/* Finds the names by which the services in use go. */
static void
needs_find_names(struct finder *finder)
{
	const struct cluster *cluster = &finder->judge->plan->layout.cluster;

	for (uint32_t i = 0; i < cluster->definition_count; i++) {
		const struct service *service = &cluster->definitions[i];

		if (!finder->in_use[i])
			continue;
		needs_add_name(finder, service->name, i);
		for (size_t j = 0; j < service->provides.count; j++)
			needs_add_name(finder, service->provides.list[j], i);
	}
	if (finder->named_count)
		qsort(finder->named, finder->named_count, sizeof *finder->named, needs_compare_names);
}

/* Adds a need of all that go by a name; a service does not have to wait for itself. */
static void
needs_find_named(struct finder *finder, uint32_t from, const char *text, bool local, bool reversed)
{
	int name = names_find(&finder->names, text);
	size_t low = 0, high = finder->named_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (finder->named[middle].name < name)
			low = middle + 1;
		else
			high = middle;
	}
	for (; name != NAMES_NONE && low < finder->named_count && finder->named[low].name == name; low++) {
		uint32_t to = finder->named[low].service;

		if (to == from)
			continue;
		ARRAY_ROOM(finder->found, finder->count, finder->capacity);
		finder->found[finder->count++] = reversed ? (struct need_edge){to, from, local} : (struct need_edge){from, to,
		    local};
	}
}

static void
needs_find_listed(struct finder *finder, uint32_t from, const struct string_list *list, const struct string_list *local,
    bool reversed)
{
	for (size_t i = 0; i < list->count; i++)
		needs_find_named(finder, from, list->list[i], name_list_has(local, list->list[i]), reversed);
}

static int
needs_compare_edges(const void *a, const void *b)
{
	const struct need_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (int)x->local - (int)y->local;
}

/* Sorts the needs, each pair once; one of which any is not local is not local. */
static struct needs
needs_sort(struct finder *finder, size_t services)
{
	struct needs needs = {.first = memory_zeroed(services + 1, sizeof *needs.first), .list = finder->found};
	size_t count = 0;

	if (finder->count)
		qsort(finder->found, finder->count, sizeof *finder->found, needs_compare_edges);
	for (size_t i = 0; i < finder->count; i++) {
		const struct need_edge *need = &finder->found[i];

		if (count && needs.list[count - 1].from == need->from && needs.list[count - 1].to == need->to)
			continue;
		needs.list[count++] = *need;
		needs.first[need->from + 1]++;
	}
	for (size_t i = 0; i < services; i++)
		needs.first[i + 1] += needs.first[i];
	return needs;
}

struct needs
needs_find(const struct judge *judge, bool at_install, bool at_run, bool reversed)
{
	const struct layout *layout = &judge->plan->layout;
	const struct cluster *cluster = &layout->cluster;
	struct finder finder = {.judge = judge, .in_use = memory_zeroed(cluster->definition_count, sizeof *finder.in_use)};
	struct needs needs;

	needs_use(&finder, &cluster->services);
	for (size_t i = 0; i < layout->node_count; i++) {
		needs_use(&finder, &layout->nodes[i].services);
		needs_use(&finder, &layout->nodes[i].was);
	}
	needs_find_names(&finder);
	for (uint32_t i = 0; i < cluster->definition_count; i++) {
		const struct service *service = &cluster->definitions[i];

		if (finder.in_use[i] && at_install) {
			needs_find_listed(&finder, i, &service->install_requires, &service->install_local, reversed);
			needs_find_listed(&finder, i, &service->install_uses, &service->install_local, reversed);
		}
		if (finder.in_use[i] && at_run) {
			needs_find_listed(&finder, i, &service->runtime_requires, &service->runtime_local, reversed);
			needs_find_listed(&finder, i, &service->runtime_uses, &service->runtime_local, reversed);
		}
	}
	needs = needs_sort(&finder, cluster->definition_count);
	names_release(&finder.names);
	free(finder.named);
	free(finder.in_use);
	return needs;
}

void
needs_release(struct needs *needs)
{
	free(needs->first);
	free(needs->list);
}
