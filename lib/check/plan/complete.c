/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/absence.h"
#include "check/plan/chain.h"
#include "check/plan/changed.h"
#include "check/plan/needs.h"

struct complete {
	struct judge *judge;
	const struct cluster_action *action; /* what was asked for */
	bool *chosen;        /* of each service: it is named, or none is */
	bool *drawn_in;      /* of each service: it is stopped or started along with those that are chosen */
	unsigned *changes;   /* of each service: what is done to it where it stands, as its definition is another */
	bool *reconfigured;  /* of each service: the configuration has changed for it */
	uint64_t *bootstraps; /* of each node, bits by number of automator; the last one stands for all beyond */
	struct names types;
	unsigned *hardware;  /* of each node: the tasks of it as a whole */
	bool graceful;       /* what leaves is stopped and removed before its node is deleted */
};

static void
complete_report(const struct complete *complete, size_t node, const char *service, enum action action)
{
	const struct node *on = &complete->judge->plan->layout.nodes[node];
	struct place place = judge_node_place(complete->judge, node);

	place_problem(&place, "%s: there is no task to %s %s", on->id, action_name(action), service ? service : "it");
}

static const struct service_action *
complete_definition(const struct complete *complete, size_t service, enum action action)
{
	const struct cluster *cluster = &complete->judge->plan->layout.cluster;
	const struct service *is = &cluster->definitions[service];

	if (ACTION_BIT(action) & ACTIONS_TAKE_DOWN)
		is = cluster_definition_before(cluster, is->name);
	return &is->actions[action];
}

/* Reports the automators of a service that are not bootstrapped on its node. */
static void
complete_require_bootstraps(const struct complete *complete, size_t node, size_t service)
{
	for (int action = 0; action < ACTION_COUNT; action++) {
		const struct service_action *does = complete_definition(complete, service, (enum action)action);
		int type = does->present ? names_find(&complete->types, does->type) : NAMES_NONE;

		if (does->present && (type == NAMES_NONE || !(complete->bootstraps[node] >> (type < 63 ? type : 63) & 1))) {
			complete_report(complete, node, does->type, ACTION_BOOTSTRAP);
			return;
		}
	}
}

/* Returns what is done to a service that stands, of what should be: what can be reloaded is not stopped, unless it is restarted
 * anyway; what has a restart of its own is not stopped and started. */
static unsigned
complete_in_place(const struct complete *complete, size_t service, unsigned actions)
{
	const unsigned reload = ACTION_BIT(ACTION_RELOAD), both = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_START);

	if (actions & ACTION_BIT(ACTION_RESTORE) && !complete_definition(complete, service, ACTION_RESTORE)->present)
		return 0;
	if (actions & reload && !complete_definition(complete, service, ACTION_RELOAD)->present)
		actions |= both;
	if ((actions & both) == both) {
		actions &= ~reload;
		if (complete_definition(complete, service, ACTION_RESTART)->present)
			actions = (actions & ~both) | ACTION_BIT(ACTION_RESTART);
	}
	return actions & ACTION_BIT(ACTION_STOP) ? actions | ACTION_BIT(ACTION_DRAIN) : actions;
}

/* Reports which of the actions that a service has are missing on a node. */
static void
complete_require(const struct complete *complete, size_t node, const char *name, unsigned actions)
{
	int service = names_find(&complete->judge->services, name);
	const struct chain *chain = service == NAMES_NONE ? NULL : chain_find(complete->judge, service, (int)node);

	if (service == NAMES_NONE)
		return;
	for (int action = 0; action < ACTION_COUNT; action++)
		if (actions & ACTION_BIT(action) && action != ACTION_BOOTSTRAP &&
		    complete_definition(complete, (size_t)service, (enum action)action)->present &&
		    (!chain || chain_task(complete->judge, chain, (enum action)action) == JUDGE_NONE))
			complete_report(complete, node, name, (enum action)action);
	if (actions & ACTION_BIT(ACTION_BOOTSTRAP))
		complete_require_bootstraps(complete, node, (size_t)service);
}

/* Requires what is done to a service that stands. */
static void
complete_require_in_place(const struct complete *complete, size_t node, const char *name, unsigned actions, bool is_along)
{
	const unsigned runs = ACTIONS_UP | ACTIONS_STOP | ACTION_BIT(ACTION_DRAIN) | ACTION_BIT(ACTION_CHECK);
	int service = names_find(&complete->judge->services, name);

	if (service == NAMES_NONE || !actions)
		return;
	actions = complete_in_place(complete, (size_t)service, actions);
	complete_require(complete, node, name, absence_stays(complete->judge, service, node, is_along) ? actions & ~runs : actions);
}

