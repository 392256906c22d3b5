/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/lookups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/take/macro.h"
#include "plan/dependency.h"

bool
lookups_names(const struct string_list *list, const struct service *service)
{
	bool found = name_set_has(list, service->name);

	for (size_t i = 0; i < service->provides.count && !found; i++)
		found = name_set_has(list, service->provides.list[i]);
	return found;
}

void
lookups_add_readers(bool *readers, const char *member, const struct layout *layout, const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	bool *set = memory_zeroed(cluster->definition_count, sizeof *set), any = false;

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *service = &cluster->definitions[i];

		set[i] = strcmp(service->name, member) == 0 || name_list_has(&service->provides, member);
		any = any || set[i];
	}
	graph_reach(&dependencies->needed_by[DEPENDENCY_EITHER].all, set);
	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service_reads *reads = &cluster->definitions[i].reads;

		readers[i] = readers[i] || (reads->tells_config ? name_set_has(&reads->config, member) : set[i] || !any);
	}
	free(set);
}

/* Joins each reader of a member to each service that its macros ask for in that way. */
static void
lookups_join_member(bool *joined, jv value, enum macro_source source, const bool *readers,
    const struct dependencies *dependencies)
{
	struct arena arena = {0};
	struct string_list asked = macro_services_of(value, source, &arena);
	size_t services = dependencies->services.count;

	for (size_t i = 0; i < asked.count; i++) {
		int service = names_find(&dependencies->services, asked.list[i]);

		for (size_t reader = 0; service != NAMES_NONE && reader < services; reader++)
			if (readers[reader])
				joined[reader * services + (size_t)service] = true;
	}
	arena_release(&arena);
}

static void
lookups_join_config(bool *joined, const struct layout *layout, const struct dependencies *dependencies)
{
	jv config = layout->cluster.config;
	size_t services = dependencies->services.count;
	bool *readers = memory_zeroed(services, sizeof *readers);
	struct place root = place_root(config, NULL), member;
	struct members members = members_of(&root);

	while (members_next(&members, &member)) {
		memset(readers, 0, services * sizeof *readers);
		lookups_add_readers(readers, member.name, layout, dependencies);
		lookups_join_member(joined, member.value, MACRO_HOST, readers, dependencies);
		lookups_join_member(joined, member.value, MACRO_IP, readers, dependencies);
	}
	free(readers);
}

void
lookups_init(struct lookups *lookups, const struct layout *layout, const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	size_t services = cluster->definition_count;
	struct graph graph = {.vertices = services};
	bool *joined = memory_zeroed(services * services, sizeof *joined); /* [who * services + whom] */

	lookups->own = memory_zeroed(services, sizeof *lookups->own);
	if (jv_get_kind(cluster->config) == JV_KIND_OBJECT)
		lookups_join_config(joined, layout, dependencies);
	for (uint32_t i = 0; i < services; i++)
		for (uint32_t j = 0; j < services; j++)
			if (joined[i * services + j] || lookups_names(&cluster->definitions[i].reads.nodes, &cluster->definitions[j])) {
				if (i == j)
					lookups->own[i] = true;
				else
					graph_edge(&graph, i, j);
			}
	free(joined);
	lookups->of = graph_successors(&graph);
	lookups->by = graph_predecessors(&graph);
	graph_release(&graph);
}

void
lookups_release(struct lookups *lookups)
{
	neighbours_release(&lookups->of);
	neighbours_release(&lookups->by);
	free(lookups->own);
}

struct string_list
lookups_addresses(const struct layout *layout, struct arena *arena)
{
	const struct cluster *cluster = &layout->cluster;
	struct string_list asked = macro_addresses_of(cluster->config, arena), all = {
	    .list = arena_alloc(arena, asked.count + cluster->definition_count, sizeof *all.list), .count = asked.count};

	if (asked.count)
		memcpy(all.list, asked.list, asked.count * sizeof *asked.list);
	for (size_t i = 0; i < cluster->definition_count; i++) {
		bool looked_up = false;

		for (size_t j = 0; j < cluster->definition_count && !looked_up; j++)
			looked_up = lookups_names(&cluster->definitions[j].reads.nodes, &cluster->definitions[i]) ||
			    lookups_names(&cluster->definitions[j].actions[ACTION_INSTALL].reads.nodes, &cluster->definitions[i]);
		if (looked_up)
			all.list[all.count++] = cluster->definitions[i].name;
	}
	name_set_make(&all);
	return all;
}

/* Notes the services whose installation reads a member of the configuration that asks for addresses. */
static void
lookups_note_installed(bool *installed, const struct place *member, const struct layout *layout,
    const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	bool *readers = memory_zeroed(cluster->definition_count, sizeof *readers);
	struct arena arena = {0};

	if (macro_addresses_of(member->value, &arena).count)
		lookups_add_readers(readers, member->name, layout, dependencies);
	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service_reads *reads = &cluster->definitions[i].actions[ACTION_INSTALL].reads;

		if (reads->tells_config)
			readers[i] = macro_addresses_of(member->value, &arena).count && name_set_has(&reads->config, member->name);
		installed[i] = installed[i] || readers[i];
	}
	arena_release(&arena);
	free(readers);
}

bool *
lookups_find_installed_by_address(const struct layout *layout, const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	bool *installed = memory_zeroed(cluster->definition_count, sizeof *installed);
	struct place root = place_root(cluster->config, NULL), member;
	struct members members;

	for (size_t i = 0; i < cluster->definition_count; i++)
		installed[i] = cluster->definitions[i].actions[ACTION_INSTALL].reads.nodes.count > 0;
	if (jv_get_kind(cluster->config) != JV_KIND_OBJECT)
		return installed;
	members = members_of(&root);
	while (members_next(&members, &member))
		lookups_note_installed(installed, &member, layout, dependencies);
	return installed;
}
