/* SPDX-License-Identifier: Apache-2.0
 *
 * A service is down on a node from the first of its tasks there to the
 * last. It goes down in batches: on no node of one before it is up on all nodes of the one before, so that a roll stops where
 * a batch does not come up. Where the edges do not show that at once, it is also found out how many can be down. Of two nodes on which one is done before the other begins, only one is down; so where the nodes can be put
 * into so many rows of such, no more than that are down in whatever order the plan is carried out; and else, as Dilworth
 * proved, there is an order in which they are.
 */
#include "check/plan/limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plural.h"
#include "check/plan/chain.h"

struct limit {
	const struct judge *judge;
	const struct pair *chains; /* of one service: on each node from its first step, before, to its last, after */
	size_t count;
	uint64_t *sequenced; /* of chain a, words in a row: whether it is done before chain b begins */
	size_t words;
	int *next, *previous; /* in its row, or JUDGE_NONE */
	bool *tried;
};

/* Makes rows of chains whose first task waits for the last task of another itself; returns how many rows there are. */
static size_t
limit_make_plain_rows(struct limit *limit, int *chain_of)
{
	const struct judge *judge = limit->judge;
	size_t rows = limit->count;

	for (size_t i = 0; i < limit->count; i++)
		chain_of[limit->chains[i].after] = (int)i;
	for (size_t i = 0; i < limit->count; i++) {
		uint32_t first = limit->chains[i].before;

		for (size_t j = judge->first[first]; j < judge->first[first + 1] && limit->previous[i] == JUDGE_NONE; j++) {
			int other = chain_of[judge->before[j]];

			if (other == JUDGE_NONE || limit->next[other] != JUDGE_NONE)
				continue;
			limit->next[other] = (int)i;
			limit->previous[i] = other;
			rows--;
		}
	}
	for (size_t i = 0; i < limit->count; i++)
		chain_of[limit->chains[i].after] = JUDGE_NONE;
	return rows;
}

static void
limit_find_sequenced(struct limit *limit)
{
	uint64_t *behind = memory_resize(NULL, limit->judge->plan->count, sizeof *behind);
	uint32_t block[JUDGE_BLOCK];

	limit->words = (limit->count + JUDGE_BLOCK - 1) / JUDGE_BLOCK;
	limit->sequenced = memory_zeroed(limit->count * limit->words, sizeof *limit->sequenced);
	for (size_t i = 0; i < limit->count; i += JUDGE_BLOCK) {
		size_t size = limit->count - i < JUDGE_BLOCK ? limit->count - i : JUDGE_BLOCK;

		for (size_t j = 0; j < size; j++)
			block[j] = limit->chains[i + j].after;
		judge_walk(limit->judge, block, size, behind);
		for (size_t b = 0; b < limit->count; b++)
			for (size_t j = 0; j < size; j++)
				if (behind[limit->chains[b].before] >> j & 1)
					limit->sequenced[(i + j) * limit->words + b / JUDGE_BLOCK] |= (uint64_t)1 << b % JUDGE_BLOCK;
	}
	free(behind);
}

/* Finds a chain to follow chain a, moving others if need be. The way is as long as there are chains at most. */
static bool
limit_extend(struct limit *limit, size_t a)
{
	for (size_t b = 0; b < limit->count; b++) {
		if (limit->tried[b] || !(limit->sequenced[a * limit->words + b / JUDGE_BLOCK] >> b % JUDGE_BLOCK & 1))
			continue;
		limit->tried[b] = true;
		if (limit->previous[b] == JUDGE_NONE || limit_extend(limit, (size_t)limit->previous[b])) {
			limit->previous[b] = (int)a;
			limit->next[a] = (int)b;
			return true;
		}
	}
	return false;
}

static size_t
limit_make_fewest_rows(struct limit *limit)
{
	size_t rows = limit->count;

	limit_find_sequenced(limit);
	limit->tried = memory_resize(NULL, limit->count, sizeof *limit->tried);
	for (size_t i = 0; i < limit->count; i++)
		limit->next[i] = limit->previous[i] = JUDGE_NONE;
	for (size_t i = 0; i < limit->count; i++) {
		memset(limit->tried, 0, limit->count * sizeof *limit->tried);
		rows -= limit_extend(limit, i);
	}
	free(limit->tried);
	free(limit->sequenced);
	return rows;
}

