/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/duty.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/chain.h"

size_t
duties_group_size(const struct duties *duties, uint32_t group)
{
	return duties->first[group + 1] - duties->first[group];
}

static void
duty_join(struct duties *duties, int service, enum from from, uint32_t step)
{
	ARRAY_ROOM(duties->joined, duties->joined_count, duties->joined_capacity);
	duties->joined[duties->joined_count++] = (struct member){(uint32_t)service * FROM_COUNT + from, step};
}

/* Returns the rule that the tasks of an action wait by, or FROM_COUNT. */
static enum from
duty_from_of(enum action action)
{
	switch (action) {
	case ACTION_INSTALL:
		return FROM_INSTALL;
	case ACTION_START:
	case ACTION_RELOAD:
	case ACTION_RESTART:
		return FROM_START;
	case ACTION_STOP:
		return FROM_STOP;
	case ACTION_REMOVE:
		return FROM_REMOVE;
	default:
		return FROM_COUNT;
	}
}

/* Returns the group that the tasks of an action are of; FROM_COUNT if others do not wait for them. A service that can be
 * asked whether it is healthy is not ready before it says so. */
static enum from
duty_group_of(const struct judge *judge, const struct chain *chain, enum action action)
{
	if (action == ACTION_CHECK)
		return FROM_START;
	if (duty_from_of(action) == FROM_START && chain_task(judge, chain, ACTION_CHECK) != JUDGE_NONE)
		return FROM_COUNT;
	return duty_from_of(action);
}

/* Adds the tasks of a chain to their groups. A service that stops for a while in a rolling plan keeps nobody waiting. */
static void
duty_join_chain(struct duties *duties, const struct chain *chain)
{
	const struct judge *judge = duties->judge;
	uint32_t last = judge->tasks[chain->end - 1];

	if (judge_hands_over(judge, (size_t)chain->node))
		return;
	for (size_t i = chain->first; i < chain->end; i++) {
		enum from from = duty_group_of(judge, chain, judge->plan->steps[judge->tasks[i]].action);

		if (from != FROM_COUNT && !(from == FROM_STOP && chain->rolls))
			duty_join(duties, chain->service, from, judge->tasks[i]);
	}
	if (chain->rolls)
		duty_join(duties, chain->service, FROM_DONE, last);
	if (chain->kind == CHAIN_SET_UP)
		duty_join(duties, chain->service, FROM_UP, last);
}

/* Adds the confirmations for which tasks that read the configuration have to wait. */
static void
duty_join_addresses(struct duties *duties)
{
	const struct judge *judge = duties->judge;

	for (uint32_t i = 0; i < judge->plan->count; i++) {
		const struct node *node;

		if (judge->node_of[i] == JUDGE_NONE || judge->plan->steps[i].action != ACTION_CONFIRM)
			continue;
		node = &judge->plan->layout.nodes[judge->node_of[i]];
		for (size_t j = 0; j < node->services.count; j++)
			if (duties->asked.addressed[names_find(&judge->services, node->services.list[j])])
				duty_join(duties, names_find(&judge->services, node->services.list[j]), FROM_ADDRESS, i);
	}
}

static void
duty_sort_members(struct duties *duties)
{
	size_t *next;

	duties->first = memory_zeroed(duties->group_count + 1, sizeof *duties->first);
	duties->members = memory_resize(NULL, duties->joined_count, sizeof *duties->members);
	for (size_t i = 0; i < duties->joined_count; i++)
		duties->first[duties->joined[i].group + 1]++;
	for (size_t i = 0; i < duties->group_count; i++)
		duties->first[i + 1] += duties->first[i];
	next = memory_resize(NULL, duties->group_count, sizeof *next);
	memcpy(next, duties->first, duties->group_count * sizeof *next);
	for (size_t i = 0; i < duties->joined_count; i++)
		duties->members[next[duties->joined[i].group]++] = duties->joined[i].step;
	free(next);
}

/* Fills targets with the tasks of a chain that wait by the rule of a group; returns how many. A chain that rolls waits for
 * everything before its first task: nothing is down while it waits. */
static size_t
duty_targets_of(const struct judge *judge, const struct chain *chain, enum from from, uint32_t targets[ACTION_COUNT])
{
	size_t count = 0;

	if (judge_hands_over(judge, (size_t)chain->node))
		return 0;
	if (from == FROM_DONE || from == FROM_UP) {
		targets[0] = judge->tasks[chain->first];
		return from == FROM_DONE ? chain->rolls : chain->kind == CHAIN_TAKE_DOWN;
	}
	for (size_t i = chain->first; i < chain->end && !chain->assured; i++) {
		enum action action = judge->plan->steps[judge->tasks[i]].action;

		if (chain->rolls && (from == FROM_STOP || from == FROM_REMOVE))
			continue;
		if (from == duty_from_of(action) || (from == FROM_START && action == ACTION_INITIALIZE))
			targets[count++] = judge->tasks[chain->rolls ? chain->first : i];
	}
	return count;
}

