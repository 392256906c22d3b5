/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/volume-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/plan/chain.h"
#include "check/plan/judge.h"

int
volume_order_task(const struct judge *judge, size_t node, enum action action)
{
	for (size_t i = 0; i < judge->plan->count; i++)
		if (judge->node_of[i] == (int)node && judge->plan->steps[i].action == action)
			return (int)i;
	return JUDGE_NONE;
}

/* Tells whether a service that has nothing to do when it is set up, so that there is no chain, is new on the node by what was asked for. */
static bool
volume_order_is_silent(const struct judge *judge, size_t node, const struct service *service)
{
	const struct job *job = &judge->plan->job;
	const struct node *its = &judge->plan->layout.nodes[node];
	const struct cluster_action *action = cluster_action_find(job->scope_action);

	for (int i = 0; i < ACTION_COUNT; i++)
		if (ACTIONS_SET_UP & ACTION_BIT(i) && service->actions[i].present)
			return false;
	if (its->leaves || judge->dead[node] || !name_set_has(&its->services, service->name) || name_set_has(&its->was, service->name))
		return false;
	return (its->is_new ? volume_order_task(judge, node, ACTION_CREATE) != JUDGE_NONE : action->adds_services) &&
	    (!job->scope_nodes.count || name_list_has(&job->scope_nodes, its->id)) &&
	    (!job->scope_services.count || name_list_has(&job->scope_services, service->name));
}

bool
volume_order_is_new(const struct judge *judge, size_t node, size_t service)
{
	const struct service *definition = &judge->plan->layout.cluster.definitions[service];
	const struct chain *chain = definition->volume_count ? chain_find(judge, (int)service, (int)node) : NULL;

	return definition->volume_count > 0 && (chain ? chain->kind == CHAIN_SET_UP : volume_order_is_silent(judge, node, definition));
}

/* Returns the services that stand on a node before anything is done. */
static const struct string_list *
volume_order_standing(const struct judge *judge, size_t node)
{
	const struct node *its = &judge->plan->layout.nodes[node];

	return judge->action->deletes && !its->leaves ? &its->services : &its->was;
}

bool
volume_order_had(const struct judge *judge, size_t node, size_t service)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	const char *name = cluster->definitions[service].name;

	return name_set_has(volume_order_standing(judge, node), name) && cluster_definition_before(cluster, name)->volume_count > 0;
}

static bool
volume_order_asked(const struct judge *judge)
{
	for (size_t i = 0; i < judge->services.count; i++)
		if (judge->plan->layout.cluster.definitions[i].volume_count)
			return true;
	return false;
}

void
volume_order_mark_handed(const struct judge *judge, bool *handed)
{
	for (size_t i = 0; i < judge->plan->count; i++)
		for (size_t service = 0; judge->node_of[i] != JUDGE_NONE && service < judge->services.count; service++) {
			size_t gone = (size_t)judge->node_of[i];

			if (judge->plan->steps[i].action != ACTION_DELETE || judge->dead[gone] || !volume_order_had(judge, gone, service))
				continue;
			for (size_t node = 0; node < judge->nodes.count && !handed[service]; node++)
				handed[service] = volume_order_is_new(judge, node, service);
		}
}

bool
volume_order_hands_over(const struct judge *judge)
{
	bool *handed = memory_zeroed(judge->services.count, sizeof *handed), any = false;

	if (volume_order_asked(judge))
		volume_order_mark_handed(judge, handed);
	for (size_t i = 0; i < judge->services.count; i++)
		any = any || handed[i];
	free(handed);
	return any;
}

/* Tells whether the fields have this volume of the service. */
static bool
volume_order_has(jv fields, const char *service, const struct volume_wish *wish)
{
	jv volumes = json_get(fields, "volumes");
	bool found = false;

	for (size_t i = 0; i < json_length(volumes) && !found; i++) {
		jv volume = json_element(volumes, i);
		char *name = json_get_string(volume, "name"), *path = json_get_string(volume, "path"), *of = json_get_string(volume, "service");

		found = name && path && of && strcmp(name, wish->name) == 0 && strcmp(path, wish->path) == 0 && strcmp(of, service) == 0 &&
		    (int64_t)json_get_number(volume, "size_gb", 0) == wish->size_gb &&
		    json_is(volume, "keep", wish->keep ? JV_KIND_TRUE : JV_KIND_FALSE);
		free(name);
		free(path);
		free(of);
		jv_free(volume);
	}
	jv_free(volumes);
	return found;
}

