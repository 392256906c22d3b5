/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "model/layout.h"
#include "model/name.h"
#include "plan/absent.h"
#include "plan/builder.h"
#include "plan/dependency.h"
#include "plan/tasks.h"

enum rounds_kind {
	ROUNDS_NONE,
	ROUNDS_BATCHES, /* each batch is taken out before it stops, and put in again */
	ROUNDS_OUT,     /* what stops, and stays so, is taken out before */
	ROUNDS_IN,      /* what was left out is put in again once it is up */
};

struct rounds { /* arrays by service and node: service * nodes + node */
	struct builder *builder;
	size_t services, nodes;
	uint32_t *ends;     /* the step that the next task of a round waits for, or none */
	const char **without; /* what the round leaves out that ends there; NULL where no round does */
	uint32_t *chains;   /* numbers of placements from 1: what is done in place there, and not yet among the rounds; 0: nothing */
	enum rounds_kind *kinds; /* of each service */
	bool *back;         /* what was left out and is started behind the rounds so far */
	struct graph waits; /* an edge leads from a service to one that it waits for */
};

static bool
rounds_has(const struct rounds *rounds, uint32_t service, enum action action)
{
	return rounds->builder->layout->cluster.definitions[service].actions[action].present;
}

/* Tells whether a service stands on a node, and shall. */
static bool
rounds_stands(const struct rounds *rounds, uint32_t service, uint32_t node)
{
	const struct node *on = &rounds->builder->layout->nodes[node];
	const char *name = rounds->builder->dependencies->services.list[service];
	const struct scope *scope = rounds->builder->scope;

	return !on->leaves && !scope->dead[node] && node_has(on, name) && (scope->standing || name_set_has(&on->was, name));
}

/* Tells whether a service stops on a few nodes at a time, and some are left. */
static bool
rounds_rolls(const struct rounds *rounds, uint32_t service)
{
	const struct builder *builder = rounds->builder;
	const struct roll *roll = &builder->rolls[service];
	bool takes_down = false;
	size_t carriers = 0;

	if (!builder->scope->rolling || builder->scope->by_pairs || builder->scope->heirs || !builder->scope->max_unavailable)
		return false;
	for (size_t i = 0; i < roll->count && !takes_down; i++)
		takes_down = ACTION_BIT(builder->steps->list[roll->turns[i].first].action) & ACTIONS_TAKE_DOWN;
	if (!takes_down)
		return false;
	for (uint32_t node = 0; node < rounds->nodes; node++)
		carriers += rounds_stands(rounds, service, node);
	return carriers > roll->width;
}

/* Puts what looks a service up before the service itself, where it does not wait for it: its own change comes before the rounds. */
static void
rounds_order(struct rounds *rounds)
{
	bool installs = rounds->builder->scope->in_place & ACTION_BIT(ACTION_INSTALL);
	const struct neighbours *needs =
	    &rounds->builder->dependencies->needs[installs ? DEPENDENCY_EITHER : DEPENDENCY_RUNTIME].all;
	const struct neighbours *of = &rounds->builder->lookups.of;

	graph_edges(&rounds->waits, needs);
	for (size_t i = 0; i < rounds->builder->put_in.edge_count; i++)
		graph_edge(&rounds->waits, rounds->builder->put_in.edges[i].from, rounds->builder->put_in.edges[i].to);
	for (uint32_t i = 0; i < rounds->services; i++)
		for (size_t j = of->first[i]; j < of->first[i + 1]; j++)
			if (rounds->kinds[of->list[j]] && !graph_leads(&rounds->waits, i, of->list[j]))
				graph_edge(&rounds->waits, of->list[j], i);
}

/* Hides the instances of a service that a round leaves out: those that are stopped and stay so, or are not started yet, and
 * the batch. What is not started yet is looked up rather than nothing at all. */
static void
rounds_hide(const struct rounds *rounds, uint32_t service, const bool *batch, bool hides_new, bool *hidden)
{
	const struct absent *absent = &rounds->builder->absent;
	const char *name = rounds->builder->dependencies->services.list[service];
	size_t first = service * rounds->nodes;
	bool any_left = false;

	for (uint32_t node = 0; node < rounds->nodes; node++) {
		bool is_new = hides_new && node_has(&rounds->builder->layout->nodes[node], name) && !rounds_stands(rounds, service, node);

		hidden[first + node] = absent->out[first + node] || is_new || (batch && batch[node]);
		any_left = any_left || (rounds_stands(rounds, service, node) && !hidden[first + node] &&
		    (!absent->was_out[first + node] || rounds->back[first + node]));
	}
	for (uint32_t node = 0; any_left && node < rounds->nodes; node++)
		if (absent->was_out[first + node] && !rounds->back[first + node])
			hidden[first + node] = true;
}