/* Requires what sets up a service, which may be to stay stopped. */
static void
complete_require_set_up(const struct complete *complete, size_t node, const char *name)
{
	int service = names_find(&complete->judge->services, name);

	if (service == NAMES_NONE || !complete->chosen[service])
		return;
	complete_require(complete, node, name,
	    absence_stays(complete->judge, service, node, false) ? ACTIONS_SET_UP & ~(unsigned)ACTIONS_START : ACTIONS_SET_UP);
}

/* Requires the same of a service that is chosen. */
static void
complete_require_chosen(const struct complete *complete, size_t node, const char *name, unsigned actions)
{
	int service = names_find(&complete->judge->services, name);

	if (service != NAMES_NONE && complete->chosen[service])
		complete_require(complete, node, name, actions);
}

/* Requires what is done to the services that stand on a node: those chosen, and those that are stopped or started with them. */
static void
complete_require_standing(const struct complete *complete, size_t node)
{
	const struct string_list *services = &complete->judge->plan->layout.nodes[node].services;
	unsigned standing = complete->action->standing;

	for (size_t i = 0; i < services->count; i++) {
		int service = names_find(&complete->judge->services, services->list[i]);

		if (service != NAMES_NONE && complete->chosen[service])
			complete_require_in_place(complete, node, services->list[i], standing, false);
		else if (service != NAMES_NONE && complete->drawn_in[service])
			complete_require_in_place(complete, node, services->list[i], standing & ACTIONS_RESTART, true);
	}
}

/* Requires what is done on a node that stays to the services that are new there, that leave it, and that have changed. */
static void
complete_require_changes(const struct complete *complete, size_t number)
{
	const struct node *node = &complete->judge->plan->layout.nodes[number];
	const struct cluster_action *action = complete->action;

	for (size_t i = 0; i < node->services.count; i++) {
		const char *name = node->services.list[i];
		int service = names_find(&complete->judge->services, name);

		if (service == NAMES_NONE || !complete->chosen[service])
			continue;
		if (!name_set_has(&node->was, name) && action->adds_services)
			complete_require_set_up(complete, number, name);
		else if (name_set_has(&node->was, name) && action->changes)
			complete_require_in_place(complete, number, name,
			    complete->changes[service] | (complete->reconfigured[service] ? ACTIONS_RECONFIGURE : 0), false);
	}
	for (size_t i = 0; action->drops_services && i < node->was.count; i++)
		if (!name_set_has(&node->services, node->was.list[i]))
			complete_require_chosen(complete, number, node->was.list[i], ACTIONS_TAKE_DOWN);
}

static void
complete_require_hardware(const struct complete *complete, size_t node, unsigned actions)
{
	for (int action = 0; action < ACTION_COUNT; action++)
		if (actions & ~complete->hardware[node] & ACTION_BIT(action))
			complete_report(complete, node, NULL, (enum action)action);
}

/* Requires the deletion of a node and, where its services are taken down first, of these. */
static void
complete_require_deletion(const struct complete *complete, size_t number, const struct string_list *services)
{
	complete_require_hardware(complete, number, ACTIONS_UNMAKE);
	for (size_t i = 0; complete->graceful && !complete->judge->dead[number] && i < services->count; i++) {
		const struct service *was = cluster_definition_before(&complete->judge->plan->layout.cluster, services->list[i]);
		unsigned keeps = was && service_keeps_volumes(was) ? ACTION_BIT(ACTION_REMOVE) : 0;

		complete_require_chosen(complete, number, services->list[i], ACTIONS_TAKE_DOWN & ~keeps);
	}
}

static bool
complete_has_chosen(const struct complete *complete, const struct node *node)
{
	if (complete->judge->plan->job.scope_services.count == 0)
		return true;
	for (size_t i = 0; i < node->services.count; i++) {
		int service = names_find(&complete->judge->services, node->services.list[i]);

		if (service != NAMES_NONE && complete->chosen[service])
			return true;
	}
	return false;
}

