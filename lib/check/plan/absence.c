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

bool
absence_stays(const struct judge *judge, int service, size_t node, bool is_along)
{
	const struct cluster_action *action = cluster_action_find(judge->plan->job.scope_action);
	bool changes = action->changes || action->standing & (ACTION_BIT(ACTION_CONFIGURE) | ACTION_BIT(ACTION_INSTALL));

	return absence_was(judge, service, node) && (changes || (is_along && cluster_action_restarts(action)));
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
	for (size_t i = 0; judge->plan->job.has_scope && i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];
		struct place place = judge_place(judge, judge->tasks[chain->first]);

		if (chain->kind == CHAIN_IN_PLACE && !chain->assured && absence_stays(judge, chain->service, (size_t)chain->node, false) &&
		    absence_outcome(judge, chain->service, (size_t)chain->node))
			place_problem(&place, "%s on %s was stopped, and nobody asks for its start", judge->services.list[chain->service],
			    judge->nodes.list[chain->node]);
	}
}