/* Returns what a round of a service leaves out, of those that a looker looks up: a batch of it, or none, and, for one that is
 * changed after the rounds, all instances that are new. */
static const char *
rounds_without(const struct rounds *rounds, uint32_t looker, uint32_t service, const bool *batch, bool hides_new)
{
	const struct builder *builder = rounds->builder;
	const struct neighbours *of = &builder->lookups.of;
	const uint32_t *looked_up = &of->list[of->first[looker]];
	size_t count = of->first[looker + 1] - of->first[looker];
	bool *hidden = memory_zeroed(rounds->services * rounds->nodes, sizeof *hidden);
	const char *without;

	for (size_t i = 0; i < count; i++)
		rounds_hide(rounds, looked_up[i], looked_up[i] == service ? batch : NULL, hides_new, hidden);
	without = absent_print(hidden, builder->layout, builder->dependencies, looked_up, count, builder->arena);
	free(hidden);
	return without;
}

/* Tells whether an instance does not run when a round comes: it stays stopped, or its start comes behind the rounds so far. */
static bool
rounds_is_down(const struct rounds *rounds, uint32_t service, uint32_t node)
{
	const struct absent *absent = &rounds->builder->absent;
	size_t place = service * rounds->nodes + node;

	return absent->stopped[place] || (absent->was_stopped[place] && rounds->chains[place]);
}

/* Adds the tasks of a round for one instance, behind a step; returns the last. One that does not run is only configured, and one
 * that the round before has left like that needs none. */
static uint32_t
rounds_add_tasks(struct rounds *rounds, uint32_t looker, uint32_t node, const char *without, uint32_t before)
{
	static const enum action actions[] = {ACTION_CONFIGURE, ACTION_RELOAD, ACTION_CHECK};
	struct placement placement = {.node = node, .service = looker};
	size_t count = rounds_is_down(rounds, looker, node) || !rounds_has(rounds, looker, ACTION_RELOAD)
	    ? 1 : sizeof actions / sizeof *actions;
	size_t place = looker * rounds->nodes + node;
	uint32_t *end = &rounds->ends[place], task;

	if (before == GRAPH_NONE && without && rounds->without[place] && strcmp(without, rounds->without[place]) == 0)
		return *end;
	rounds->without[place] = without;
	for (size_t i = 0; i < count; i++) {
		if (!rounds_has(rounds, looker, actions[i]))
			continue;
		task = tasks_add_service_task(rounds->builder, &placement, actions[i]);
		rounds->builder->steps->list[task].without = without;
		builder_edge(rounds->builder, *end, task);
		builder_edge(rounds->builder, before, task);
		builder_edge(rounds->builder, i == 0 ? rounds->builder->addresses : GRAPH_NONE, task);
		*end = task;
		before = GRAPH_NONE;
	}
	return *end;
}

/* Puts what is done in place to a looker on a node behind the rounds so far, and before those that follow. */
static void
rounds_pass_chain(struct rounds *rounds, uint32_t looker, uint32_t node)
{
	uint32_t *chain = &rounds->chains[looker * rounds->nodes + node], *end = &rounds->ends[looker * rounds->nodes + node];
	const struct turn *turn;

	if (!*chain)
		return;
	turn = &rounds->builder->chains[*chain - 1];
	builder_edge(rounds->builder, *end, turn->first);
	*end = turn->last;
	rounds->without[looker * rounds->nodes + node] = NULL;
	*chain = 0;
}

struct looker { /* an instance of a service that looks up the one whose rounds are made */
	uint32_t service, node;
	bool after; /* what is done in place to it waits for that one, and comes behind the rounds */
	bool reloads; /* else it is configured without what stays stopped, for when it starts again, and not for a batch */
};

