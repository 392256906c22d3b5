/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of changes. It tries every fate of every present machine and every set of new ones. It knows nothing but the
 * puzzle, and what coopr-solve(1) says of moves.
 */
#ifndef TESTS_UNIT_MOVES_BRUTE_H
#define TESTS_UNIT_MOVES_BRUTE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/entity.h"
#include "moves-puzzle.h"

struct kind {
	unsigned services;
	int type, image;
};

struct score {
	int moves, lost, cost, machines, vector[KINDS];
};

struct judge {
	const struct puzzle *z;
	const struct string_list *only; /* demands that count: pointers; NULL: all */
	size_t without;                 /* of only, that one does not count either */
	struct kind kinds[KINDS];       /* in the order of dense */
	bool fits[KINDS];
	int rank[1 << SERVICES][TYPES][IMAGES];
	unsigned concerned;             /* added services; those that no node has to have */
	unsigned everywhere;
	unsigned more, fewer; /* of which the cluster asks for more, or fewer, instances than there are */
	struct machine nodes[NODES];    /* present, not to be replaced */
	int present, from, to, moves_max;
	unsigned fate[NODES];           /* what stands there afterwards; 0: it leaves */
	int added[KINDS];               /* new machines */
	bool found, first_will_do;
	struct score best;
};

static inline bool
counts(const struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool
counts(const struct judge *j, const char *format, ...)
{
	char pointer[200];
	va_list ap;

	va_start(ap, format);
	vsnprintf(pointer, sizeof pointer, format, ap);
	va_end(ap);
	for (size_t i = 0; j->only && i < j->only->count; i++)
		if (i != j->without && strcmp(j->only->list[i], pointer) == 0)
			return true;
	return !j->only;
}

static inline int
compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int by_size = __builtin_popcount(y->services) - __builtin_popcount(x->services);
	unsigned differ = x->services ^ y->services;

	if (by_size || x->type != y->type)
		return by_size ? by_size : x->type - y->type;
	if (x->image != y->image)
		return x->image - y->image;
	return !differ ? 0 : x->services & differ & -differ ? -1 : 1; /* the first name that only one of them has */
}

/* Returns whether a machine may be so, by the rules for a single machine. */
static inline bool
is_right(const struct judge *j, const struct kind *kind)
{
	const struct puzzle *z = j->z;
	unsigned s = kind->services, must = z->must & ((1U << z->services) - 1), exclusive = s & z->exclusive;
	int taken = 0;

	if ((s & must) && (s & must) != must && counts(j, "/template/constraints/layout/mustcoexist/0"))
		return false;
	if (z->cant && (s & z->cant) == z->cant && counts(j, "/template/constraints/layout/cantcoexist/0"))
		return false;
	if ((exclusive & (exclusive - 1)) && counts(j, "/template/constraints/layout/mutuallyexclusive/0"))
		return false;
	for (int i = 0; i < z->services; i++) {
		if (!(s >> i & 1))
			continue;
		taken += counts(j, "/services/%d/consumes", i) ? z->takes[i] : 0;
		if ((z->on_types[i] && !(z->on_types[i] >> kind->type & 1) &&
		        counts(j, "/template/constraints/services/s%d/hardwaretypes", i)) ||
		    (z->on_images[i] && !(z->on_images[i] >> kind->image & 1) &&
		        counts(j, "/template/constraints/services/s%d/imagetypes", i)))
			return false;
	}
	return z->room[kind->type] < 0 || taken <= z->room[kind->type] ||
	    !counts(j, "/hardwaretypes/%d/providermap/p/capacity", kind->type);
}

/* A new machine gets the first image that is right. */
static inline bool
may_be_new(const struct judge *j, int k)
{
	const struct kind *kind = &j->kinds[k];

	if (!j->fits[k] || (kind->services & j->everywhere) != j->everywhere || (!j->moves_max && (kind->services & j->fewer)))
		return false;
	for (int image = 0; image < kind->image; image++)
		if (j->fits[j->rank[kind->services][kind->type][image]])
			return false;
	return true;
}

static inline bool
asked_is_right(const struct judge *j, const int *instances)
{
	const struct puzzle *z = j->z;

	for (int i = 0; i < z->services; i++)
		if (z->asked[i] && (instances[i] < z->asked_min[i] || instances[i] > z->asked_max[i]) &&
		    counts(j, "/cluster/instances/s%d", i))
			return false;
	return true;
}