static void
duty_add_target(struct duties *duties, uint32_t step)
{
	ARRAY_ROOM(duties->targets, duties->target_count, duties->target_capacity);
	duties->targets[duties->target_count++] = step;
}

/* Adds a duty: the targets from first on wait for a group. */
static void
duty_require(struct duties *duties, uint32_t group, size_t first)
{
	if (!duties_group_size(duties, group) || first == duties->target_count)
		return;
	ARRAY_ROOM(duties->list, duties->count, duties->capacity);
	duties->list[duties->count++] = (struct duty){group, first, duties->target_count};
}

struct search { /* for the services that one has to wait for */
	const struct needs *needs;
	unsigned char *met; /* of each service: bits 1 (on a way all of which is local), 2 (on another) */
	uint32_t *stack, *touched;
	size_t depth, touched_count;
};

/* Notes that the search met a service on such a way, and goes on from there. */
static void
duty_meet(struct search *search, uint32_t service, unsigned way)
{
	if (search->met[service] & way)
		return;
	if (!search->met[service])
		search->touched[search->touched_count++] = service;
	search->met[service] |= (unsigned char)way;
	search->stack[search->depth++] = service << 1 | (way == 2);
}

/* Goes through services that have no such tasks to those that have. */
static void
duty_search_from(struct search *search, const struct duties *duties, uint32_t service, enum from from)
{
	search->stack[search->depth++] = service << 1;
	for (bool start = true; search->depth > 0; start = false) {
		uint32_t top = search->stack[--search->depth], at = top >> 1;

		if (!start && duties_group_size(duties, at * FROM_COUNT + from))
			continue;
		for (size_t i = search->needs->first[at]; i < search->needs->first[at + 1]; i++)
			if (search->needs->list[i].to != service)
				duty_meet(search, search->needs->list[i].to,
				    !duties->judge->by_pairs && ((top & 1) || !search->needs->list[i].local) ? 2 : 1);
	}
}

/* Requires on each node where both services stand that the one waits for the other. */
static void
duty_require_near(struct duties *duties, const struct chain *chains, size_t count, uint32_t other, enum from from)
{
	struct judge *judge = duties->judge;
	uint32_t targets[ACTION_COUNT], group = other * FROM_COUNT + from;
	size_t next = duties->first[group], end = duties->first[group + 1];

	/* Members of a group and chains of a service are both by node. */
	for (size_t i = 0; i < count; i++) {
		size_t found = duty_targets_of(judge, &chains[i], from, targets);

		while (next < end && judge->node_of[duties->members[next]] < chains[i].node)
			next++;
		for (size_t j = 0; j < found && next < end && judge->node_of[duties->members[next]] == chains[i].node; j++)
			judge_require(judge, duties->members[next], targets[j]);
	}
}

/* Adds the duties of the chains of one service by one rule. */
static void
duty_require_of(struct duties *duties, struct search *search, const struct chain *chains, size_t count, enum from from)
{
	uint32_t service = (uint32_t)chains->service, targets[ACTION_COUNT];
	size_t first = duties->target_count;

	for (size_t i = 0; i < count; i++) {
		size_t found = duty_targets_of(duties->judge, &chains[i], from, targets);

		for (size_t j = 0; j < found; j++)
			duty_add_target(duties, targets[j]);
	}
	if (first == duties->target_count)
		return;
	duty_search_from(search, duties, service, from);
	for (size_t i = 0; i < search->touched_count; i++) {
		uint32_t other = search->touched[i];

		if (search->met[other] & 2)
			duty_require(duties, other * FROM_COUNT + from, first);
		else if (duties_group_size(duties, other * FROM_COUNT + from))
			duty_require_near(duties, chains, count, other, from);
		search->met[other] = 0;
	}
	search->touched_count = 0;
}

static void
duty_require_all(struct duties *duties, const struct needs *needs, enum from from)
{
	const struct judge *judge = duties->judge;
	size_t services = judge->services.count, end;
	struct search search = {.needs = needs, .met = memory_zeroed(services, 1),
		.stack = memory_resize(NULL, 2 * services + 1, sizeof *search.stack),
		.touched = memory_resize(NULL, services, sizeof *search.touched)};

	for (size_t i = 0; i < judge->chain_count; i = end) {
		for (end = i; end < judge->chain_count && judge->chains[end].service == judge->chains[i].service; end++)
			;
		duty_require_of(duties, &search, &judge->chains[i], end - i, from);
	}
	free(search.met);
	free(search.stack);
	free(search.touched);
}

