/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/take/macro.h"
#include "plan/dependency.h"
#include "plan/lookups.h"

bool
change_is_known(const struct layout *layout)
{
	const struct cluster *cluster = &layout->cluster;

	return cluster->was_definition_count > 0 || jv_get_kind(cluster->was_config) == JV_KIND_OBJECT;
}

/* Tells whether both are done in the same way; no fields and empty ones are alike. A definition of an earlier version says nothing of
 * its scripts: then they count as unchanged. */
static bool
change_is_same(const struct service_action *a, const struct service_action *b)
{
	bool a_has = jv_get_kind(a->fields) == JV_KIND_OBJECT && jv_object_length(jv_copy(a->fields)) > 0;
	bool b_has = jv_get_kind(b->fields) == JV_KIND_OBJECT && jv_object_length(jv_copy(b->fields)) > 0;

	if (a->present != b->present || !a->present)
		return a->present == b->present;
	if (a->digest && b->digest && strcmp(a->digest, b->digest) != 0)
		return false;
	return strcmp(a->type, b->type) == 0 && a_has == b_has && (!a_has ||
	    jv_equal(jv_copy(a->fields), jv_copy(b->fields)));
}

/* Returns the actions that make an instance what the new definition would have made it. */
static unsigned
change_compare_definitions(const struct service *was, const struct service *is)
{
	unsigned actions = 0;

	for (int i = 0; i < ACTION_COUNT; i++)
		if (action_table[i].redo && !change_is_same(&was->actions[i], &is->actions[i]))
			actions |= action_table[i].redo;
	return actions;
}

/* Finds the services that get or lose an instance on some node; the caller frees the result. */
static bool *
change_find_moving(const struct layout *layout, const struct names *services)
{
	bool *moving = memory_zeroed(services->count, sizeof *moving);

	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];
		const struct string_list *lists[] = {&node->services, &node->was};

		for (int side = 0; side < 2; side++) {
			for (size_t j = 0; j < lists[side]->count; j++) {
				int service = names_find(services, lists[side]->list[j]);

				if (service != NAMES_NONE && !name_set_has(lists[!side], lists[side]->list[j]))
					moving[service] = true;
			}
		}
	}
	return moving;
}

/* Tells whether a value has macros that expand to something else, now that services move. */
static bool
change_names_moving(jv value, const bool *moving, const struct names *services, struct arena *arena)
{
	static const enum macro_source sources[] = {MACRO_HOST, MACRO_IP, MACRO_NUM, MACRO_INSTANCE};

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		struct string_list asked = macro_services_of(value, sources[i], arena);

		for (size_t j = 0; j < asked.count; j++) {
			int service = names_find(services, asked.list[j]);

			if (service != NAMES_NONE && moving[service])
				return true;
		}
	}
	return false;
}

/* Tells whether the scripts of a service look up services that move. */
static bool
change_looks_up_moving(const struct service *service, const bool *moving, const struct layout *layout)
{
	for (size_t i = 0; i < layout->cluster.definition_count; i++)
		if (moving[i] && lookups_names(&service->reads.nodes, &layout->cluster.definitions[i]))
			return true;
	return false;
}

/* Compares each of these members between the two configurations, and adds the services that those which differ are about. */
static void
change_compare_members(jv members, bool *affected, const struct layout *layout, const struct dependencies *dependencies,
    const bool *moving)
{
	jv was = layout->cluster.was_config, is = layout->cluster.config;
	struct arena arena = {0};

	for (int at = jv_object_iter(members); jv_object_iter_valid(members, at); at = jv_object_iter_next(members, at)) {
		jv key = jv_object_iter_key(members, at);
		const char *name = jv_string_value(key);
		jv before = json_get(was, name), after = json_get(is, name);
		bool differs = jv_is_valid(before) && jv_is_valid(after) ? !jv_equal(jv_copy(before), jv_copy(after))
		    : jv_is_valid(before) != jv_is_valid(after);

		if (differs || change_names_moving(after, moving, &dependencies->services, &arena))
			lookups_add_readers(affected, name, layout, dependencies);
		jv_free(before);
		jv_free(after);
		jv_free(key);
	}
	arena_release(&arena);
}

/* Finds the services that a difference of the configuration is about; the caller frees the result. */
static bool *
change_find_affected(const struct layout *layout, const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	bool *affected = memory_zeroed(cluster->definition_count, sizeof *affected);
	bool *moving;

	if (jv_get_kind(cluster->was_config) != JV_KIND_OBJECT)
		return affected;
	moving = change_find_moving(layout, &dependencies->services);
	change_compare_members(cluster->was_config, affected, layout, dependencies, moving);
	if (jv_get_kind(cluster->config) == JV_KIND_OBJECT)
		change_compare_members(cluster->config, affected, layout, dependencies, moving);
	for (size_t i = 0; i < cluster->definition_count; i++)
		affected[i] = affected[i] || change_looks_up_moving(&cluster->definitions[i], moving, layout);
	free(moving);
	return affected;
}

unsigned *
change_find(const struct layout *layout, const struct dependencies *dependencies)
{
	const struct cluster *cluster = &layout->cluster;
	unsigned *changes = memory_zeroed(cluster->definition_count, sizeof *changes);
	bool *affected = change_find_affected(layout, dependencies);

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *is = &cluster->definitions[i];

		changes[i] = change_compare_definitions(cluster_definition_before(cluster, is->name), is);
		if (affected[i])
			changes[i] |= ACTIONS_RECONFIGURE;
	}
	free(affected);
	return changes;
}

bool *
change_find_definitions(const struct layout *layout)
{
	const struct cluster *cluster = &layout->cluster;
	bool *changed = memory_zeroed(cluster->definition_count, sizeof *changed);

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *is = &cluster->definitions[i];

		changed[i] = change_compare_definitions(cluster_definition_before(cluster, is->name), is) != 0;
	}
	return changed;
}