static inline bool
totals_are_right(const struct judge *j, const int *instances, const int *of_type)
{
	const struct puzzle *z = j->z;
	int sum = 0, chosen = 0;

	for (int i = 0; i < z->services; i++) {
		bool choice = z->oneof >> i & 1, may_lack = z->min[i] == 0 || choice;

		sum += z->factor[i] * instances[i];
		chosen += (z->oneof >> i & 1) && instances[i];
		if ((!may_lack && !instances[i] && counts(j, "/cluster/services/%d", i)) ||
		    (z->min[i] > !choice && instances[i] < z->min[i] && counts(j, "/template/constraints/services/s%d/quantities/min", i)) ||
		    (z->max[i] >= 0 && instances[i] > z->max[i] && counts(j, "/template/constraints/services/s%d/quantities/max", i)))
			return false;
	}
	for (int h = 0; h < TYPES; h++)
		if (of_type[h] > z->available[h] && counts(j, "/hardwaretypes/%d/providermap/p/available", h))
			return false;
	if (z->rule && (sum < z->rule_min || sum > z->rule_max) && counts(j, "/template/constraints/counts/0"))
		return false;
	return (!z->oneof || chosen == 1 || !counts(j, "/template/constraints/oneof/0")) && asked_is_right(j, instances);
}

/* Zones of the machines on which a service stands; new machines get those that are given. */
static inline int
zones_of(const struct judge *j, int service, const int *given)
{
	unsigned zones = 0;
	int machine = 0, own = 0;

	for (int i = 0; i < j->present; i++)
		if ((j->fate[i] >> service & 1) && j->nodes[i].zone >= 0)
			zones |= 1U << j->nodes[i].zone;
	for (int k = 0; k < KINDS; k++)
		for (int n = 0; n < j->added[k]; n++, machine++)
			if (j->kinds[k].services >> service & 1) {
				zones |= given[machine] < 0 ? 0 : 1U << given[machine];
				own++;
			}
	return __builtin_popcount(zones) + (counts(j, "/provider/zones") ? 0 : own);
}

static inline bool
are_spread(const struct judge *j, const int *instances, const int *given)
{
	for (int i = 0; i < j->z->services; i++)
		if ((j->z->spread >> i & 1) && instances[i] && zones_of(j, i, given) < j->z->spread_min)
			return false;
	return true;
}

/* Returns whether new machines can be given zones: those of the provider and, if present ones need not stay, theirs. */
static inline bool
can_be_spread(const struct judge *j, const int *instances, int *given, int machine, int new)
{
	unsigned open = (1U << j->z->zones) - 1;

	if (!j->z->spread || !counts(j, "/template/constraints/spread/0"))
		return true;
	for (int i = 0; i < j->z->node_count && !counts(j, "/nodes"); i++)
		open |= j->z->nodes[i].zone >= 0 ? 1U << j->z->nodes[i].zone : 0;
	if (!counts(j, "/provider/zones"))
		open = 0;
	if (machine == new)
		return are_spread(j, instances, given);
	given[machine] = NO_ENTRY;
	if (!open)
		return can_be_spread(j, instances, given, machine + 1, new);
	for (int zone = 0; zone <= ZONES; zone++) {
		given[machine] = zone;
		if ((open >> zone & 1) && can_be_spread(j, instances, given, machine + 1, new))
			return true;
	}
	return false;
}

static inline int
unconcerned(const struct judge *j, unsigned services)
{
	return __builtin_popcount(services & ~j->concerned);
}

/* Returns the moves of a node that stays: what comes or goes since more or fewer of it are asked for is none. */
static inline int
moves_of_staying(const struct judge *j, unsigned before, unsigned after)
{
	return unconcerned(j, before & ~after & ~j->fewer) + unconcerned(j, after & ~before & ~j->more);
}

static inline int
moves_of_leaving(const struct judge *j, unsigned services)
{
	return 1 + unconcerned(j, services & ~j->fewer);
}

/* Returns whether a node may leave where as many machines are asked for as there are: beside what stands everywhere, it has only
 * what fewer are asked for. */