size_t
limit_allowed(const struct judge *judge, int service)
{
	const struct layout *layout = &judge->plan->layout;
	char *end;
	size_t number = strtoul(judge->plan->job.max_unavailable, &end, 10), carriers = 0;

	for (size_t i = 0; *end == '%' && i < layout->node_count; i++)
		carriers += node_has(&layout->nodes[i], judge->services.list[service]);
	if (*end == '%')
		number = carriers * number / 100;
	return number ? number : 1;
}

/* Returns how many of the steps that a step waits for itself are marked. */
static size_t
limit_count_marked(const struct judge *judge, uint32_t step, const int *marks)
{
	size_t count = 0;

	for (size_t i = judge->first[step]; i < judge->first[step + 1]; i++)
		count += marks[judge->before[i]] != JUDGE_NONE;
	return count;
}

/* Tells whether a step waits for all that are marked, so many: itself, or for a milestone that does. known is one such
 * milestone, or JUDGE_NONE. */
static bool
limit_waits_for_marked(const struct judge *judge, uint32_t step, const int *marks, size_t count, int *known)
{
	if (limit_count_marked(judge, step, marks) == count)
		return true;
	for (size_t i = judge->first[step]; i < judge->first[step + 1]; i++) {
		uint32_t before = judge->before[i];

		if ((int)before != *known && (!judge->plan->steps[before].is_milestone ||
		    limit_count_marked(judge, before, marks) != count))
			continue;
		*known = (int)before;
		return true;
	}
	return false;
}

/* Requires that a batch of so many nodes begins when all nodes of the batch before are done, the nodes in their order. Returns
 * whether the edges at hand show it. */
static bool
limit_require_batches(struct judge *judge, const struct pair *chains, size_t count, size_t size, int *marks)
{
	bool shown = true;

	for (size_t first = size; first < count; first += size) {
		const struct pair *before = &chains[first - size];
		int known = JUDGE_NONE;

		for (size_t j = 0; j < size; j++)
			marks[before[j].after] = (int)j;
		for (size_t i = first; i < count && i < first + size; i++) {
			if (limit_waits_for_marked(judge, chains[i].before, marks, size, &known))
				continue;
			shown = false;
			for (size_t j = 0; j < size; j++)
				judge_require(judge, before[j].after, chains[i].before);
		}
		for (size_t j = 0; j < size; j++)
			marks[before[j].after] = JUDGE_NONE;
	}
	return shown;
}

/* Reports the service if more of the chains than the limit allows can be under way at a time. */
static void
limit_check_service(struct judge *judge, int service, const struct pair *chains, size_t count, int *chain_of)
{
	struct limit limit = {.judge = judge, .chains = chains, .count = count,
		.next = memory_resize(NULL, count, sizeof *limit.next), .previous = memory_resize(NULL, count,
		    sizeof *limit.previous)};
	size_t most = limit_allowed(judge, service), rows;

	for (size_t i = 0; i < count; i++)
		limit.next[i] = limit.previous[i] = JUDGE_NONE;
	if (limit_require_batches(judge, chains, count, most, chain_of))
		rows = count < most ? count : most;
	else
		rows = limit_make_plain_rows(&limit, chain_of);
	if (rows > most)
		rows = limit_make_fewest_rows(&limit);
	if (rows > most)
		place_problem(&(struct place){.problems = judge->findings},
		    "%s can be %s on %zu %s at a time, and %zu %s allowed",
		    judge->services.list[service], judge->by_pairs ? "replaced" : "down", rows, plural(rows, "node", "nodes"), most,
		    plural(most, "is", "are"));
	free(limit.next);
	free(limit.previous);
}

/* Checks the chains that roll, service by service. */
static void
limit_check_rolling(struct judge *judge, struct pair *chains, int *chain_of)
{
	size_t end;

	for (size_t i = 0; i < judge->chain_count; i = end) {
		size_t count = 0;

		for (end = i; end < judge->chain_count && judge->chains[end].service == judge->chains[i].service; end++)
			if (judge->chains[end].rolls)
				chains[count++] = (struct pair){
					judge->tasks[judge->chains[end].first], judge->tasks[judge->chains[end].end - 1]};
		limit_check_service(judge, judge->chains[i].service, chains, count, chain_of);
	}
}

struct pairs { /* the k-th node that is made takes the place of the k-th that is deleted */
	uint32_t *made, *deleted; /* the steps that do so */
	size_t count;
};

