/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether each task waits for all it has to: for 64 tasks at a time, a walk over the plan finds all steps that
 * wait for them, through whatever lies between. Then the rules are asked about each of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/macro.h"
#include "plan/judge.h"

enum { BLOCK = 64 };

struct task_lists { /* of key k: list[first[k]] .. list[first[k + 1] - 1], steps in order */
	size_t *first;
	uint32_t *list;
};

struct order {
	const struct judge *judge;
	size_t services, nodes;
	bool *installs_after, *runs_after; /* services x services: the first needs the other, however far */
	struct task_lists of_class;        /* key: service_of * ACTION_COUNT + action; those of nodes behind all services */
	struct task_lists of_node;
	struct string_list addressed;      /* services whose addresses the configuration asks for */
	uint64_t *behind;                  /* of each step: which of the block it waits for */
	const uint32_t *block;             /* steps */
	size_t count;
};

static bool
is_in_use(const struct layout *layout, const char *service)
{
	for (size_t i = 0; i < layout->cluster.services.count; i++)
		if (strcmp(layout->cluster.services.list[i], service) == 0)
			return true;
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		for (size_t j = 0; j < node->services.count + node->was.count; j++)
			if (strcmp(j < node->services.count ? node->services.list[j]
			    : node->was.list[j - node->services.count], service) == 0)
				return true;
	}
	return false;
}

static bool
is_met_by(const char *need, const struct service *service)
{
	if (strcmp(need, service->name) == 0)
		return true;
	for (size_t i = 0; i < service->provides.count; i++)
		if (strcmp(need, service->provides.list[i]) == 0)
			return true;
	return false;
}

static bool
needs(const struct service *a, const struct service *b, bool at_install)
{
	const struct string_list *lists[] = {at_install ? &a->install_requires : &a->runtime_requires,
		at_install ? &a->install_uses : &a->runtime_uses};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < lists[i]->count; j++)
			if (is_met_by(lists[i]->list[j], b))
				return true;
	return false;
}

/* All that each service needs, and what these need, and so on; a service need not wait for itself. */
static bool *
find_needs(const struct judge *judge, bool at_install)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;
	size_t count = cluster->definition_count;
	bool *after = memory_zeroed(count * count, sizeof *after);
	bool *in_use = memory_zeroed(count, sizeof *in_use);

	for (size_t i = 0; i < count; i++)
		in_use[i] = is_in_use(&judge->plan->layout, cluster->definitions[i].name);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			after[i * count + j] = i != j && in_use[i] && in_use[j] &&
			    needs(&cluster->definitions[i], &cluster->definitions[j], at_install);
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; after[i * count + k] && j < count; j++)
				after[i * count + j] |= after[k * count + j] && i != j;
	free(in_use);
	return after;
}

/* Sorts the tasks by a key below key_count. */
static struct task_lists
sort_tasks(const struct judge *judge, const size_t *keys, size_t key_count)
{
	size_t count = judge->plan->count;
	struct task_lists lists = {memory_zeroed(key_count + 1, sizeof *lists.first),
		memory_resize(NULL, count, sizeof *lists.list)};
	size_t *next = memory_zeroed(key_count, sizeof *next);

	for (size_t i = 0; i < count; i++)
		if (!judge->plan->steps[i].is_milestone)
			lists.first[keys[i] + 1]++;
	for (size_t k = 0; k < key_count; k++) {
		lists.first[k + 1] += lists.first[k];
		next[k] = lists.first[k];
	}
	for (size_t i = 0; i < count; i++)
		if (!judge->plan->steps[i].is_milestone)
			lists.list[next[keys[i]]++] = (uint32_t)i;
	free(next);
	return lists;
}

static void
task_lists_release(struct task_lists *lists)
{
	free(lists->first);
	free(lists->list);
}

static void
sort_all(struct order *order)
{
	const struct judge *judge = order->judge;
	size_t count = judge->plan->count;
	size_t *keys = memory_zeroed(count, sizeof *keys);

	for (size_t i = 0; i < count; i++) {
		size_t service = judge->service_of[i] == JUDGE_NONE ? order->services : (size_t)judge->service_of[i];

		if (!judge->plan->steps[i].is_milestone)
			keys[i] = service * ACTION_COUNT + (size_t)judge->plan->steps[i].action;
	}
	order->of_class = sort_tasks(judge, keys, (order->services + 1) * ACTION_COUNT);
	for (size_t i = 0; i < count; i++)
		keys[i] = judge->node_of[i] == JUDGE_NONE ? order->nodes : (size_t)judge->node_of[i];
	order->of_node = sort_tasks(judge, keys, order->nodes + 1);
	free(keys);
}

