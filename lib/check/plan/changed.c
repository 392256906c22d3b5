/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/changed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/needs.h"
#include "json/json.h"
#include "model/take/macro.h"

static bool
changed_has_fields(const struct service_action *action)
{
	return jv_get_kind(action->fields) == JV_KIND_OBJECT && jv_object_length(jv_copy(action->fields)) > 0;
}

static bool
changed_action(const struct service *was, const struct service *is, enum action action)
{
	const struct service_action *before = &was->actions[action], *after = &is->actions[action];

	if (!before->present || !after->present)
		return before->present != after->present;
	/* Scripts differ only where both definitions say what they are. */
	if (before->digest && after->digest && strcmp(before->digest, after->digest) != 0)
		return true;
	if (strcmp(before->type, after->type) != 0 || changed_has_fields(before) != changed_has_fields(after))
		return true;
	return changed_has_fields(before) && !jv_equal(jv_copy(before->fields), jv_copy(after->fields));
}

unsigned *
changed_definitions(const struct judge *judge)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	unsigned *changed = memory_zeroed(cluster->definition_count, sizeof *changed);

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *is = &cluster->definitions[i], *was = cluster_definition_before(cluster, is->name);

		if (changed_action(was, is, ACTION_INSTALL))
			changed[i] |= ACTIONS_UPGRADE;
		if (changed_action(was, is, ACTION_CONFIGURE))
			changed[i] |= ACTIONS_RECONFIGURE;
		if (changed_action(was, is, ACTION_START) || changed_action(was, is, ACTION_STOP))
			changed[i] |= ACTIONS_RESTART | ACTION_BIT(ACTION_BOOTSTRAP);
	}
	return changed;
}

/* Tells whether some node has a service after the change and not before, or the other way round. */
static bool
changed_moves(const struct judge *judge, const char *service)
{
	const struct layout *layout = &judge->plan->layout;

	for (size_t i = 0; i < layout->node_count; i++)
		if (name_set_has(&layout->nodes[i].services, service) != name_set_has(&layout->nodes[i].was, service))
			return true;
	return false;
}

/* Tells whether a member of the configuration asks for the instances of a service that moves. */
static bool
changed_asks_moving(const struct judge *judge, jv value)
{
	static const enum macro_source sources[] = {MACRO_HOST, MACRO_IP, MACRO_NUM, MACRO_INSTANCE};
	struct arena arena = {0};
	bool asks = false;

	for (size_t i = 0; i < sizeof sources / sizeof *sources && !asks; i++) {
		struct string_list asked = macro_services_of(value, sources[i], &arena);

		for (size_t j = 0; j < asked.count && !asks; j++)
			asks = names_find(&judge->services, asked.list[j]) != NAMES_NONE && changed_moves(judge, asked.list[j]);
	}
	arena_release(&arena);
	return asks;
}

/* Marks the services that read a member of the configuration: those that say so; of those that do not say what they read, those
 * of its name and those that need them, or all if there are none. */
static void
changed_mark(const struct judge *judge, const struct needs *needed_by, const char *member, bool *changed)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	size_t count = cluster->definition_count, depth = 0;
	bool *met = memory_zeroed(count, sizeof *met);
	uint32_t *stack = memory_resize(NULL, count, sizeof *stack);

	for (uint32_t i = 0; i < count; i++) {
		met[i] = strcmp(cluster->definitions[i].name, member) == 0 || name_list_has(&cluster->definitions[i].provides, member);
		if (met[i])
			stack[depth++] = i;
	}
	for (size_t i = 0; i < count && depth == 0; i++)
		changed[i] = changed[i] || !cluster->definitions[i].reads.tells_config;
	while (depth > 0) {
		uint32_t at = stack[--depth];

		changed[at] = changed[at] || !cluster->definitions[at].reads.tells_config;
		for (size_t i = needed_by->first[at]; i < needed_by->first[at + 1]; i++) {
			uint32_t next = needed_by->list[i].to;

			if (!met[next])
				stack[depth++] = next;
			met[next] = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (cluster->definitions[i].reads.tells_config && name_set_has(&cluster->definitions[i].reads.config, member))
			changed[i] = true;
	free(met);
	free(stack);
}

/* Marks the services whose scripts look up a service that moves. */
static void
changed_mark_lookups(const struct judge *judge, bool *changed)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *moving = &cluster->definitions[i];

		if (!changed_moves(judge, moving->name))
			continue;
		for (size_t j = 0; j < cluster->definition_count; j++) {
			const struct string_list *nodes = &cluster->definitions[j].reads.nodes;

			changed[j] = changed[j] || name_set_has(nodes, moving->name);
			for (size_t k = 0; k < moving->provides.count; k++)
				changed[j] = changed[j] || name_set_has(nodes, moving->provides.list[k]);
		}
	}
}

bool *
changed_configuration(const struct judge *judge)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	bool *changed = memory_zeroed(cluster->definition_count, sizeof *changed);
	struct needs needed_by = needs_find(judge, true, true, true);
	jv members;

	if (jv_get_kind(cluster->was_config) == JV_KIND_OBJECT) {
		changed_mark_lookups(judge, changed);
		members = jv_copy(cluster->was_config);
		if (jv_get_kind(cluster->config) == JV_KIND_OBJECT)
			members = jv_object_merge(members, jv_copy(cluster->config));
		members = jv_keys(members);
		for (size_t i = 0; i < json_length(members); i++) {
			jv name = json_element(members, i), before = json_get(cluster->was_config, json_string(name));
			jv after = json_get(cluster->config, json_string(name));
			bool same = jv_is_valid(before) && jv_is_valid(after) && jv_equal(jv_copy(before), jv_copy(after));

			if (!same || changed_asks_moving(judge, after))
				changed_mark(judge, &needed_by, json_string(name), changed);
			jv_free(before);
			jv_free(after);
			jv_free(name);
		}
		jv_free(members);
	}
	needs_release(&needed_by);
	return changed;
}
