/* SPDX-License-Identifier: Apache-2.0
 *
 * The present machines. Those that are alike are one group, so that only the number of groups counts.
 *
 * A service that is neither added nor removed is unaffected by a change: it is in the request, and it stands
 * somewhere. If nothing may move, such services stay where they are (stays), and only added ones may join them
 * (open). Where moves are allowed anything may stand anywhere (open), but each unaffected service that comes or
 * goes is a move, and so is a machine that leaves, beside the services that go with it. Each group knows what
 * each unit makes of that (moves), so a move is but one more amount that patterns have, like a cost.
 *
 * A machine that leaves has a pattern, too: no units, and a "hardware type" that says why it leaves (departure).
 * So every present machine has exactly one pattern, and its moves are those of its pattern. Whether some may leave
 * because fewer are asked for is for the whole request to say: it stays so where a conflict is looked for, and the
 * number that is asked for is dropped; otherwise dropping it could make a request harder. Then any may leave, and any
 * be new.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/names.h"
#include "model/answer/demand.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

struct grouping { /* groups by what they are like */
	struct program *program;
	bool *added, *fewer; /* services: of which instances may come, of which some may go */
	int *slots; /* groups, by hash; 0: none */
	size_t slot_count;
};

static bool
build_is_present(const struct node *node)
{
	return !node->leaves && !node->replaced;
}

/* Makes a group without anything; one that was only tried gives its memory. */
static void
build_clear_group(struct program *p, struct group *group)
{
	if (group->stays) {
		memset(group->stays, 0, p->unit_words * sizeof(uint64_t));
		memset(group->open, 0, p->unit_words * sizeof(uint64_t));
		memset(group->hardware, 0, p->hardware_words * sizeof(uint64_t));
		memset(group->images, 0, p->image_words * sizeof(uint64_t));
		group->standing = 0;
		group->broken = false;
		return;
	}
	*group = (struct group){
		.stays = arena_alloc(&p->arena, p->unit_words, sizeof(uint64_t)),
		.open = arena_alloc(&p->arena, p->unit_words, sizeof(uint64_t)),
		.hardware = arena_alloc(&p->arena, p->hardware_words, sizeof(uint64_t)),
		.images = arena_alloc(&p->arena, p->image_words, sizeof(uint64_t)),
		.moves = p->moves_max ? arena_alloc(&p->arena, p->unit_count, sizeof(int64_t)) : NULL,
	};
}

/* Sets what a unit is on a present machine. One of which some services stand there is whole afterwards: that is no
 * move if those that lack are only now added. */
static void
build_place_unit(const struct grouping *grouping, size_t u, const bool *stands, struct group *group)
{
	const struct program *p = grouping->program;
	int64_t here = 0, missing = 0;

	for (size_t i = 0; i < p->units[u].size; i++) {
		int service = p->units[u].services[i];

		here += stands[service] && !grouping->fewer[service];
		missing += !stands[service] && !grouping->added[service];
	}
	group->standing += here;
	if (group->moves) {
		group->moves[u] = missing - here;
		bits_add(group->open, u);
	} else if (here) {
		bits_add(group->stays, u);
		group->broken = group->broken || missing;
	} else if (!missing)
		bits_add(group->open, u);
}

/* Returns whether a machine may leave because of what stands there fewer instances are asked for: nothing else does, beside what
 * stands everywhere. */
static bool
build_may_depart(const struct grouping *grouping, const bool *stands)
{
	struct program *p = grouping->program;
	bool may = false;

	for (size_t i = 0; i < p->service_count; i++) {
		if (!stands[i] || p->units[p->unit_of[i]].everywhere)
			continue;
		if (!grouping->fewer[i])
			return false;
		may = true;
	}
	p->departs = p->departs || may;
	return may;
}

static void
build_make_group(const struct grouping *grouping, const struct node *node, bool *stands, struct group *group)
{
	struct program *p = grouping->program;

	build_clear_group(p, group);
	group->count = 1;
	group->zone = p->spread ? program_zone(p, node) : ZONE_NONE; /* zones tell machines apart only then */
	bits_add(group->hardware, (size_t)program_find_hardware(p, node->hardwaretype));
	bits_add(group->images, (size_t)program_find_image(p, node->imagetype));
	for (size_t i = 0; i < p->hardware_count; i++) /* the ways in which it may leave */
		if ((p->hardware[i].departure == DEPARTURE_ASKED && p->shrinks) ||
		    (p->hardware[i].departure == DEPARTURE_MOVE && p->moves_max))
			bits_add(group->hardware, i);
	program_standing(p, node, stands);
	for (size_t u = 0; u < p->unit_count; u++)
		build_place_unit(grouping, u, stands, group);
	if (build_may_depart(grouping, stands))
		for (size_t i = 0; i < p->hardware_count; i++)
			if (p->hardware[i].departure == DEPARTURE_ASKED)
				bits_add(group->hardware, i);
}

static bool
build_alike(const struct program *p, const struct group *a, const struct group *b)
{
	return a->broken == b->broken && a->zone == b->zone && a->standing == b->standing &&
	    bits_equal(a->stays, b->stays, p->unit_words) &&
	    bits_equal(a->open, b->open, p->unit_words) && bits_equal(a->hardware, b->hardware, p->hardware_words) &&
	    bits_equal(a->images, b->images, p->image_words) &&
	    (!a->moves || memcmp(a->moves, b->moves, p->unit_count * sizeof *a->moves) == 0);
}

