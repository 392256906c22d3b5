/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/absence.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/plan/chain.h"
#include "check/plan/judge.h"
#include "json/json.h"

bool
absence_was(const struct judge *judge, int service, size_t node)
{
	const struct node *on = &judge->plan->layout.nodes[node];

	return !on->leaves && node_has(on, judge->services.list[service]) && name_set_has(&on->stopped, judge->services.list[service]);
}

/* Returns 1 if the plan leaves the instance running, -1 if it leaves it stopped, 0 if it does neither. */
static int
absence_outcome(const struct judge *judge, int service, size_t node)
{
	static const enum action up[] = {ACTION_START, ACTION_RELOAD, ACTION_RESTART};
	const struct chain *chain = chain_find(judge, service, (int)node);

	if (!chain || chain->kind != CHAIN_IN_PLACE)
		return 0;
	for (size_t i = 0; i < sizeof up / sizeof *up; i++)
		if (chain_task(judge, chain, up[i]) != JUDGE_NONE)
			return 1;
	return chain_task(judge, chain, ACTION_STOP) != JUDGE_NONE ? -1 : 0;
}

bool
absence_is(const struct judge *judge, int service, size_t node)
{
	int outcome = absence_outcome(judge, service, node);

	return outcome ? outcome < 0 : absence_was(judge, service, node);
}

static bool
absence_is_recorded(const struct judge *judge, int service, size_t number)
{
	const struct node *node = &judge->plan->layout.nodes[number];
	const char *name = judge->services.list[service];

	return !node->leaves && node_has(node, name) && name_set_has(&node->taken_out, name);
}

/* Tells whether a plan, which only starts what stands, or only stops it, does so to some instance of a service, and some run then. */
static bool
absence_is_decided(const struct judge *judge, int service)
{
	unsigned standing = cluster_action_find(judge->plan->job.scope_action)->standing;
	const struct layout *layout = &judge->plan->layout;
	bool any_runs = false, touched = false;

	if (!judge->plan->job.has_scope || (standing != ACTIONS_START && standing != ACTIONS_STOP))
		return false;
	for (size_t i = 0; i < layout->node_count; i++) {
		touched = touched || absence_outcome(judge, service, i);
		any_runs = any_runs || (!layout->nodes[i].leaves && !judge->dead[i] &&
		    node_has(&layout->nodes[i], judge->services.list[service]) && !absence_is(judge, service, i));
	}
	return touched && any_runs;
}

struct absence
absence_find(const struct judge *judge)
{
	size_t services = judge->services.count, nodes = judge->nodes.count;
	struct absence absence = {memory_zeroed(services * nodes, sizeof *absence.was_out),
	    memory_zeroed(services * nodes, sizeof *absence.is_out), nodes};

	for (size_t service = 0; service < services; service++) {
		bool decided = absence_is_decided(judge, (int)service);

		for (size_t node = 0; node < nodes; node++) {
			bool was = absence_is_recorded(judge, (int)service, node);

			absence.was_out[service * nodes + node] = was;
			absence.is_out[service * nodes + node] = (was || decided) && absence_is(judge, (int)service, node);
		}
	}
	return absence;
}

void
absence_release(struct absence *absence)
{
	free(absence->was_out);
	free(absence->is_out);
}

/* Tells whether the plan's action sets services up, and this one does not stand on the node yet. */
static bool
absence_is_set_up(const struct judge *judge, int service, size_t node)
{
	const struct cluster_action *action = cluster_action_find(judge->plan->job.scope_action);

	return !action->standing && !action->deletes && !name_set_has(&judge->plan->layout.nodes[node].was, judge->services.list[service]);
}

bool
absence_stays(const struct judge *judge, int service, size_t node, bool is_along)
{
	const struct cluster_action *action = cluster_action_find(judge->plan->job.scope_action);
	bool changes = action->changes || action->standing & (ACTION_BIT(ACTION_CONFIGURE) | ACTION_BIT(ACTION_INSTALL));

	return absence_was(judge, service, node) &&
	    (changes || absence_is_set_up(judge, service, node) || (is_along && cluster_action_restarts(action)));
}

