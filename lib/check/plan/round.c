/* SPDX-License-Identifier: Apache-2.0
 *
 * A round is configure, reload and, where it can be asked, check of one instance, which leave others out. What is configured in
 * place counts as a round that leaves nothing out.
 */
#include "check/plan/round.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/plan/absence.h"
#include "check/plan/asked.h"
#include "check/plan/chain.h"
#include "check/plan/limit.h"
#include "json/json.h"

struct round {
	int service, node;
	uint32_t first, last;
	jv without; /* owned; invalid: nothing is left out */
	bool reloads, checks;
};

struct instance {
	int service;
	size_t node;
	const struct chain *chain; /* what is done to it; or NULL */
};

struct rounds {
	struct judge *judge;
	struct asked asked;
	struct absence absence;
	struct round *list; /* by service, then node, then first */
	size_t count, capacity;
};

static int
round_compare(const void *a, const void *b)
{
	const struct round *x = a, *y = b;

	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static const struct service *
round_service(const struct rounds *rounds, int service)
{
	return &rounds->judge->plan->layout.cluster.definitions[service];
}

static struct round *
round_find_open(struct rounds *rounds, int service, int node)
{
	for (size_t i = rounds->count; i-- > 0;)
		if (rounds->list[i].service == service && rounds->list[i].node == node)
			return &rounds->list[i];
	return NULL;
}

static void
round_begin(struct rounds *rounds, size_t number, uint32_t last, const char *without)
{
	struct judge *judge = rounds->judge;
	struct round round = {judge->service_of[number], judge->node_of[number], (uint32_t)number, last, jv_invalid(), !without,
	    !without};
	struct error ignored;

	if (without && json_parse("without", without, strlen(without), &round.without, &ignored) < 0)
		round.without = jv_invalid();
	ARRAY_ROOM(rounds->list, rounds->count, rounds->capacity);
	rounds->list[rounds->count++] = round;
}

/* Adds a task that leaves instances out to its round, or begins one. */
static void
round_add_task(struct rounds *rounds, size_t number)
{
	struct judge *judge = rounds->judge;
	const struct step *step = &judge->plan->steps[number];
	struct round *open = round_find_open(rounds, judge->service_of[number], judge->node_of[number]);
	struct place place = judge_place(judge, number);

	if (step->action == ACTION_CONFIGURE) {
		round_begin(rounds, number, (uint32_t)number, step->without);
		return;
	}
	if (!open || (step->action != ACTION_RELOAD && step->action != ACTION_CHECK) ||
	    strcmp(judge->plan->steps[open->first].without, step->without) != 0) {
		place_problem(&place, "%s leaves instances out, and does not follow on a configure that leaves out the same", step->id);
		return;
	}
	judge_require(judge, open->last, (uint32_t)number);
	open->reloads = open->reloads || step->action == ACTION_RELOAD;
	open->checks = open->checks || step->action == ACTION_CHECK;
	open->last = (uint32_t)number;
}

/* Tells whether an instance that was stopped is started before a round. */
static bool
round_is_behind_start(const struct judge *judge, const struct round *round)
{
	static const enum action up[] = {ACTION_START, ACTION_RESTART};
	const struct chain *chain = chain_find(judge, round->service, round->node);

	for (size_t i = 0; chain && i < sizeof up / sizeof *up; i++) {
		int task = chain_task(judge, chain, up[i]);

		if (task != JUDGE_NONE && (uint32_t)task < round->first)
			return true;
	}
	return false;
}

/* Tells whether an instance runs when a round comes, and after the plan, and can be reloaded. */
static bool
round_must_reload(const struct rounds *rounds, const struct round *round)
{
	const struct judge *judge = rounds->judge;

	return round_service(rounds, round->service)->actions[ACTION_RELOAD].present &&
	    !absence_is(judge, round->service, (size_t)round->node) &&
	    (!absence_was(judge, round->service, (size_t)round->node) || round_is_behind_start(judge, round));
}

static bool
round_hides(const struct rounds *rounds, const struct round *round, int service, size_t node)
{
	jv nodes = json_get(round->without, rounds->judge->services.list[service]);
	bool hides = json_array_has(nodes, NULL, rounds->judge->nodes.list[node]);

	jv_free(nodes);
	return hides;
}

/* Reports instances that are left out when the plan is done, and that a round puts in. */
static void
round_check_hidden(const struct rounds *rounds, const struct round *round)
{
	struct judge *judge = rounds->judge;
	struct place place = judge_place(judge, round->first);

	for (size_t service = 0; service < judge->services.count; service++)
		for (size_t node = 0; rounds->asked.of[(size_t)round->service * rounds->asked.services + service] &&
		    node < judge->nodes.count; node++)
			if (rounds->absence.is_out[service * rounds->absence.nodes + node] && !round_hides(rounds, round, (int)service, node))
				place_problem(&place, "%s: it does not leave out %s on %s, which does not run",
				    judge->plan->steps[round->first].id, judge->services.list[service], judge->nodes.list[node]);
}

/* Finds the rounds, and requires those of one instance one behind the other. */
static void
round_find(struct rounds *rounds)
{
	struct judge *judge = rounds->judge;

	for (size_t i = 0; i < judge->plan->count; i++)
		if (judge->plan->steps[i].without && judge->service_of[i] != JUDGE_NONE)
			round_add_task(rounds, i);
	for (size_t i = 0; i < rounds->count; i++) {
		const struct round *round = &rounds->list[i];
		struct place place = judge_place(judge, round->first);

		bool must = round_must_reload(rounds, round);

		if (must && (!round->reloads || (!round->checks && round_service(rounds, round->service)->actions[ACTION_CHECK].present)))
			place_problem(&place, "%s: no reload, or no check, follows on it", judge->plan->steps[round->first].id);
		if ((round->reloads || round->checks) && absence_is(judge, round->service, (size_t)round->node))
			place_problem(&place, "%s: %s is reloaded, or checked, and shall not run", judge->plan->steps[round->first].id,
			    judge->services.list[round->service]);
		round_check_hidden(rounds, round);
	}
	for (size_t i = 0; i < judge->chain_count; i++)
		if (judge->chains[i].kind == CHAIN_IN_PLACE && chain_task(judge, &judge->chains[i], ACTION_CONFIGURE) != JUDGE_NONE)
			round_begin(rounds, judge->tasks[judge->chains[i].first], judge->tasks[judge->chains[i].end - 1], NULL);
	if (rounds->count)
		qsort(rounds->list, rounds->count, sizeof *rounds->list, round_compare);
	for (size_t i = 1; i < rounds->count; i++)
		if (rounds->list[i].service == rounds->list[i - 1].service && rounds->list[i].node == rounds->list[i - 1].node)
			judge_require(judge, rounds->list[i - 1].last, rounds->list[i].first);
}

/* Tells whether a service stands on a node before and after. */
static bool
round_stands(const struct rounds *rounds, int service, size_t number)
{
	const struct judge *judge = rounds->judge;
	const struct node *node = &judge->plan->layout.nodes[number];
	const char *name = judge->services.list[service];

	return !node->leaves && !judge->dead[number] && name_set_has(&node->services, name) &&
	    (cluster_action_find(judge->plan->job.scope_action)->standing || name_set_has(&node->was, name));
}

/* Returns the first round of an instance, from one on, that leaves another out, or that does not; NULL if there is none. */
static const struct round *
round_find_one(const struct rounds *rounds, const struct round *from, int looker, int node, const struct instance *of, bool hides)
{
	const struct round *round = from ? from : rounds->list;

	for (; round && round < rounds->list + rounds->count; round++)
		if (round->service == looker && round->node == node && round_hides(rounds, round, of->service, of->node) == hides)
			return round;
	return NULL;
}

static void
round_report(const struct rounds *rounds, const struct instance *of, int looker, int node, const char *what, const char *when)
{
	struct judge *judge = rounds->judge;
	struct place place = of->chain ? judge_place(judge, judge->tasks[of->chain->first]) : judge_node_place(judge, of->node);

	place_problem(&place, "%s: %s on %s is not %s %s on %s %s",
	    of->chain ? judge->plan->steps[judge->tasks[of->chain->first]].id : judge->nodes.list[of->node],
	    judge->services.list[of->service], judge->nodes.list[of->node], what, judge->services.list[looker],
	    judge->nodes.list[node], when);
}

/* Requires that one instance of what looks another up leaves it out before that stops. Returns the round; NULL if there is none. */
static const struct round *
round_require_out(const struct rounds *rounds, const struct instance *of, int looker, int node)
{
	const struct round *out = round_find_one(rounds, NULL, looker, node, of, true);

	if (!out)
		round_report(rounds, of, looker, node, "taken out of", "before");
	else if (of->chain)
		judge_require(rounds->judge, out->last, rounds->judge->tasks[of->chain->first]);
	return out;
}

/* Requires that one instance of what looks another up does not know it on that node while it is down. */
static void
round_require(const struct rounds *rounds, const struct instance *of, int looker, int node)
{
	const struct round *in, *out = round_require_out(rounds, of, looker, node);

	/* What cannot be started stays out. */
	if (!out || rounds->absence.is_out[(size_t)of->service * rounds->absence.nodes + of->node])
		return;
	in = round_find_one(rounds, out, looker, node, of, false);
	if (in)
		judge_require(rounds->judge, rounds->judge->tasks[of->chain->end - 1], in->first);
	else
		round_report(rounds, of, looker, node, "put into", "again");
}

/* Requires that one instance of what looks another up knows it again, once that is up. */
static void
round_require_in(const struct rounds *rounds, const struct instance *of, int looker, int node)
{
	const struct round *last = NULL, *end = rounds->list + rounds->count;

	for (const struct round *in = rounds->list; in && in < end; in++)
		if (in->service == looker && in->node == node && !round_hides(rounds, in, of->service, of->node))
			last = in;
	if (last)
		judge_require(rounds->judge, rounds->judge->tasks[of->chain->end - 1], last->first);
	else
		round_report(rounds, of, looker, node, "put into", "again");
}

/* Checks an instance that was left out and is started, or is left out when the plan is done and was not before. */
static void
round_check_stay(const struct rounds *rounds, size_t service, size_t node)
{
	const struct absence *absence = &rounds->absence;
	const struct asked *asked = &rounds->asked;
	struct judge *judge = rounds->judge;
	size_t at = service * absence->nodes + node;
	const struct instance of = {(int)service, node, chain_find(judge, (int)service, (int)node)};

	if (absence->was_out[at] == absence->is_out[at] || (!absence->is_out[at] && !of.chain))
		return;
	for (size_t looker = 0; looker < asked->services; looker++) {
		if (!asked->of[looker * asked->services + service] ||
		    !round_service(rounds, (int)looker)->actions[ACTION_CONFIGURE].present)
			continue;
		for (size_t i = 0; i < judge->nodes.count; i++) {
			if (!round_stands(rounds, (int)looker, i))
				continue;
			if (absence->is_out[at])
				round_require_out(rounds, &of, (int)looker, (int)i);
			else
				round_require_in(rounds, &of, (int)looker, (int)i);
		}
	}
}

/* Checks a chain that stops its service for a while. */
static void
round_check_chain(const struct rounds *rounds, const struct chain *chain)
{
	const struct instance of = {chain->service, (size_t)chain->node, chain};
	const struct asked *asked = &rounds->asked;
	size_t nodes = rounds->judge->nodes.count, standing = 0;

	if (!chain->rolls || chain_task(rounds->judge, chain, ACTION_STOP) == JUDGE_NONE)
		return;
	for (size_t i = 0; i < nodes; i++)
		standing += round_stands(rounds, chain->service, i);
	if (standing <= limit_allowed(rounds->judge, chain->service))
		return;
	for (size_t looker = 0; looker < asked->services; looker++) {
		const struct service *service = round_service(rounds, (int)looker);

		if (!asked->of[looker * asked->services + (size_t)chain->service] || !service->actions[ACTION_RELOAD].present ||
		    !service->actions[ACTION_CONFIGURE].present)
			continue;
		for (size_t i = 0; i < nodes; i++)
			if (round_stands(rounds, (int)looker, i))
				round_require(rounds, &of, (int)looker, (int)i);
	}
}

void
round_check(struct judge *judge)
{
	struct rounds rounds = {.judge = judge};

	asked_find(&rounds.asked, judge);
	rounds.absence = absence_find(judge);
	round_find(&rounds);
	/* Plans of earlier versions say nothing of the scope, and take nothing out; nor do plans in which volumes are handed over in turn. */
	for (size_t i = 0; judge->plan->job.has_scope && judge->plan->job.max_unavailable && !judge->heirs && i < judge->chain_count; i++)
		round_check_chain(&rounds, &judge->chains[i]);
	for (size_t service = 0; judge->plan->job.has_scope && service < judge->services.count; service++)
		for (size_t node = 0; node < judge->nodes.count; node++)
			round_check_stay(&rounds, service, node);
	for (size_t i = 0; i < rounds.count; i++)
		jv_free(rounds.list[i].without);
	free(rounds.list);
	asked_release(&rounds.asked);
	absence_release(&rounds.absence);
}
