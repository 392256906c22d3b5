/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/heirs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/asked.h"
#include "check/plan/chain.h"
#include "check/plan/judge.h"
#include "check/plan/limit.h"
#include "check/plan/needs.h"
#include "check/plan/volume-order.h"

struct list { /* of steps */
	uint32_t *steps;
	size_t count, capacity;
};

struct heirs {
	struct judge *judge;
	struct asked asked;
	bool *installs, *runs; /* [a * services + b]: a needs b to be installed, or to run, directly or through others */
	bool *moves;           /* of each service: it is on a node of a pair */
	struct list *first, *last; /* of each node of a pair: what begins to take it down, or ends setting it up */
};

/* --- the pairs --- */

/* Tells whether the nodes are in one zone, and what the one had is what the other gets. */
static bool
heirs_is_alike(const struct judge *judge, const bool *handed, size_t old, size_t new)
{
	const char *a = judge->plan->layout.nodes[old].zone, *b = judge->plan->layout.nodes[new].zone;

	if (strcmp(a ? a : "", b ? b : "") != 0)
		return false;
	for (size_t service = 0; service < judge->services.count; service++)
		if (handed[service] && volume_order_had(judge, old, service) != volume_order_is_new(judge, new, service))
			return false;
	return true;
}

static bool
heirs_has_any(const struct judge *judge, const bool *handed, size_t node, bool (*has)(const struct judge *, size_t, size_t))
{
	for (size_t service = 0; service < judge->services.count; service++)
		if (handed[service] && has(judge, node, service))
			return true;
	return false;
}

/* Tells whether an instance of the service stands on a node to which nothing happens as a whole. */
static bool
heirs_stays(const struct judge *judge, size_t service)
{
	for (size_t i = 0; i < judge->nodes.count; i++) {
		const struct node *node = &judge->plan->layout.nodes[i];

		if (!judge->dead[i] && !node->leaves && name_set_has(&node->services, judge->services.list[service]) &&
		    name_set_has(&node->was, judge->services.list[service]))
			return true;
	}
	return false;
}

/* Tells whether new ones of some service would look for others, none of which they know. */
static bool
heirs_is_lost(const struct judge *judge, const bool *handed, const int *heirs)
{
	struct asked asked;
	bool lost = false;
	size_t pairs = 0;

	asked_find(&asked, judge);
	for (size_t i = 0; i < judge->nodes.count; i++)
		pairs += heirs[i] != JUDGE_NONE;
	for (size_t service = 0; pairs > 2 && service < judge->services.count; service++)
		lost = lost || (handed[service] && asked.own[service] && !heirs_stays(judge, service));
	asked_release(&asked);
	return lost;
}

/* Joins each old node with the first new one that is left and gets what it had. Returns false where one that answers is left over. */
static bool
heirs_join(const struct judge *judge, const bool *handed, int *heirs)
{
	size_t nodes = judge->nodes.count;
	bool *taken = memory_zeroed(nodes, sizeof *taken), whole = true;

	for (size_t old = 0; old < nodes; old++) {
		size_t new = 0;

		if (volume_order_task(judge, old, ACTION_DELETE) == JUDGE_NONE || !heirs_has_any(judge, handed, old, volume_order_had))
			continue;
		while (new < nodes && (taken[new] || volume_order_task(judge, new, ACTION_CREATE) == JUDGE_NONE ||
		    !heirs_has_any(judge, handed, new, volume_order_is_new) || !heirs_is_alike(judge, handed, old, new)))
			new++;
		if (new == nodes) {
			whole = whole && judge->dead[old];
			continue;
		}
		taken[new] = true;
		if (judge->dead[old])
			continue;
		heirs[old] = (int)new;
		heirs[new] = (int)old;
	}
	free(taken);
	return whole;
}

void
heirs_find(struct judge *judge)
{
	bool *handed;
	int *heirs;

	if (!judge->plan->job.max_unavailable || !volume_order_hands_over(judge))
		return;
	handed = memory_zeroed(judge->services.count, sizeof *handed);
	heirs = memory_resize(NULL, judge->nodes.count, sizeof *heirs);
	volume_order_mark_handed(judge, handed);
	for (size_t i = 0; i < judge->nodes.count; i++)
		heirs[i] = JUDGE_NONE;
	if (heirs_join(judge, handed, heirs) && !heirs_is_lost(judge, handed, heirs))
		judge->heirs = heirs;
	else
		free(heirs);
	free(handed);
}

/* --- their order --- */