static void
complete_check_node(const struct complete *complete, size_t number)
{
	const struct node *node = &complete->judge->plan->layout.nodes[number];
	const struct cluster_action *action = complete->action;

	if (action->deletes) {
		complete_require_deletion(complete, number, node->leaves ? &node->was : &node->services);
	} else if (node->leaves) {
		if (action->drops_nodes && complete->judge->plan->job.scope_services.count == 0)
			complete_require_deletion(complete, number, &node->was);
	} else if (complete->judge->dead[number]) {
		return;
	} else if (action->standing) {
		complete_require_standing(complete, number);
	} else if (!node->is_new) {
		complete_require_changes(complete, number);
	} else if (action->adds_nodes && complete_has_chosen(complete, node)) {
		complete_require_hardware(complete, number, ACTIONS_MAKE);
		for (size_t i = 0; i < node->services.count; i++)
			complete_require_set_up(complete, number, node->services.list[i]);
	}
}

/* Tells whether a node was asked for: all are, if none is named. */
static bool
complete_is_asked(const struct complete *complete, size_t node)
{
	const struct job *job = &complete->judge->plan->job;

	return job->scope_nodes.count == 0 || name_list_has(&job->scope_nodes, complete->judge->plan->layout.nodes[node].id);
}

/* Marks all services that can be reached from those that are chosen. */
static void
complete_draw_in(struct complete *complete, bool reversed)
{
	struct needs needs = needs_find(complete->judge, false, true, reversed);
	size_t count = complete->judge->services.count;

	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < count; i++)
			for (size_t j = needs.first[i]; (complete->chosen[i] || complete->drawn_in[i]) && j < needs.first[i + 1]; j++)
				if (!complete->drawn_in[needs.list[j].to]) {
					complete->drawn_in[needs.list[j].to] = true;
					more = true;
				}
	}
	needs_release(&needs);
}

/* Finds the services that are chosen: those named, or all; an upgrade without names is about those that have changed. */
static void
complete_choose(struct complete *complete)
{
	const struct job *job = &complete->judge->plan->job;
	const struct cluster *cluster = &complete->judge->plan->layout.cluster;
	bool known = cluster->was_definition_count > 0 || jv_get_kind(cluster->was_config) == JV_KIND_OBJECT;
	bool upgrades = complete->action->standing == ACTIONS_UPGRADE && known;

	for (size_t i = 0; i < complete->judge->services.count; i++)
		complete->chosen[i] = job->scope_services.count ? name_list_has(&job->scope_services, complete->judge->services.list[i])
		    : !upgrades || complete->changes[i];
	if (job->scope_max_unavailable)
		return;
	if (complete->action->standing & ACTION_BIT(ACTION_STOP))
		complete_draw_in(complete, true);
	else if (complete->action->standing & ACTION_BIT(ACTION_START))
		complete_draw_in(complete, false);
}

/* Notes the tasks of each node as a whole. */
static void
complete_find_tasks(struct complete *complete)
{
	const struct plan_document *plan = complete->judge->plan;

	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int type, node = complete->judge->node_of[i];

		if (node == JUDGE_NONE || step->service)
			continue;
		complete->hardware[node] |= ACTION_BIT(step->action);
		if (step->action != ACTION_BOOTSTRAP)
			continue;
		type = names_intern(&complete->types, step->type);
		complete->bootstraps[node] |= (uint64_t)1 << (type < 63 ? type : 63);
	}
}

void
complete_check(struct judge *judge)
{
	const struct job *job = &judge->plan->job;
	size_t services = judge->services.count, nodes = judge->nodes.count;
	struct complete complete = {.judge = judge, .action = cluster_action_find(job->scope_action),
		.chosen = memory_zeroed(services, sizeof *complete.chosen), .drawn_in = memory_zeroed(services, sizeof *complete.drawn_in),
		.bootstraps = memory_zeroed(nodes, sizeof *complete.bootstraps),
		.hardware = memory_zeroed(nodes, sizeof *complete.hardware), .graceful = job->scope_graceful};

	complete.changes = changed_definitions(judge);
	complete.reconfigured = changed_configuration(judge);
	complete_choose(&complete);
	complete_find_tasks(&complete);
	for (size_t i = 0; i < nodes; i++)
		complete.graceful = complete.graceful || !complete_is_asked(&complete, i) ||
		    (!complete.action->deletes && !judge->plan->layout.nodes[i].leaves);
	for (size_t i = 0; job->has_scope && i < nodes; i++)
		if (complete_is_asked(&complete, i))
			complete_check_node(&complete, i);
	names_release(&complete.types);
	free(complete.chosen);
	free(complete.drawn_in);
	free(complete.changes);
	free(complete.reconfigured);
	free(complete.bootstraps);
	free(complete.hardware);
}
