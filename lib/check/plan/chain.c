/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/chain.h"

#include <stdlib.h>

#include "base/memory.h"

struct key { /* of a task, to sort by */
	int service, node, stage;
	uint32_t step;
};

static int
chain_compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->stage > y->stage) - (x->stage < y->stage);
}

static void
chain_sort_tasks(struct judge *judge)
{
	const struct plan_document *plan = judge->plan;
	struct key *keys = memory_resize(NULL, plan->count, sizeof *keys);
	size_t count = 0;

	for (uint32_t i = 0; i < plan->count; i++)
		if (judge->service_of[i] != JUDGE_NONE && !plan->steps[i].without)
			keys[count++] = (struct key){judge->service_of[i], judge->node_of[i],
			    action_table[plan->steps[i].action].stage, i};
	if (count)
		qsort(keys, count, sizeof *keys, chain_compare_keys);
	judge->tasks = memory_resize(NULL, count, sizeof *judge->tasks);
	judge->task_count = count;
	for (size_t i = 0; i < count; i++)
		judge->tasks[i] = keys[i].step;
	free(keys);
}

int
chain_task(const struct judge *judge, const struct chain *chain, enum action action)
{
	for (size_t i = chain->first; i < chain->end; i++)
		if (judge->plan->steps[judge->tasks[i]].action == action)
			return (int)judge->tasks[i];
	return JUDGE_NONE;
}

static enum chain_kind
chain_kind_of(const struct judge *judge, const struct chain *chain, bool is_deleted)
{
	const struct node *node = &judge->plan->layout.nodes[chain->node];
	const char *service = judge->services.list[chain->service];

	if (judge->action->standing)
		return CHAIN_IN_PLACE;
	if (is_deleted || !node_has(node, service))
		return CHAIN_TAKE_DOWN;
	return name_set_has(&node->was, service) ? CHAIN_IN_PLACE : CHAIN_SET_UP;
}

/* Puts the sorted tasks into chains. */
static void
chain_make_all(struct judge *judge, const bool *deleted)
{
	const struct job *job = &judge->plan->job;
	bool rolling = job->rolling || job->max_unavailable;
	bool restarts = !rolling && cluster_action_restarts(judge->action);

	judge->chains = memory_resize(NULL, judge->task_count, sizeof *judge->chains);
	for (size_t i = 0; i < judge->task_count; i++) {
		uint32_t task = judge->tasks[i];
		struct chain *chain = &judge->chains[judge->chain_count];

		if (i == 0 || chain[-1].node != judge->node_of[task] || chain[-1].service != judge->service_of[task]) {
			*chain = (struct chain){i, i, judge->node_of[task], judge->service_of[task], CHAIN_SET_UP, false, false};
			chain->kind = chain_kind_of(judge, chain, deleted[chain->node]);
			chain->rolls = rolling && chain->kind == CHAIN_IN_PLACE;
			judge->chain_count++;
		}
		judge->chains[judge->chain_count - 1].end = i + 1;
	}
	for (size_t i = 0; i < judge->chain_count; i++) {
		struct chain *chain = &judge->chains[i];

		chain->assured = restarts && judge->plan->steps[judge->tasks[chain->first]].action == ACTION_START;
	}
}

/* Reports a start that no check follows though the service can be asked for its status, and a check of what is not started. */
static void
chain_check_health(const struct judge *judge, const struct chain *chain)
{
	const struct service *service = &judge->plan->layout.cluster.definitions[chain->service];
	static const enum action starting[] = {ACTION_START, ACTION_RELOAD, ACTION_RESTART, ACTION_RESTORE};
	int start = JUDGE_NONE, check = chain_task(judge, chain, ACTION_CHECK);
	struct place place = judge_place(judge, judge->tasks[chain->end - 1]);

	for (size_t i = 0; i < sizeof starting / sizeof *starting && start == JUDGE_NONE; i++)
		start = chain_task(judge, chain, starting[i]);
	if (start != JUDGE_NONE && check == JUDGE_NONE && service->actions[ACTION_STATUS].present &&
	    service->actions[ACTION_START].present)
		place_problem(&place, "%s: %s is started, and no task checks that it is healthy", judge->plan->steps[start].id,
		    service->name);
	if (check != JUDGE_NONE && start == JUDGE_NONE)
		place_problem(&place, "%s: %s is checked, and not started before", judge->plan->steps[check].id, service->name);
}

/* Returns the actions that the job may have on a service that stands: others than those that are asked for where it cannot be reloaded,
 * or restarts by itself. */