static void
heirs_add_step(struct list *list, int step)
{
	if (step == JUDGE_NONE)
		return;
	ARRAY_ROOM(list->steps, list->count, list->capacity);
	list->steps[list->count++] = (uint32_t)step;
}

static void
heirs_require_all(struct judge *judge, const struct list *before, const struct list *after)
{
	for (size_t i = 0; i < before->count; i++)
		for (size_t j = 0; j < after->count; j++)
			judge_require(judge, before->steps[i], after->steps[j]);
}

static bool *
heirs_close(const struct judge *judge, bool at_install, bool at_run)
{
	struct needs needs = needs_find(judge, at_install, at_run, false);
	size_t services = judge->services.count;
	bool *all = memory_zeroed(services * services, sizeof *all), more = true;

	for (size_t a = 0; a < services; a++)
		for (size_t i = needs.first[a]; i < needs.first[a + 1]; i++)
			all[a * services + needs.list[i].to] = true;
	while (more) {
		more = false;
		for (size_t a = 0; a < services; a++)
			for (size_t b = 0; b < services; b++)
				for (size_t i = needs.first[b]; all[a * services + b] && i < needs.first[b + 1]; i++)
					if (!all[a * services + needs.list[i].to])
						all[a * services + needs.list[i].to] = more = true;
	}
	needs_release(&needs);
	return all;
}

static void
heirs_require_tasks(const struct heirs *heirs, const struct chain *a, enum action before, const struct chain *b, enum action after)
{
	int x = chain_task(heirs->judge, a, before), y = chain_task(heirs->judge, b, after);

	if (before == ACTION_CHECK && x == JUDGE_NONE)
		x = chain_task(heirs->judge, a, ACTION_START);
	if (x != JUDGE_NONE && y != JUDGE_NONE)
		judge_require(heirs->judge, (uint32_t)x, (uint32_t)y);
}

/* Requires the order of two services of one node. */
static void
heirs_require_near(const struct heirs *heirs, const struct chain *a, const struct chain *b)
{
	size_t place = (size_t)a->service * heirs->asked.services + (size_t)b->service;

	if (heirs->installs[place]) {
		heirs_require_tasks(heirs, b, ACTION_INSTALL, a, ACTION_INSTALL);
		heirs_require_tasks(heirs, a, ACTION_REMOVE, b, ACTION_REMOVE);
	}
	if (heirs->runs[place]) {
		heirs_require_tasks(heirs, b, ACTION_CHECK, a, ACTION_INITIALIZE);
		heirs_require_tasks(heirs, b, ACTION_CHECK, a, ACTION_START);
		heirs_require_tasks(heirs, a, ACTION_STOP, b, ACTION_STOP);
	}
}

/* Lists what is done to the services of nodes of pairs, and orders it on each. */
static void
heirs_find_ends(struct heirs *heirs)
{
	const struct judge *judge = heirs->judge;

	for (size_t i = 0; i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i], *other;

		if (!judge_hands_over(judge, (size_t)chain->node))
			continue;
		heirs->moves[chain->service] = true;
		heirs_add_step(&heirs->first[chain->node], (int)judge->tasks[chain->first]);
		heirs_add_step(&heirs->last[chain->node], (int)judge->tasks[chain->end - 1]);
		for (size_t service = 0; service < judge->services.count; service++)
			if ((int)service != chain->service && (other = chain_find(judge, (int)service, chain->node)))
				heirs_require_near(heirs, chain, other);
	}
	for (size_t node = 0; node < judge->nodes.count; node++)
		if (judge_hands_over(judge, node)) {
			heirs_add_step(&heirs->first[node], volume_order_task(judge, node, ACTION_DELETE));
			heirs_add_step(&heirs->last[node], volume_order_task(judge, node, ACTION_MOUNT));
		}
}

static bool
heirs_is_old(const struct judge *judge, size_t node)
{
	return judge_hands_over(judge, node) && volume_order_task(judge, node, ACTION_DELETE) != JUDGE_NONE;
}

/* Requires what is set up or changed elsewhere before all pairs, or behind them. */
static void
heirs_require_other(const struct heirs *heirs, const struct chain *chain)
{
	struct judge *judge = heirs->judge;
	size_t services = heirs->asked.services, own = (size_t)chain->service;
	struct list first = {&judge->tasks[chain->first], 1, 1}, last = {&judge->tasks[chain->end - 1], 1, 1};
	bool before = heirs->moves[own], behind = false;

	for (size_t i = 0; i < services; i++) {
		before = before || (heirs->moves[i] && heirs->asked.waits[i * services + own]);
		behind = behind || (heirs->moves[i] && heirs->asked.waits[own * services + i]);
	}
	for (size_t node = 0; (before || behind) && node < judge->nodes.count; node++) {
		if (!heirs_is_old(judge, node))
			continue;
		if (before)
			heirs_require_all(judge, &last, &heirs->first[node]);
		else
			heirs_require_all(judge, &heirs->last[judge->heirs[node]], &first);
	}
}