static uint64_t
build_hash_of(const struct program *p, const struct group *group)
{
	uint64_t hash = hash_bytes(HASH_START, group->stays, p->unit_words * sizeof *group->stays);

	hash = hash_bytes(hash, group->hardware, p->hardware_words * sizeof *group->hardware);
	hash = hash_bytes(hash, group->images, p->image_words * sizeof *group->images);
	return group->moves ? hash_bytes(hash, group->moves, p->unit_count * sizeof *group->moves) : hash;
}

/* Returns the group of a node; it may be a new one, behind all others. */
static int
build_group_of(const struct grouping *grouping, const struct node *node, bool *stands)
{
	struct program *p = grouping->program;
	struct group *fresh = &p->groups[p->group_count];
	size_t slot;

	build_make_group(grouping, node, stands, fresh);
	for (slot = build_hash_of(p, fresh) % grouping->slot_count; grouping->slots[slot]; slot = (slot + 1) % grouping->slot_count)
		if (build_alike(p, &p->groups[grouping->slots[slot]], fresh)) {
			p->groups[grouping->slots[slot]].count++;
			return grouping->slots[slot];
		}
	grouping->slots[slot] = (int)p->group_count++;
	return grouping->slots[slot];
}

/* Makes groups of the present nodes. They come sorted by nodenum, so each group's are, and groups are in the order of
 * their first. */
static void
build_groups_of_nodes(const struct grouping *grouping)
{
	struct program *p = grouping->program;
	const struct request *r = p->request;
	const struct node **nodes = arena_alloc(&p->arena, r->node_count, sizeof *nodes);
	int *number = memory_zeroed(r->node_count, sizeof *number);
	bool *stands = memory_zeroed(p->service_count, sizeof *stands);
	size_t *next = memory_zeroed(r->node_count + 2, sizeof *next);

	for (size_t i = 0; i < r->node_count; i++)
		if (build_is_present(&r->nodes[i]))
			number[i] = build_group_of(grouping, &r->nodes[i], stands);
	for (size_t g = 1; g < p->group_count; g++) {
		p->groups[g].nodes = nodes + next[g];
		next[g + 1] = next[g] + (size_t)p->groups[g].count;
	}
	for (size_t i = 0; i < r->node_count; i++)
		if (number[i])
			nodes[next[number[i]]++] = &r->nodes[i];
	free(number);
	free(stands);
	free(next);
}

/* Returns for each service whether it is added: it stood on no node. What stands only on nodes to be replaced is
 * not. */
static bool *
build_find_added(const struct program *p)
{
	const struct request *r = p->request;
	bool *added = memory_zeroed(p->service_count, sizeof *added);
	bool *stands = memory_zeroed(p->service_count, sizeof *stands);

	for (size_t i = 0; i < p->service_count; i++)
		added[i] = true;
	for (size_t i = 0; i < r->node_count; i++) {
		if (r->nodes[i].leaves)
			continue;
		program_standing(p, &r->nodes[i], stands);
		for (size_t s = 0; s < p->service_count; s++)
			added[s] = added[s] && !stands[s];
	}
	free(stands);
	return added;
}

/* Applies what the cluster asks for of instances: what has to have more of them comes as added services do, on any machine where
 * it is not yet; what has to have fewer goes from any, and comes to none where nothing may move. */
static void
build_scale(struct grouping *grouping)
{
	struct program *p = grouping->program;
	struct names more = {0}, fewer = {0};

	request_find_scaled(p->request, &more, &fewer);
	for (size_t i = 0; i < p->service_count; i++) {
		const char *name = p->services[i]->name;

		grouping->added[i] = grouping->added[i] || names_find(&more, name) != NAMES_NONE;
		grouping->fewer[i] = names_find(&fewer, name) != NAMES_NONE;
		p->units[p->unit_of[i]].stays_away = p->units[p->unit_of[i]].stays_away || (grouping->fewer[i] && !p->moves_max);
	}
	names_release(&more);
	names_release(&fewer);
}

/* Moves come first where the objectives do not name them, and in any case before dense, which leaves nothing open
 * but which machine becomes what. */
static void
build_order_moves(struct program *p)
{
	size_t at = 0, from = 0;

	while (from < p->objective_count && p->objectives[from] != OBJECTIVE_MOVES)
		from++;
	while (from < p->objective_count && at < from && p->objectives[at] != OBJECTIVE_DENSE)
		at++;
	if (from == p->objective_count)
		p->objective_count++;
	memmove(&p->objectives[at + 1], &p->objectives[at], (from - at) * sizeof *p->objectives);
	p->objectives[at] = OBJECTIVE_MOVES;
}

void
build_present(struct program *p, const struct demands *demands)
{
	const struct request *r = p->request;
	struct grouping grouping = {.program = p, .slot_count = 2 * r->node_count + 1};
	bool keep = r->node_count && demand_holds(demands, DEMAND_NODES, 0);

	for (size_t i = 0; i < r->node_count && keep; i++)
		p->present += build_is_present(&r->nodes[i]);
	p->groups = arena_alloc(&p->arena, (size_t)p->present + 2, sizeof *p->groups);
	p->group_count = 1;
	build_clear_group(p, &p->groups[0]);
	if (!p->present)
		return;
	p->moves_max = demands->moves_max;
	p->shrinks = p->present > r->cluster.machines_max || p->present > r->template.size_max;
	build_order_moves(p);
	grouping.added = build_find_added(p);
	grouping.fewer = memory_zeroed(p->service_count, sizeof *grouping.fewer);
	build_scale(&grouping);
	grouping.slots = memory_zeroed(grouping.slot_count, sizeof *grouping.slots);
	build_groups_of_nodes(&grouping);
	free(grouping.slots);
	free(grouping.added);
	free(grouping.fewer);
}
