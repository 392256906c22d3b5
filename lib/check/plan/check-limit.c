/* SPDX-License-Identifier: Apache-2.0
 *
 * On how many nodes a service can be down at a time. It is down on a node from the first of its tasks there to the
 * last. Of two nodes on which one is done before the other begins, only one is down; so where the nodes can be put
 * into so many rows of such, no more than that are down in whatever order the plan is carried out; and else, as Dilworth
 * proved, there is an order in which they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/judge.h"

enum { BLOCK = 64 };

struct limit {
	const struct judge *judge;
	const struct pair *chains; /* of one service: its first step on each node, and the last */
	size_t count;
	uint64_t *sequenced; /* of chain a, words in a row: whether it is done before chain b begins */
	size_t words;
	int *next, *previous; /* in its row, or JUDGE_NONE */
	bool *tried;
};

static uint32_t
check_first_task(const struct limit *limit, size_t chain)
{
	return limit->chains[chain].before;
}

static uint32_t
check_last_task(const struct limit *limit, size_t chain)
{
	return limit->chains[chain].after;
}

/* Rows as they show: the first task of the one waits for the last of the other itself. Returns how many. */
static size_t
check_make_plain_rows(struct limit *limit, int *chain_of)
{
	const struct judge *judge = limit->judge;
	size_t rows = limit->count;

	for (size_t i = 0; i < limit->count; i++)
		chain_of[check_last_task(limit, i)] = (int)i;
	for (size_t i = 0; i < limit->count; i++) {
		uint32_t first = check_first_task(limit, i);

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
		chain_of[check_last_task(limit, i)] = JUDGE_NONE;
	return rows;
}

static void
check_find_sequenced(struct limit *limit)
{
	uint64_t *behind = memory_resize(NULL, limit->judge->plan->count, sizeof *behind);
	uint32_t block[BLOCK];

	limit->words = (limit->count + BLOCK - 1) / BLOCK;
	limit->sequenced = memory_zeroed(limit->count * limit->words, sizeof *limit->sequenced);
	for (size_t i = 0; i < limit->count; i += BLOCK) {
		size_t size = limit->count - i < BLOCK ? limit->count - i : BLOCK;

		for (size_t j = 0; j < size; j++)
			block[j] = check_last_task(limit, i + j);
		judge_walk(limit->judge, block, size, behind);
		for (size_t b = 0; b < limit->count; b++)
			for (size_t j = 0; j < size; j++)
				if (behind[check_first_task(limit, b)] >> j & 1)
					limit->sequenced[(i + j) * limit->words + b / BLOCK] |= (uint64_t)1 << b % BLOCK;
	}
	free(behind);
}

/* Finds a chain to follow chain a, moving others if need be. The way is as long as there are chains at most. */
static bool
check_extend(struct limit *limit, size_t a)
{
	for (size_t b = 0; b < limit->count; b++) {
		if (limit->tried[b] || !(limit->sequenced[a * limit->words + b / BLOCK] >> b % BLOCK & 1))
			continue;
		limit->tried[b] = true;
		if (limit->previous[b] == JUDGE_NONE || check_extend(limit, (size_t)limit->previous[b])) {
			limit->previous[b] = (int)a;
			limit->next[a] = (int)b;
			return true;
		}
	}
	return false;
}

static size_t
check_make_fewest_rows(struct limit *limit)
{
	size_t rows = limit->count;

	check_find_sequenced(limit);
	limit->tried = memory_resize(NULL, limit->count, sizeof *limit->tried);
	for (size_t i = 0; i < limit->count; i++)
		limit->next[i] = limit->previous[i] = JUDGE_NONE;
	for (size_t i = 0; i < limit->count; i++) {
		memset(limit->tried, 0, limit->count * sizeof *limit->tried);
		rows -= check_extend(limit, i);
	}
	free(limit->tried);
	free(limit->sequenced);
	return rows;
}

static size_t
check_allowed(const struct judge *judge, int service)
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

static void
check_limit_check_service(const struct judge *judge, int service, const struct pair *chains, size_t count, int *chain_of)
{
	struct limit limit = {.judge = judge, .chains = chains, .count = count,
		.next = memory_resize(NULL, count, sizeof *limit.next), .previous = memory_resize(NULL, count,
		    sizeof *limit.previous)};
	size_t most = check_allowed(judge, service), rows;

	for (size_t i = 0; i < count; i++)
		limit.next[i] = limit.previous[i] = JUDGE_NONE;
	rows = count > most ? check_make_plain_rows(&limit, chain_of) : count;
	if (rows > most)
		rows = check_make_fewest_rows(&limit);
	if (rows > most)
		place_problem(&(struct place){.problems = judge->findings},
		    "%s can be %s on %zu nodes at a time, and %zu are allowed",
		    judge->services.list[service], judge->by_pairs ? "replaced" : "down", rows, most);
	free(limit.next);
	free(limit.previous);
}

/* The chains that roll, service by service. */
static void
check_rolling(const struct judge *judge, struct pair *chains, int *chain_of)
{
	size_t end;

	for (size_t i = 0; i < judge->chain_count; i = end) {
		size_t count = 0;

		for (end = i; end < judge->chain_count && judge->chains[end].service == judge->chains[i].service; end++)
			if (judge->chains[end].rolls)
				chains[count++] = (struct pair){
					judge->tasks[judge->chains[end].first], judge->tasks[judge->chains[end].end - 1]};
		check_limit_check_service(judge, judge->chains[i].service, chains, count, chain_of);
	}
}

struct pairs { /* the k-th node that is made takes the place of the k-th that is deleted */
	uint32_t *made, *deleted; /* the steps that do so */
	size_t count;
};

static struct pairs
check_find_pairs(const struct judge *judge)
{
	size_t nodes = judge->nodes.count, made, deleted;
	struct pairs pairs = {.made = memory_resize(NULL, nodes, sizeof *pairs.made),
		.deleted = memory_resize(NULL, nodes, sizeof *pairs.deleted)};

	made = judge_node_steps(judge, ACTION_CREATE, pairs.made);
	deleted = judge_node_steps(judge, ACTION_DELETE, pairs.deleted);
	pairs.count = made < deleted ? made : deleted;
	return pairs;
}

/* A service is being replaced from when the new node is made to when the old one is deleted. */
static void
check_check_replaced(const struct judge *judge, struct pair *chains, int *chain_of)
{
	struct pairs pairs = check_find_pairs(judge);

	for (size_t service = 0; service < judge->services.count; service++) {
		size_t count = 0;

		for (size_t i = 0; i < pairs.count; i++) {
			int node = judge->node_of[pairs.deleted[i]];

			if (!judge->dead[node] && name_set_has(&judge->plan->layout.nodes[node].was, judge->services.list[service]))
				chains[count++] = (struct pair){pairs.made[i], pairs.deleted[i]};
		}
		check_limit_check_service(judge, (int)service, chains, count, chain_of);
	}
	free(pairs.made);
	free(pairs.deleted);
}

void
judge_limit(struct judge *judge)
{
	size_t room = judge->chain_count + judge->nodes.count;
	struct pair *chains = memory_resize(NULL, room, sizeof *chains);
	int *chain_of = memory_resize(NULL, judge->plan->count, sizeof *chain_of);

	for (size_t i = 0; i < judge->plan->count; i++)
		chain_of[i] = JUDGE_NONE;
	if (judge->by_pairs)
		check_check_replaced(judge, chains, chain_of);
	else if (judge->plan->job.max_unavailable)
		check_rolling(judge, chains, chain_of);
	free(chains);
	free(chain_of);
}

/* All that is set up on one node before all that is taken down on the other. */
static void
check_ask_of_pair(struct judge *judge, int new, int old, uint32_t deleted)
{
	const struct node *made = &judge->plan->layout.nodes[new], *left = &judge->plan->layout.nodes[old];

	for (size_t i = 0; i < made->services.count; i++) {
		const struct chain *up = judge_chain(judge, names_find(&judge->services, made->services.list[i]), new);

		if (!up)
			continue;
		judge_ask(judge, judge->tasks[up->end - 1], deleted);
		for (size_t j = 0; j < left->was.count; j++) {
			const struct chain *down = judge_chain(judge, names_find(&judge->services, left->was.list[j]), old);

			if (down)
				judge_ask(judge, judge->tasks[up->end - 1], judge->tasks[down->first]);
		}
	}
}

void
judge_pairs(struct judge *judge)
{
	struct pairs pairs = {0};

	if (judge->by_pairs)
		pairs = check_find_pairs(judge);
	for (size_t i = 0; i < pairs.count; i++)
		if (!judge->dead[judge->node_of[pairs.deleted[i]]])
			check_ask_of_pair(judge, judge->node_of[pairs.made[i]], judge->node_of[pairs.deleted[i]], pairs.deleted[i]);
	free(pairs.made);
	free(pairs.deleted);
}