static inline bool
may_leave(const struct judge *j, unsigned services)
{
	unsigned of_cluster = services & ((1U << j->z->services) - 1);

	return (of_cluster & j->fewer) && !(of_cluster & ~j->fewer & ~j->everywhere);
}

/* If fewer machines are asked for than there are, only as many nodes that leave are moves as are new, those with
 * the fewest services. */
static inline void
count_moves(const struct judge *j, int new, struct score *score)
{
	bool shrinks = j->present > j->z->to, taken[NODES] = {false};

	for (int i = 0; i < j->present; i++)
		if (j->fate[i])
			score->moves += moves_of_staying(j, j->nodes[i].services, j->fate[i]);
		else if (!shrinks && !may_leave(j, j->nodes[i].services))
			score->moves += moves_of_leaving(j, j->nodes[i].services);
	for (int n = 0; n < new && shrinks && j->present > j->to; n++) {
		int least = -1;

		for (int i = 0; i < j->present; i++)
			if (!j->fate[i] && !taken[i] && (least < 0 || moves_of_leaving(j, j->nodes[i].services) < moves_of_leaving(j, j->nodes[least].services)))
				least = i;
		if (least < 0)
			break;
		taken[least] = true;
		score->moves += moves_of_leaving(j, j->nodes[least].services);
	}
	for (int i = 0; i < j->present && shrinks; i++)
		score->lost += j->fate[i] || taken[i] ? 0 : unconcerned(j, j->nodes[i].services & ~j->fewer);
}

static inline bool
is_better(const char *order, const struct score *a, const struct score *b)
{
	for (; *order; order++) {
		const int pairs[][2] = {{a->moves, b->moves}, {a->cost, b->cost}, {a->machines, b->machines}, {0, 0}};
		const int *pair = pairs[strchr("mcnd", *order) - "mcnd"];

		if (pair[0] != pair[1])
			return pair[0] < pair[1];
		if (*order == 'm' && a->lost != b->lost)
			return a->lost < b->lost;
		for (int k = 0; k < KINDS && *order == 'd'; k++)
			if (a->vector[k] != b->vector[k])
				return a->vector[k] > b->vector[k];
	}
	return false;
}

/* moves come first where they are not named, and before dense. */
static inline const char *
order_of(const struct puzzle *z, char out[8])
{
	const char *dense = strchr(z->order, 'd'), *moves = strchr(z->order, 'm');
	size_t at = !moves ? 0 : dense && dense < moves ? (size_t)(dense - z->order) : (size_t)(moves - z->order), length = 0;

	for (size_t i = 0; i <= strlen(z->order); i++) {
		if (i == at)
			out[length++] = 'm';
		if (z->order[i] && z->order[i] != 'm')
			out[length++] = z->order[i];
	}
	out[length] = '\0';
	return out;
}

/* False where the layout at hand breaks a rule. */
static inline bool
weigh(const struct judge *j, struct score *score)
{
	int instances[SERVICES] = {0}, of_type[TYPES] = {0}, given[8] = {0}, new = 0;

	*score = (struct score){0};
	for (int k = 0; k < KINDS; k++) {
		score->vector[k] = j->added[k];
		new += j->added[k];
	}
	for (int i = 0; i < j->present; i++)
		if (j->fate[i])
			score->vector[j->rank[j->fate[i]][j->nodes[i].type][j->nodes[i].image]]++;
	for (int k = 0; k < KINDS; k++) {
		score->machines += score->vector[k];
		score->cost += score->vector[k] * j->z->cost[j->kinds[k].type];
		of_type[j->kinds[k].type] += score->vector[k];
		for (int i = 0; i < j->z->services; i++)
			instances[i] += j->kinds[k].services >> i & 1 ? score->vector[k] : 0;
	}
	count_moves(j, new, score);
	if (new && j->present > j->to && !j->moves_max)
		return false;
	return score->machines >= j->from && score->machines <= j->to && totals_are_right(j, instances, of_type) &&
	    (j->moves_max == ANY_NUMBER || score->moves <= j->moves_max) && can_be_spread(j, instances, given, 0, new);
}

static inline void
try_new(struct judge *j, int k, int room)
{
	struct score score;
	char order[8];

	if (j->found && j->first_will_do)
		return;
	while (k < KINDS && !may_be_new(j, k))
		k++;
	if (k == KINDS) {
		if (weigh(j, &score) && (!j->found || is_better(order_of(j->z, order), &score, &j->best))) {
			j->found = true;
			j->best = score;
		}
		return;
	}
	for (int n = 0; n <= room; n++) {
		j->added[k] = n;
		try_new(j, k + 1, room - n);
	}
	j->added[k] = 0;
}