static unsigned
chain_actions_in_place(const struct judge *judge)
{
	const unsigned both = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_START);
	const struct cluster_action *asked = cluster_action_find(judge->plan->job.scope_action);
	unsigned actions = asked->standing ? asked->standing : ACTIONS_UPGRADE | ACTIONS_RECONFIGURE;

	if (actions & ACTION_BIT(ACTION_RELOAD))
		actions |= both;
	if ((actions & both) == both)
		actions |= ACTION_BIT(ACTION_RESTART);
	return actions & ACTION_BIT(ACTION_STOP) ? actions | ACTION_BIT(ACTION_DRAIN) : actions;
}

/* Reports a task on a service that stands which the job is not for. */
static void
chain_check_in_place(const struct judge *judge, const struct chain *chain)
{
	unsigned actions = chain_actions_in_place(judge);

	for (size_t i = chain->first; i < chain->end; i++) {
		const struct step *step = &judge->plan->steps[judge->tasks[i]];
		struct place place = judge_place(judge, judge->tasks[i]);

		if (!(ACTION_BIT(step->action) & actions))
			place_problem(&place, "%s: %s stands on %s, and the job has nothing to %s there", step->id, step->service, step->node,
			    action_name(step->action));
	}
}

/* Reports a service that is stopped for a while and not started again, and one that is set up though it leaves, or taken
 * down though it is new. */
static void
chain_check(const struct judge *judge, const struct chain *chain)
{
	const struct plan_document *plan = judge->plan;
	const struct service *service = &plan->layout.cluster.definitions[chain->service];
	const struct step *first = &plan->steps[judge->tasks[chain->first]],
	    *last = &plan->steps[judge->tasks[chain->end - 1]];
	struct place place = judge_place(judge, judge->tasks[chain->end - 1]);

	chain_check_health(judge, chain);
	if (chain->kind == CHAIN_IN_PLACE && judge->plan->job.has_scope)
		chain_check_in_place(judge, chain);
	if (chain->kind == CHAIN_IN_PLACE && chain_task(judge, chain, ACTION_STOP) != JUDGE_NONE &&
	    chain_task(judge, chain, ACTION_START) == JUDGE_NONE &&
	    service->actions[ACTION_START].present && (judge->action->standing & ACTIONS_RESTART) != ACTIONS_STOP)
		place_problem(&place, "%s on %s is stopped and not started again", service->name, last->node);
	if (chain->kind == CHAIN_TAKE_DOWN && !(ACTION_BIT(last->action) & ACTIONS_TAKE_DOWN))
		place_problem(&place, "%s: %s leaves %s, and there is a task to %s it", last->id, service->name, last->node,
		    action_name(last->action));
	if (chain->kind == CHAIN_SET_UP && !(ACTION_BIT(first->action) & ACTIONS_SET_UP))
		place_problem(&place, "%s: %s is new on %s, and there is a task to %s it", first->id, service->name, first->node,
		    action_name(first->action));
}

const struct chain *
chain_find(const struct judge *judge, int service, int node)
{
	size_t low = 0, high = judge->chain_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct chain *chain = &judge->chains[middle];

		if (chain->service == service && chain->node == node)
			return chain;
		if (chain->service < service || (chain->service == service && chain->node < node))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Reports each service that is not stopped before its node is deleted. */
static void
chain_check_leaving_node(const struct judge *judge, size_t number)
{
	const struct layout *layout = &judge->plan->layout;
	const struct node *node = &layout->nodes[number];
	const struct string_list *stands = node->leaves ? &node->was : &node->services;
	struct place place = judge_node_place(judge, number);

	for (size_t i = 0; i < stands->count; i++) {
		const struct service *service = cluster_definition_before(&layout->cluster, stands->list[i]);
		const struct chain *chain = chain_find(judge, names_find(&judge->services, stands->list[i]), (int)number);

		if (service && service->actions[ACTION_STOP].present && (!chain ||
		    chain_task(judge, chain, ACTION_STOP) == JUDGE_NONE))
			place_problem(&place, "%s is deleted, and %s on it is not stopped", node->id, service->name);
	}
}

void
chain_check_all(struct judge *judge)
{
	bool *deleted = memory_zeroed(judge->nodes.count, sizeof *deleted), lives = false;

	for (size_t i = 0; i < judge->plan->count; i++)
		if (judge->node_of[i] != JUDGE_NONE && judge->plan->steps[i].action == ACTION_DELETE)
			deleted[judge->node_of[i]] = true;
	chain_sort_tasks(judge);
	chain_make_all(judge, deleted);
	for (size_t i = 0; i < judge->chain_count; i++)
		chain_check(judge, &judge->chains[i]);

	/* Services need not be stopped where the whole cluster is deleted. */
	for (size_t i = 0; i < judge->nodes.count; i++)
		lives = lives || (!deleted[i] && !judge->plan->layout.nodes[i].leaves);
	for (size_t i = 0; lives && i < judge->nodes.count; i++)
		if (deleted[i] && !judge->dead[i])
			chain_check_leaving_node(judge, i);
	free(deleted);
}