static struct looker *
rounds_find_lookers(struct rounds *rounds, uint32_t service, size_t *count)
{
	const struct absent *absent = &rounds->builder->absent;
	bool stays = absent_leaves(absent, service) || absent_returns(absent, service);
	const struct neighbours *by = &rounds->builder->lookups.by;
	struct looker *lookers = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = by->first[service]; i < by->first[service + 1]; i++) {
		uint32_t looker = by->list[i];
		bool after;

		if (!rounds_has(rounds, looker, ACTION_CONFIGURE) || (!rounds_has(rounds, looker, ACTION_RELOAD) && !stays))
			continue;
		after = graph_leads(&rounds->waits, looker, service);
		for (uint32_t node = 0; node < rounds->nodes; node++) {
			if (!rounds_stands(rounds, looker, node))
				continue;
			ARRAY_ROOM(lookers, *count, capacity);
			lookers[(*count)++] = (struct looker){looker, node, after, rounds_has(rounds, looker, ACTION_RELOAD)};
		}
	}
	return lookers;
}

/* Returns the turns of a service: those of its batches or, without these, of all its instances at once. The caller frees them. */
static struct roll
rounds_find_turns(const struct rounds *rounds, uint32_t service)
{
	const struct builder *builder = rounds->builder;
	const struct roll *batches = &builder->rolls[service];
	struct roll roll = {.width = batches->width};

	for (size_t i = 0; i < builder->scope->count; i++) {
		const struct placement *placement = &builder->scope->placements[i];

		if (placement->service != service || placement->kind != PLACEMENT_IN_PLACE || builder->chains[i].first == GRAPH_NONE)
			continue;
		ARRAY_ROOM(roll.turns, roll.count, roll.capacity);
		roll.turns[roll.count++] = builder->chains[i];
	}
	if (rounds->kinds[service] != ROUNDS_BATCHES)
		roll.width = roll.count;
	return roll;
}

/* Returns the step that is done when all turns of a batch are; what was left out is back then. */
static uint32_t
rounds_batch_done(struct rounds *rounds, uint32_t service, const struct roll *roll, size_t first)
{
	size_t end = first + roll->width < roll->count ? first + roll->width : roll->count;
	uint32_t done = roll->turns[first].last;

	if (end - first > 1) {
		done = builder_milestone(rounds->builder, "up again", rounds->builder->dependencies->services.list[service]);
		for (size_t i = first; i < end; i++)
			builder_edge(rounds->builder, roll->turns[i].last, done);
	}
	for (size_t i = first; i < end; i++)
		rounds->back[service * rounds->nodes + rounds->builder->steps->nodes[roll->turns[i].first]] = true;
	return done;
}

/* Adds the round before the batch that begins at first. */
static void
rounds_take_out(struct rounds *rounds, uint32_t service, const struct roll *roll, size_t first, uint32_t before,
    const struct looker *lookers, size_t count)
{
	struct builder *builder = rounds->builder;
	size_t end = first + roll->width < roll->count ? first + roll->width : roll->count;
	bool *batch = memory_zeroed(rounds->nodes, sizeof *batch);
	const char *without = NULL;
	uint32_t out = GRAPH_NONE;

	for (size_t i = first; rounds->kinds[service] == ROUNDS_BATCHES && i < end; i++)
		batch[builder->steps->nodes[roll->turns[i].first]] = true;
	if (count > 1 && end - first > 1)
		out = builder_milestone(builder, "taken out", builder->dependencies->services.list[service]);
	for (size_t i = 0; i < count; i++) {
		uint32_t task;

		if (!lookers[i].reloads && rounds->kinds[service] == ROUNDS_BATCHES)
			continue;
		/* The same for all instances, which stand in a row. */
		if (i == 0 || lookers[i].service != lookers[i - 1].service)
			without = rounds_without(rounds, lookers[i].service, service, batch, lookers[i].after);
		task = rounds_add_tasks(rounds, lookers[i].service, lookers[i].node, without, before);
		builder_edge(builder, task, out);
		for (size_t j = first; out == GRAPH_NONE && j < end; j++)
			builder_edge(builder, task, roll->turns[j].first);
	}
	for (size_t j = first; out != GRAPH_NONE && j < end; j++)
		builder_edge(builder, out, roll->turns[j].first);
	free(batch);
}

/* Adds the last round, behind a step. What is configured in place behind it needs none. */
static void
rounds_put_in(struct rounds *rounds, uint32_t service, uint32_t before, const struct looker *lookers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t place = lookers[i].service * rounds->nodes + lookers[i].node;
		uint32_t chain = rounds->chains[place];

		if (chain && rounds->builder->scope->placements[chain - 1].actions & ACTION_BIT(ACTION_CONFIGURE)) {
			rounds->ends[place] = before;
			rounds->without[place] = NULL;
		} else {
			rounds_add_tasks(rounds, lookers[i].service, lookers[i].node,
			    rounds_without(rounds, lookers[i].service, service, NULL, false), before);
		}
	}
}