static inline void
try_fates(struct judge *j, int node, int staying)
{
	if (node == j->present) {
		if (staying <= j->to)
			try_new(j, 0, j->to - staying);
		return;
	}
	for (unsigned s = 0; s < 1U << j->z->services; s++)
		if (!s || j->fits[j->rank[s][j->nodes[node].type][j->nodes[node].image]]) {
			j->fate[node] = s;
			try_fates(j, node + 1, staying + (s != 0));
		}
}

static inline void
list_kinds(struct judge *j)
{
	const struct puzzle *z = j->z;
	int count = 0;

	for (unsigned s = 1; s < 1U << SERVICES; s++)
		for (int type = 0; type < TYPES; type++)
			for (int image = 0; image < IMAGES; image++)
				j->kinds[count++] = (struct kind){s, type, image};
	qsort(j->kinds, KINDS, sizeof *j->kinds, compare_kinds);
	for (int k = 0; k < KINDS; k++) {
		j->rank[j->kinds[k].services][j->kinds[k].type][j->kinds[k].image] = k;
		j->fits[k] = j->kinds[k].services < 1U << z->services && is_right(j, &j->kinds[k]);
	}
}

/* Finds the services of which more, or fewer, instances are asked for than there are; what has to stand with them follows. What
 * is on nodes to be replaced is neither lacking nor too much. */
static inline void
list_scaled(struct judge *j)
{
	const struct puzzle *z = j->z;
	unsigned must = z->must & ((1U << z->services) - 1);

	j->more = j->fewer = 0;
	for (int i = 0; i < z->services && j->present; i++) {
		int present = 0, staying = 0;

		for (int k = 0; k < z->node_count; k++)
			present += !z->nodes[k].left && (z->nodes[k].services >> i & 1U) != 0;
		for (int k = 0; k < j->present; k++)
			staying += (j->nodes[k].services >> i & 1U) != 0;
		j->more |= z->asked[i] && present < z->asked_min[i] ? 1U << i : 0;
		j->fewer |= z->asked[i] && staying > z->asked_max[i] ? 1U << i : 0;
	}
	j->more |= j->more & must ? must : 0;
	j->fewer |= j->fewer & must ? must : 0;
}

static inline void
list_nodes(struct judge *j)
{
	const struct puzzle *z = j->z;
	unsigned named = z->must | z->cant | z->exclusive | z->oneof | z->spread, all = (1U << z->services) - 1, stood = 0;

	for (int i = 0; i < z->services; i++)
		named |= has_entry(z, i) || z->rule || z->asked[i] ? 1U << i : 0;
	j->everywhere = all & ~named;
	j->present = 0;
	for (int i = 0; i < z->node_count && counts(j, "/nodes"); i++) {
		if (!z->nodes[i].left && !z->nodes[i].replaced)
			j->nodes[j->present++] = z->nodes[i];
		stood |= z->nodes[i].left ? 0 : z->nodes[i].services;
	}
	j->concerned = ~(stood & all);
	list_scaled(j);
}

/* Returns the template's least number of machines: what a person insists on, and what is only replaced, may be fewer. */
static inline int
least_size(const struct puzzle *z)
{
	int least = z->lowered && z->lowered < z->size ? z->lowered : z->size;

	return !z->counted && z->from < least ? z->from : least;
}

static inline void
judge(struct judge *j, int relaxed_to)
{
	const struct puzzle *z = j->z;
	bool one = z->from == z->to, low = counts(j, !z->counted ? "/replace" : one ? "/cluster/numMachines" : "/cluster/numMachines/min");
	bool high = one ? low : counts(j, "/cluster/numMachines/max");

	j->from = low ? z->from : 1;
	if (least_size(z) > j->from && counts(j, "/template/constraints/size/min"))
		j->from = least_size(z);
	j->to = high ? z->to : relaxed_to;
	j->found = false;
	memset(j->added, 0, sizeof j->added);
	list_kinds(j);
	list_nodes(j);
	try_fates(j, 0, 0);
}

#endif