/* Lists the steps that make a node, or delete it, by node; returns how many there are. */
static size_t
limit_node_steps(const struct judge *judge, enum action action, uint32_t *steps)
{
	uint32_t *step_of = memory_resize(NULL, judge->nodes.count, sizeof *step_of);
	size_t count = 0;

	for (size_t i = 0; i < judge->nodes.count; i++)
		step_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < judge->plan->count; i++)
		if (judge->node_of[i] != JUDGE_NONE && judge->plan->steps[i].action == action &&
		    !judge_hands_over(judge, (size_t)judge->node_of[i]))
			step_of[judge->node_of[i]] = i;
	for (size_t i = 0; i < judge->nodes.count; i++)
		if (step_of[i] != UINT32_MAX)
			steps[count++] = step_of[i];
	free(step_of);
	return count;
}

static struct pairs
limit_find_pairs(const struct judge *judge)
{
	size_t nodes = judge->nodes.count, made, deleted;
	struct pairs pairs = {.made = memory_resize(NULL, nodes, sizeof *pairs.made),
		.deleted = memory_resize(NULL, nodes, sizeof *pairs.deleted)};

	made = limit_node_steps(judge, ACTION_CREATE, pairs.made);
	deleted = limit_node_steps(judge, ACTION_DELETE, pairs.deleted);
	pairs.count = made < deleted ? made : deleted;
	return pairs;
}

/* Fills in what is replaced of a service: it is so from when the new node is made to when the old one is deleted. */
static size_t
limit_fill_replaced(const struct judge *judge, const struct pairs *pairs, int service, struct pair *chains)
{
	size_t count = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		int node = judge->node_of[pairs->deleted[i]];

		if (!judge->dead[node] && name_set_has(&judge->plan->layout.nodes[node].was, judge->services.list[service]))
			chains[count++] = (struct pair){pairs->made[i], pairs->deleted[i]};
	}
	return count;
}

size_t
limit_find_replaced(const struct judge *judge, int service, struct pair *chains)
{
	struct pairs pairs = limit_find_pairs(judge);
	size_t count = limit_fill_replaced(judge, &pairs, service, chains);

	free(pairs.made);
	free(pairs.deleted);
	return count;
}

static void
limit_check_replaced(struct judge *judge, const struct pairs *pairs, struct pair *chains, int *chain_of)
{
	for (size_t service = 0; service < judge->services.count; service++)
		limit_check_service(judge, (int)service, chains, limit_fill_replaced(judge, pairs, (int)service, chains), chain_of);
}

/* Requires all that is set up on one node before all that is taken down on the other. */
static void
limit_require_pair(struct judge *judge, int new, int old, uint32_t deleted)
{
	const struct node *made = &judge->plan->layout.nodes[new], *left = &judge->plan->layout.nodes[old];

	for (size_t i = 0; i < made->services.count; i++) {
		const struct chain *up = chain_find(judge, names_find(&judge->services, made->services.list[i]), new);

		if (!up)
			continue;
		judge_require(judge, judge->tasks[up->end - 1], deleted);
		for (size_t j = 0; j < left->was.count; j++) {
			const struct chain *down = chain_find(judge, names_find(&judge->services, left->was.list[j]), old);

			if (down)
				judge_require(judge, judge->tasks[up->end - 1], judge->tasks[down->first]);
		}
	}
}

void
limit_check(struct judge *judge)
{
	size_t room = judge->chain_count + judge->nodes.count;
	struct pair *chains = memory_resize(NULL, room, sizeof *chains);
	int *chain_of = memory_resize(NULL, judge->plan->count, sizeof *chain_of);
	struct pairs pairs = {0};

	for (size_t i = 0; i < judge->plan->count; i++)
		chain_of[i] = JUDGE_NONE;
	if (judge->by_pairs) {
		pairs = limit_find_pairs(judge);
		limit_check_replaced(judge, &pairs, chains, chain_of);
	} else if (judge->plan->job.max_unavailable)
		limit_check_rolling(judge, chains, chain_of);
	for (size_t i = 0; i < pairs.count; i++)
		if (!judge->dead[judge->node_of[pairs.deleted[i]]])
			limit_require_pair(judge, judge->node_of[pairs.made[i]], judge->node_of[pairs.deleted[i]], pairs.deleted[i]);
	free(chains);
	free(chain_of);
	free(pairs.made);
	free(pairs.deleted);
}