static void
walk(struct order *order)
{
	const struct judge *judge = order->judge;
	uint64_t *own = memory_zeroed(judge->plan->count, sizeof *own);

	for (size_t i = 0; i < order->count; i++)
		own[order->block[i]] = (uint64_t)1 << i;
	for (size_t i = 0; i < judge->plan->count; i++) {
		uint64_t behind = 0;

		for (size_t j = judge->first[i]; j < judge->first[i + 1]; j++)
			behind |= own[judge->before[j]];
		order->behind[i] = behind;
		own[i] |= behind;
	}
	free(own);
}

static const char *
service_text(const struct step *step)
{
	return step->service ? step->service : "";
}

static void
find_fault(const struct order *order, uint32_t before, uint32_t after)
{
	const struct step *a = &order->judge->plan->steps[before], *b = &order->judge->plan->steps[after];
	struct place place = judge_place(order->judge, after);

	place_problem(&place, "%s (%s%s%s on %s) does not wait for %s (%s%s%s on %s)", b->id, action_name(b->action),
	    b->service ? " " : "", service_text(b), b->node, a->id, action_name(a->action), a->service ? " " : "",
	    service_text(a), a->node);
}

/* Where an action has its place in the life of a service on a node: what is there goes before the new comes. */
static int
stage_of(enum action action)
{
	static const int stages[ACTION_COUNT] = {[ACTION_CREATE] = 0, [ACTION_CONFIRM] = 1, [ACTION_BOOTSTRAP] = 2,
		[ACTION_STOP] = 3, [ACTION_REMOVE] = 4, [ACTION_INSTALL] = 5, [ACTION_CONFIGURE] = 6,
		[ACTION_INITIALIZE] = 7, [ACTION_START] = 8, [ACTION_DELETE] = 9};

	return stages[action];
}

/* Whether on one node a has to be done before b. */
static bool
goes_before(const struct step *a, const struct step *b)
{
	if (stage_of(a->action) >= stage_of(b->action))
		return false;
	if (a->service && b->service)
		return strcmp(a->service, b->service) == 0;
	if (a->action == ACTION_BOOTSTRAP && b->service)
		return strcmp(a->type, b->type) == 0;
	return true;
}

static void
check_node(const struct order *order, size_t index)
{
	const struct judge *judge = order->judge;
	uint32_t step = order->block[index];
	size_t node = judge->node_of[step] == JUDGE_NONE ? order->nodes : (size_t)judge->node_of[step];

	for (size_t i = order->of_node.first[node]; node < order->nodes && i < order->of_node.first[node + 1]; i++) {
		uint32_t other = order->of_node.list[i];

		if (goes_before(&judge->plan->steps[step], &judge->plan->steps[other]) &&
		    !(order->behind[other] >> index & 1))
			find_fault(order, step, other);
	}
}

/* Whether a start is there only so that another service finds what it needs: it follows no stop of its own. */
static bool
is_assurance(const struct order *order, uint32_t step)
{
	const struct judge *judge = order->judge;
	size_t node = (size_t)judge->node_of[step];
	bool restarts = strstr(judge->plan->job.action, "restart") != NULL;

	for (size_t i = order->of_node.first[node]; restarts && i < order->of_node.first[node + 1]; i++) {
		uint32_t other = order->of_node.list[i];

		if (other != step && judge->service_of[other] == judge->service_of[step])
			return false;
	}
	return restarts;
}

static bool
is_assured(const struct order *order, size_t service)
{
	size_t key = service * ACTION_COUNT + ACTION_START;

	return order->of_class.first[key] < order->of_class.first[key + 1] &&
	    is_assurance(order, order->of_class.list[order->of_class.first[key]]);
}

/* Whether a need not wait for b's start: b runs already, and so does one between them that a does wait for. */
static bool
is_covered(const struct order *order, size_t a, size_t b)
{
	for (size_t m = 0; is_assured(order, b) && m < order->services; m++)
		if (order->runs_after[a * order->services + m] && order->runs_after[m * order->services + b] &&
		    is_assured(order, m))
			return true;
	return false;
}

