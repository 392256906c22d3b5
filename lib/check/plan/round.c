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

struct rounds {
	struct judge *judge;
	struct asked asked;
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

		if (!round->reloads || (!round->checks && round_service(rounds, round->service)->actions[ACTION_CHECK].present))
			place_problem(&place, "%s: no reload, or no check, follows on it", judge->plan->steps[round->first].id);
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

static bool
round_hides(const struct rounds *rounds, const struct round *round, const struct chain *chain)
{
	jv nodes = json_get(round->without, rounds->judge->services.list[chain->service]);
	bool hides = json_array_has(nodes, NULL, rounds->judge->nodes.list[chain->node]);

	jv_free(nodes);
	return hides;
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

/* Requires that one instance of what looks a service up does not know it on that node while it is down. */
static void
round_require(const struct rounds *rounds, const struct chain *chain, int looker, int node)
{
	struct judge *judge = rounds->judge;
	uint32_t first = judge->tasks[chain->first], last = judge->tasks[chain->end - 1];
	struct place place = judge_place(judge, first);
	size_t i = 0;

	while (i < rounds->count && (rounds->list[i].service != looker || rounds->list[i].node != node ||
	    !round_hides(rounds, &rounds->list[i], chain)))
		i++;
	if (i == rounds->count) {
		place_problem(&place, "%s: %s on %s is not taken out of %s on %s before", judge->plan->steps[first].id,
		    judge->services.list[chain->service], judge->nodes.list[chain->node], judge->services.list[looker],
		    judge->nodes.list[node]);
		return;
	}
	judge_require(judge, rounds->list[i].last, first);
	for (; i < rounds->count && rounds->list[i].service == looker && rounds->list[i].node == node; i++) {
		if (round_hides(rounds, &rounds->list[i], chain))
			continue;
		judge_require(judge, last, rounds->list[i].first);
		return;
	}
	place_problem(&place, "%s: %s on %s is not put into %s on %s again", judge->plan->steps[first].id,
	    judge->services.list[chain->service], judge->nodes.list[chain->node], judge->services.list[looker],
	    judge->nodes.list[node]);
}

/* Checks a chain that stops its service for a while. */
static void
round_check_chain(const struct rounds *rounds, const struct chain *chain)
{
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
				round_require(rounds, chain, (int)looker, (int)i);
	}
}

void
round_check(struct judge *judge)
{
	struct rounds rounds = {.judge = judge};

	asked_find(&rounds.asked, judge);
	round_find(&rounds);
	/* Plans of earlier versions say nothing of the scope, and take nothing out. */
	for (size_t i = 0; judge->plan->job.has_scope && judge->plan->job.max_unavailable && i < judge->chain_count; i++)
		round_check_chain(&rounds, &judge->chains[i]);
	for (size_t i = 0; i < rounds.count; i++)
		jv_free(rounds.list[i].without);
	free(rounds.list);
	asked_release(&rounds.asked);
}