/* Adds to a row of turns, each two lists: from when a service is changed on a node to when that is done. */
static void
heirs_add_turn(struct list *turns, size_t count, const struct list *first, const struct list *last)
{
	turns[2 * count] = *first;
	turns[2 * count + 1] = *last;
}

/* Requires that no more pairs of a service are under way than are allowed, behind what is changed a few at a time without a pair. */
static void
heirs_require_batches(const struct heirs *heirs, int service, struct pair *rows, size_t row_count)
{
	struct judge *judge = heirs->judge;
	struct list *turns = memory_zeroed(2 * (row_count + judge->nodes.count), sizeof *turns);
	size_t allowed = limit_allowed(judge, service), count = row_count;

	for (size_t i = 0; i < row_count; i++) {
		struct list first = {&rows[i].before, 1, 1}, last = {&rows[i].after, 1, 1};

		heirs_add_turn(turns, i, &first, &last);
	}
	for (size_t node = 0; node < judge->nodes.count; node++)
		if (heirs_is_old(judge, node) && name_set_has(&judge->plan->layout.nodes[node].was, judge->services.list[service]))
			heirs_add_turn(turns, count++, &heirs->first[node], &heirs->last[judge->heirs[node]]);
	for (size_t i = row_count > allowed ? row_count : allowed; i < count; i++)
		for (size_t j = i / allowed * allowed - allowed; j < i / allowed * allowed; j++)
			heirs_require_all(judge, &turns[2 * j + 1], &turns[2 * i]);
	free(turns);
}

/* Lists what is changed of a service a few nodes at a time without a pair: in place, or by a node that is replaced. */
static size_t
heirs_find_rows(const struct heirs *heirs, int service, struct pair *rows)
{
	const struct judge *judge = heirs->judge;
	size_t count = 0;

	if (judge->by_pairs)
		return limit_find_replaced(judge, service, rows);
	for (size_t node = 0; node < judge->nodes.count; node++) {
		const struct chain *chain = chain_find(judge, service, (int)node);

		if (chain && chain->rolls)
			rows[count++] = (struct pair){judge->tasks[chain->first], judge->tasks[chain->end - 1]};
	}
	return count;
}

static void
heirs_require_pairs(const struct heirs *heirs)
{
	struct judge *judge = heirs->judge;
	struct pair *rows = memory_resize(NULL, judge->nodes.count, sizeof *rows);

	for (size_t node = 0; node < judge->nodes.count; node++) {
		struct list made = {0};

		if (!heirs_is_old(judge, node))
			continue;
		heirs_add_step(&made, volume_order_task(judge, (size_t)judge->heirs[node], ACTION_CONFIRM));
		heirs_require_all(judge, &made, &heirs->first[node]);
		free(made.steps);
	}
	for (size_t service = 0; service < judge->services.count; service++)
		heirs_require_batches(heirs, (int)service, rows, heirs_find_rows(heirs, (int)service, rows));
	free(rows);
}

void
heirs_check(struct judge *judge)
{
	struct heirs heirs = {.judge = judge};

	if (!judge->heirs)
		return;
	asked_find(&heirs.asked, judge);
	heirs.installs = heirs_close(judge, true, false);
	heirs.runs = heirs_close(judge, false, true);
	heirs.moves = memory_zeroed(judge->services.count, sizeof *heirs.moves);
	heirs.first = memory_zeroed(judge->nodes.count, sizeof *heirs.first);
	heirs.last = memory_zeroed(judge->nodes.count, sizeof *heirs.last);
	heirs_find_ends(&heirs);
	heirs_require_pairs(&heirs);
	for (size_t i = 0; !judge->by_pairs && i < judge->chain_count; i++)
		if (!judge_hands_over(judge, (size_t)judge->chains[i].node) && judge->chains[i].kind != CHAIN_TAKE_DOWN)
			heirs_require_other(&heirs, &judge->chains[i]);
	for (size_t i = 0; i < judge->nodes.count; i++) {
		free(heirs.first[i].steps);
		free(heirs.last[i].steps);
	}
	free(heirs.first);
	free(heirs.last);
	free(heirs.moves);
	free(heirs.installs);
	free(heirs.runs);
	asked_release(&heirs.asked);
}