/* Reports what is missing in the fields of a task, and what is too much. */
static void
volume_order_check_fields(const struct judge *judge, size_t node, size_t task)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	const struct step *step = &judge->plan->steps[task];
	struct place place = judge_place(judge, task);
	struct error ignored;
	size_t expected = 0;
	jv fields, volumes;

	if (json_parse("fields", step->fields, strlen(step->fields), &fields, &ignored) < 0)
		return;
	for (size_t service = 0; service < judge->services.count; service++) {
		bool is_new = volume_order_is_new(judge, node, service);
		const struct service *definition = is_new ? &cluster->definitions[service]
		    : volume_order_had(judge, node, service) ? cluster_definition_before(cluster, cluster->definitions[service].name) : NULL;

		for (size_t i = 0; definition && i < definition->volume_count; i++, expected++)
			if (!volume_order_has(fields, definition->name, &definition->volumes[i]))
				place_problem(&place, "%s: the volume %s of %s is missing", step->id, definition->volumes[i].name, definition->name);
	}
	volumes = json_get(fields, "volumes");
	if (json_length(volumes) != expected)
		place_problem(&place, "%s: there are %zu volumes, not %zu", step->id, json_length(volumes), expected);
	jv_free(volumes);
	jv_free(fields);
}

/* Tells whether a node gets what another one releases: where they hand over in turn, only its own partner gets it. */
static bool
volume_order_may_release(const struct judge *judge, size_t old, size_t new)
{
	return judge_hands_over(judge, new) || judge_hands_over(judge, old) ? judge->heirs[new] == (int)old : true;
}

/* Requires that what attaches waits for the deletion of all nodes that had volumes of a service which is new here. */
static void
volume_order_require_release(struct judge *judge, size_t node, int attach)
{
	for (size_t i = 0; i < judge->plan->count; i++) {
		bool releases = false;

		if (judge->node_of[i] == JUDGE_NONE || judge->plan->steps[i].action != ACTION_DELETE ||
		    !volume_order_may_release(judge, (size_t)judge->node_of[i], node))
			continue;
		for (size_t service = 0; service < judge->services.count && !releases; service++)
			releases = volume_order_is_new(judge, node, service) && volume_order_had(judge, (size_t)judge->node_of[i], service);
		if (releases)
			judge_require(judge, (uint32_t)i, (uint32_t)attach);
	}
}

/* Reports what is removed from a node that is deleted, though volumes outlive it which the removal may empty. */
static void
volume_order_check_removals(const struct judge *judge)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;

	for (size_t i = 0; i < judge->plan->count; i++) {
		const struct step *step = &judge->plan->steps[i];
		const struct service *service = step->action == ACTION_REMOVE ? cluster_definition_before(cluster, step->service) : NULL;
		struct place place = judge_place(judge, i);

		if (service && service_keeps_volumes(service) && volume_order_task(judge, (size_t)judge->node_of[i], ACTION_DELETE) != JUDGE_NONE)
			place_problem(&place, "%s: %s has volumes that outlive %s, and is removed", step->id, step->service, step->node);
	}
}

static void
volume_order_check_node(struct judge *judge, size_t node)
{
	int attach = volume_order_task(judge, node, ACTION_ATTACH), mount = volume_order_task(judge, node, ACTION_MOUNT);
	const struct node *its = &judge->plan->layout.nodes[node];
	struct place place = judge_node_place(judge, node);
	bool wanted = false;

	for (size_t service = 0; service < judge->services.count; service++)
		wanted = wanted || volume_order_is_new(judge, node, service);
	if (wanted != (attach != JUDGE_NONE) || wanted != (mount != JUDGE_NONE)) {
		place_problem(&place, wanted ? "%s does not get its volumes" : "%s gets volumes that no service there asks for", its->id);
		return;
	}
	if (!wanted)
		return;
	volume_order_check_fields(judge, node, (size_t)attach);
	volume_order_check_fields(judge, node, (size_t)mount);
	volume_order_require_release(judge, node, attach);
}

void
volume_order_check(struct judge *judge)
{
	bool any = volume_order_asked(judge);

	for (size_t i = 0; i < judge->plan->count; i++)
		any = any || judge->plan->steps[i].action == ACTION_ATTACH || judge->plan->steps[i].action == ACTION_MOUNT;
	for (size_t node = 0; any && node < judge->nodes.count; node++)
		volume_order_check_node(judge, node);
	if (any)
		volume_order_check_removals(judge);
}