/* Adds the duties of what leaves: it waits for what comes in its place; so does a node, which may have nothing to stop. */
static void
duty_require_replacements(struct duties *duties)
{
	const struct judge *judge = duties->judge;
	uint32_t targets[ACTION_COUNT];

	for (size_t i = 0; i < judge->chain_count; i++) {
		size_t first = duties->target_count;

		if (duty_targets_of(judge, &judge->chains[i], FROM_UP, targets))
			duty_add_target(duties, targets[0]);
		duty_require(duties, (uint32_t)judge->chains[i].service * FROM_COUNT + FROM_UP, first);
	}
	for (uint32_t i = 0; i < judge->plan->count; i++) {
		const struct string_list *was;
		size_t first = duties->target_count;

		if (judge->node_of[i] == JUDGE_NONE || judge->plan->steps[i].action != ACTION_DELETE ||
		    judge->dead[judge->node_of[i]] || judge_hands_over(judge, (size_t)judge->node_of[i]))
			continue;
		was = &judge->plan->layout.nodes[judge->node_of[i]].was;
		duty_add_target(duties, i);
		for (size_t j = 0; j < was->count; j++) {
			int service = names_find(&judge->services, was->list[j]);

			if (service == NAMES_NONE)
				continue;
			duty_require(duties, (uint32_t)service * FROM_COUNT + FROM_UP, first);
			for (uint32_t other = 0; other < duties->asked.services; other++)
				if (duties->asked.of[other * duties->asked.services + (size_t)service])
					duty_require(duties, other * FROM_COUNT + FROM_DONE, first);
		}
	}
}

/* Adds the duties of look-ups: what leaves waits until those that looked it up are configured without it, and these wait until
 * what is new is up, unless that waits for them. */
static void
duty_require_look_ups(struct duties *duties)
{
	const struct judge *judge = duties->judge;
	const struct asked *asked = &duties->asked;

	for (size_t i = 0; i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];
		size_t own = (size_t)chain->service, first = duties->target_count;

		if (judge_hands_over(judge, (size_t)chain->node))
			continue;
		if (chain->kind != CHAIN_TAKE_DOWN && (!chain->rolls || chain_task(judge, chain, ACTION_CONFIGURE) == JUDGE_NONE))
			continue;
		duty_add_target(duties, judge->tasks[chain->first]);
		for (uint32_t other = 0; other < asked->services; other++) {
			if (chain->kind == CHAIN_TAKE_DOWN && !judge->hands_over && asked->of[other * asked->services + own])
				duty_require(duties, other * FROM_COUNT + FROM_DONE, first);
			if (chain->rolls && asked->of[own * asked->services + other] && !asked->waits[other * asked->services + own])
				duty_require(duties, other * FROM_COUNT + FROM_UP, first);
		}
	}
}

/* Adds the duties of tasks that read the configuration: they wait until the addresses in it are known. */
static void
duty_require_addresses(struct duties *duties)
{
	const struct judge *judge = duties->judge;
	size_t first = duties->target_count;

	for (size_t i = 0; i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];

		for (size_t j = chain->first; !chain->assured && j < chain->end; j++) {
			enum action action = judge->plan->steps[judge->tasks[j]].action;

			if (action_table[action].reads_config || (action == ACTION_INSTALL && duties->asked.installs[chain->service]))
				duty_add_target(duties, judge->tasks[chain->rolls ? chain->first : j]);
		}
	}
	for (uint32_t i = 0; i < judge->services.count; i++)
		duty_require(duties, i * FROM_COUNT + FROM_ADDRESS, first);
}

static void
duty_require_by(struct duties *duties, bool at_install, bool at_run, bool reversed, enum from from)
{
	struct needs needs = needs_find(duties->judge, at_install, at_run, reversed);

	duty_require_all(duties, &needs, from);
	needs_release(&needs);
}

void
duties_find(struct duties *duties, struct judge *judge)
{
	bool installs = false; /* while it rolls */

	*duties = (struct duties){.judge = judge, .group_count = judge->services.count * FROM_COUNT};
	for (size_t i = 0; i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];

		duty_join_chain(duties, chain);
		installs = installs || (chain->rolls && chain_task(judge, chain, ACTION_INSTALL) != JUDGE_NONE);
	}
	asked_find(&duties->asked, judge);
	duty_join_addresses(duties);
	duty_sort_members(duties);
	duty_require_by(duties, true, false, false, FROM_INSTALL);
	duty_require_by(duties, false, true, false, FROM_START);
	duty_require_by(duties, false, true, true, FROM_STOP);
	duty_require_by(duties, true, false, true, FROM_REMOVE);
	duty_require_by(duties, installs, true, false, FROM_DONE);
	if (duties->judge->by_pairs)
		return;
	if (!judge->hands_over)
		duty_require_replacements(duties);
	duty_require_look_ups(duties);
	duty_require_addresses(duties);
}

void
duties_release(struct duties *duties)
{
	asked_release(&duties->asked);
	free(duties->first);
	free(duties->members);
	free(duties->joined);
	free(duties->list);
	free(duties->targets);
}