/* Each task of a class has to wait for all of the block that are in the mask. One fault is enough. */
static void
check_class(const struct order *order, size_t service, enum action action, uint64_t mask)
{
	size_t key = service * ACTION_COUNT + (size_t)action;

	for (size_t i = order->of_class.first[key]; i < order->of_class.first[key + 1]; i++) {
		uint32_t step = order->of_class.list[i];
		uint64_t missing = mask & ~order->behind[step];
		size_t index = 0;

		if (!missing || is_assurance(order, step))
			continue;
		while (!(missing >> index & 1))
			index++;
		find_fault(order, order->block[index], step);
		return;
	}
}

/* Those of the block which are this action on this service. */
static uint64_t
mask_of(const struct order *order, size_t service, enum action action)
{
	const struct judge *judge = order->judge;
	uint64_t mask = 0;

	for (size_t i = 0; i < order->count; i++)
		if ((size_t)judge->service_of[order->block[i]] == service &&
		    judge->plan->steps[order->block[i]].action == action)
			mask |= (uint64_t)1 << i;
	return mask;
}

/* The rules between services, for those who wait for one action on the service b. */
static void
check_dependants(const struct order *order, size_t b, enum action action)
{
	uint64_t mask = mask_of(order, b, action);

	for (size_t a = 0; mask && a < order->services; a++) {
		size_t forth = a * order->services + b, back = b * order->services + a;

		if (action == ACTION_INSTALL && order->installs_after[forth])
			check_class(order, a, ACTION_INSTALL, mask);
		if (action == ACTION_START && order->runs_after[forth] && !is_covered(order, a, b)) {
			check_class(order, a, ACTION_INITIALIZE, mask);
			check_class(order, a, ACTION_START, mask);
		}
		if (action == ACTION_STOP && order->runs_after[back])
			check_class(order, a, ACTION_STOP, mask);
		if (action == ACTION_REMOVE && order->installs_after[back])
			check_class(order, a, ACTION_REMOVE, mask);
	}
}

/* Whoever reads the configuration waits until the addresses in it are known. */
static void
check_addresses(const struct order *order)
{
	const struct judge *judge = order->judge;
	uint64_t mask = 0;

	for (size_t i = 0; i < order->count; i++) {
		const struct step *step = &judge->plan->steps[order->block[i]];
		bool asked = false;

		for (size_t j = 0; step->action == ACTION_CONFIRM && j < order->addressed.count; j++)
			asked |= node_has(&judge->plan->layout.nodes[judge->node_of[order->block[i]]],
			    order->addressed.list[j]);
		mask |= (uint64_t)asked << i;
	}
	for (size_t service = 0; mask && service < order->services; service++) {
		check_class(order, service, ACTION_CONFIGURE, mask);
		check_class(order, service, ACTION_INITIALIZE, mask);
		check_class(order, service, ACTION_START, mask);
	}
}

static void
check_block(struct order *order)
{
	const struct judge *judge = order->judge;
	int last_service = JUDGE_NONE;
	enum action last_action = ACTION_NONE;

	walk(order);
	for (size_t i = 0; i < order->count; i++) {
		int service = judge->service_of[order->block[i]];
		enum action action = judge->plan->steps[order->block[i]].action;

		check_node(order, i);
		if (service != JUDGE_NONE && (service != last_service || action != last_action))
			check_dependants(order, (size_t)service, action);
		last_service = service;
		last_action = action;
	}
	check_addresses(order);
}

void
judge_order(const struct judge *judge)
{
	struct arena arena = {0};
	struct order order = {
		.judge = judge,
		.services = judge->services.count,
		.nodes = judge->nodes.count,
		.installs_after = find_needs(judge, true),
		.runs_after = find_needs(judge, false),
		.addressed = macro_addresses_of(judge->plan->layout.cluster.config, &arena),
		.behind = memory_zeroed(judge->plan->count, sizeof *order.behind),
	};
	size_t tasks;

	sort_all(&order);
	tasks = order.of_node.first[order.nodes + 1];
	for (size_t i = 0; i < tasks; i += BLOCK) {
		order.block = order.of_class.list + i;
		order.count = tasks - i < BLOCK ? tasks - i : BLOCK;
		check_block(&order);
	}
	task_lists_release(&order.of_class);
	task_lists_release(&order.of_node);
	free(order.installs_after);
	free(order.runs_after);
	free(order.behind);
	arena_release(&arena);
}