/* Reports an instance that is left out and not named by the job record, or the other way round. */
static void
absence_check_named(const struct judge *judge, jv without, size_t service, size_t number)
{
	const struct node *node = &judge->plan->layout.nodes[number];
	struct place place = judge_node_place(judge, number);
	jv named = json_get(without, judge->services.list[service]);
	bool is_named = json_array_has(named, NULL, node->id);
	bool is_out = absence_is_recorded(judge, (int)service, number);

	if (is_named != is_out)
		place_problem(&place, "%s: %s is %sleft out, and the job record %s", node->id, judge->services.list[service],
		    is_out ? "" : "not ", is_out ? "does not say so" : "says so");
	jv_free(named);
}

/* Counts the instances that stood before the plan, as far as they can be stopped: those of one service, or of all but for it. */
static void
absence_count(const struct judge *judge, int service, bool of_all, size_t *stopped, size_t *running)
{
	const struct layout *layout = &judge->plan->layout;

	*stopped = *running = 0;
	for (size_t i = 0; i < layout->node_count; i++)
		for (size_t j = 0; j < layout->nodes[i].was.count; j++) {
			const char *name = layout->nodes[i].was.list[j];
			const struct service *was = cluster_definition_before(&layout->cluster, name);

			if (of_all ? !was : strcmp(name, judge->services.list[service]) != 0)
				continue;
			if (name_set_has(&layout->nodes[i].stopped, name))
				++*stopped;
			else if (!of_all || was->actions[ACTION_STOP].present)
				++*running;
		}
}

/* Reports a service that is set up and to run, although it was stopped wherever it stood or, if it is new, all of the cluster was; or the
 * other way round. */
static void
absence_check_set_up(const struct judge *judge, int service)
{
	bool starts = judge->plan->layout.cluster.definitions[service].actions[ACTION_START].present, stays;
	size_t stopped, running;

	absence_count(judge, service, false, &stopped, &running);
	if (!stopped && !running)
		absence_count(judge, service, true, &stopped, &running);
	stays = starts && stopped && !running;
	for (size_t i = 0; i < judge->plan->layout.node_count; i++) {
		const struct node *node = &judge->plan->layout.nodes[i];
		const char *name = judge->services.list[service];
		struct place place = judge_node_place(judge, i);

		if (!node->leaves && node_has(node, name) && absence_is_set_up(judge, service, i) && stays != absence_was(judge, service, i))
			place_problem(&place, "%s on %s is to be %s where it is set up", name, node->id, stays ? "stopped" : "started");
	}
}

void
absence_check(const struct judge *judge)
{
	const char *text = judge->plan->job.without;
	jv without = jv_invalid();
	struct error ignored;

	if (text && json_parse("without", text, strlen(text), &without, &ignored) < 0)
		without = jv_invalid();
	for (size_t i = 0; judge->plan->job.has_scope && i < judge->services.count; i++)
		for (size_t node = 0; node < judge->plan->layout.node_count; node++)
			absence_check_named(judge, without, i, node);
	jv_free(without);
	for (size_t i = 0; judge->plan->job.has_scope && i < judge->services.count; i++)
		absence_check_set_up(judge, (int)i);
	for (size_t i = 0; judge->plan->job.has_scope && i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];
		struct place place = judge_place(judge, judge->tasks[chain->first]);

		if (!chain->assured && absence_stays(judge, chain->service, (size_t)chain->node, false) &&
		    (chain->kind == CHAIN_IN_PLACE ? absence_outcome(judge, chain->service, (size_t)chain->node) != 0
		                                   : chain->kind == CHAIN_SET_UP && chain_task(judge, chain, ACTION_START) != JUDGE_NONE))
			place_problem(&place, "%s on %s was stopped, and nobody asks for its start", judge->services.list[chain->service],
			    judge->nodes.list[chain->node]);
	}
}