/* Adds the rounds of one service. What is started is configured behind its start, and what is stopped before its stop; in a
 * rolling plan what waits for the service comes behind its rounds, and all else before them. */
static void
rounds_add_service(struct rounds *rounds, uint32_t service)
{
	enum rounds_kind kind = rounds->kinds[service];
	struct roll roll = rounds_find_turns(rounds, service);
	uint32_t before = GRAPH_NONE;
	size_t count;
	struct looker *lookers = rounds_find_lookers(rounds, service, &count);

	for (size_t i = 0; kind != ROUNDS_OUT && i < count; i++)
		if (!lookers[i].after || !rounds->builder->scope->rolling)
			rounds_pass_chain(rounds, lookers[i].service, lookers[i].node);
	for (size_t first = 0; count && first < roll.count; first += roll.width) {
		if (kind != ROUNDS_IN)
			rounds_take_out(rounds, service, &roll, first, before, lookers, count);
		before = rounds_batch_done(rounds, service, &roll, first);
	}
	if (kind != ROUNDS_OUT)
		rounds_put_in(rounds, service, before, lookers, count);
	free(roll.turns);
	free(lookers);
}

static void
rounds_init(struct rounds *rounds, struct builder *builder)
{
	const struct scope *scope = builder->scope;
	size_t room;

	*rounds = (struct rounds){.builder = builder, .services = builder->dependencies->services.count,
	    .nodes = builder->layout->node_count};
	room = rounds->services * rounds->nodes;
	rounds->ends = memory_resize(NULL, room, sizeof *rounds->ends);
	for (size_t i = 0; i < room; i++)
		rounds->ends[i] = GRAPH_NONE;
	rounds->without = memory_zeroed(room, sizeof *rounds->without);
	rounds->chains = memory_zeroed(room, sizeof *rounds->chains);
	for (uint32_t i = 0; i < scope->count; i++)
		if (scope->placements[i].kind == PLACEMENT_IN_PLACE && builder->chains[i].first != GRAPH_NONE)
			rounds->chains[scope->placements[i].service * rounds->nodes + scope->placements[i].node] = i + 1;
	rounds->waits.vertices = rounds->services;
	rounds->back = memory_zeroed(room, sizeof *rounds->back);
	rounds->kinds = memory_zeroed(rounds->services, sizeof *rounds->kinds);
}

static void
rounds_release(struct rounds *rounds)
{
	free(rounds->ends);
	free(rounds->without);
	free(rounds->chains);
	free(rounds->back);
	free(rounds->kinds);
	graph_release(&rounds->waits);
}

/* Adds all rounds: those of a service behind those of the services that it waits for, as both may be for the same lookers. */
static void
rounds_add_all(struct rounds *rounds)
{
	uint32_t *order = memory_resize(NULL, rounds->services, sizeof *order);
	struct neighbours along;

	rounds_order(rounds);
	along = graph_successors(&rounds->waits);
	graph_order(&along, order);
	for (size_t i = rounds->services; i-- > 0;)
		if (rounds->kinds[order[i]])
			rounds_add_service(rounds, order[i]);
	for (uint32_t service = 0; service < rounds->services; service++)
		for (uint32_t node = 0; node < rounds->nodes; node++)
			rounds_pass_chain(rounds, service, node);
	neighbours_release(&along);
	free(order);
}

static enum rounds_kind
rounds_kind_of(const struct rounds *rounds, uint32_t service)
{
	if (rounds_rolls(rounds, service))
		return ROUNDS_BATCHES;
	if (absent_returns(&rounds->builder->absent, service))
		return ROUNDS_IN;
	return absent_leaves(&rounds->builder->absent, service) ? ROUNDS_OUT : ROUNDS_NONE;
}

void
rounds_add(struct builder *builder)
{
	struct rounds rounds;
	bool any = false;

	rounds_init(&rounds, builder);
	for (uint32_t i = 0; i < rounds.services; i++) {
		rounds.kinds[i] = rounds_kind_of(&rounds, i);
		any = any || rounds.kinds[i];
	}
	if (any)
		rounds_add_all(&rounds);
	rounds_release(&rounds);
}
