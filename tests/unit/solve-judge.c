/* SPDX-License-Identifier: Apache-2.0
 *
 * The solver against a brute-force judge over seeded random requests: the best layout (dense: the very one), that
 * there is none, and that each conflict is one and is minimal. The judge knows nothing but the puzzle it made
 * itself; it tries all counts of all patterns.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/json.h"
#include "json/place.h"
#include "model/request.h"
#include "solve/solve.h"
#include "tap.h"

enum { SERVICES = 4, TYPES = 2, IMAGES = 2, SETS = 2, PATTERNS = 15 * TYPES, LIMIT_RELAXED = 5, LIMIT_LAST = 8 };

struct set {
	bool here;
	unsigned members; /* bit 7: a service that is not on the cluster */
};

struct puzzle {
	int services, types, images;
	bool entry[SERVICES];
	int min[SERVICES], max[SERVICES];            /* -1: none */
	unsigned on_types[SERVICES], on_images[SERVICES]; /* 0: any */
	int takes[SERVICES];                          /* halves */
	int room[TYPES], cost[TYPES], available[TYPES]; /* room: halves, -1: none; available -1: any */
	struct set must[SETS], cant[SETS], exclusive[SETS], oneof;
	bool rule;
	int factor[SERVICES], rule_min, rule_max;
	bool exact;
	int from, to; /* machines */
	int objectives; /* which list of them */
};

static const char *const objective_lists[] = {"", "\"cost\"", "\"machines\"", "\"machines\",\"dense\"",
    "\"cost\",\"dense\"", "\"cost\",\"machines\",\"dense\"", "\"dense\",\"cost\""};

static uint64_t state;

static int
draw(int from, int to)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return from + (int)((state >> 11) % (uint64_t)(to - from + 1));
}

static bool
chance(int percent)
{
	return draw(1, 100) <= percent;
}

static unsigned
draw_members(const struct puzzle *z)
{
	unsigned members = 0;

	while (!members)
		for (int i = 0; i < z->services; i++)
			members |= chance(50) ? 1U << i : 0;
	return members | (chance(10) ? 1U << 7 : 0);
}

static void
draw_service(struct puzzle *z, int i)
{
	z->entry[i] = chance(75);
	z->min[i] = z->entry[i] && chance(60) ? draw(0, 2) : -1;
	z->max[i] = z->entry[i] && chance(50) ? draw(z->min[i] > 0 && chance(90) ? z->min[i] : 0, 3) : -1;
	z->on_types[i] = z->entry[i] && chance(25) ? (unsigned)draw(1, 3) : 0;
	z->on_images[i] = z->entry[i] && chance(25) ? (unsigned)draw(1, 3) : 0;
	z->takes[i] = draw(0, 4);
}

static void
draw_puzzle(struct puzzle *z)
{
	bool capacities = chance(40);

	*z = (struct puzzle){.services = chance(80) ? draw(1, 3) : SERVICES, .types = draw(1, TYPES), .images = draw(1, IMAGES)};
	for (int i = 0; i < z->services; i++)
		draw_service(z, i);
	for (int h = 0; h < z->types; h++) {
		z->room[h] = capacities && chance(80) ? draw(1, 8) : -1;
		z->cost[h] = draw(1, 5);
		z->available[h] = chance(25) ? draw(0, 3) : -1;
	}
	for (int i = 0; i < SETS; i++) {
		z->must[i] = (struct set){chance(20), draw_members(z)};
		z->cant[i] = (struct set){chance(30), draw_members(z)};
		z->exclusive[i] = (struct set){chance(20), draw_members(z)};
	}
	z->oneof = (struct set){chance(10), draw_members(z)};
	z->rule = chance(20);
	for (int i = 0; i < z->services; i++)
		z->factor[i] = draw(-2, 2);
	z->rule_min = draw(-3, 2);
	z->rule_max = z->rule_min + draw(0, 4);
	z->exact = chance(70);
	z->from = draw(1, 4);
	z->to = z->exact ? z->from : draw(z->from, 4);
	z->objectives = chance(60) ? 0 : draw(1, 6);
}

/* --- the puzzle as a request --- */

static void
put_names(struct buffer *out, unsigned members, char prefix)
{
	bool any = false;

	buffer_byte(out, '[');
	for (int i = 0; i < 8; i++)
		if (members >> i & 1) {
			buffer_printf(out, "%s\"%c%d\"", any ? "," : "", prefix, i);
			any = true;
		}
	buffer_byte(out, ']');
}

static void
put_sets(struct buffer *out, const char *name, const struct set *sets, int count)
{
	bool any = false;

	buffer_printf(out, "\"%s\":[", name);
	for (int i = 0; i < count; i++)
		if (sets[i].here) {
			buffer_text(out, any ? "," : "");
			put_names(out, sets[i].members, 's');
			any = true;
		}
	buffer_byte(out, ']');
}

static void
put_constraints(struct buffer *out, const struct puzzle *z)
{
	bool any = false;

	buffer_text(out, "\"services\":{");
	for (int i = 0; i < z->services; i++) {
		if (!z->entry[i])
			continue;
		buffer_printf(out, "%s\"s%d\":{\"hardwaretypes\":", any ? "," : "", i);
		put_names(out, z->on_types[i], 'h');
		buffer_text(out, ",\"imagetypes\":");
		put_names(out, z->on_images[i], 'i');
		buffer_text(out, ",\"quantities\":{");
		if (z->min[i] >= 0)
			buffer_printf(out, "\"min\":%d%s", z->min[i], z->max[i] >= 0 ? "," : "");
		if (z->max[i] >= 0)
			buffer_printf(out, "\"max\":%d", z->max[i]);
		buffer_text(out, "}}");
		any = true;
	}
	buffer_text(out, "},\"layout\":{");
	put_sets(out, "mustcoexist", z->must, SETS);
	buffer_byte(out, ',');
	put_sets(out, "cantcoexist", z->cant, SETS);
	buffer_byte(out, ',');
	put_sets(out, "mutuallyexclusive", z->exclusive, SETS);
	buffer_text(out, "},");
	put_sets(out, "oneof", &z->oneof, 1);
	buffer_text(out, ",\"counts\":[");
	for (int i = 0; i < z->services && z->rule; i++)
		buffer_printf(out, "%s\"s%d\":%d", i ? "," : "{\"name\":\"r\",\"terms\":{", i, z->factor[i]);
	if (z->rule)
		buffer_printf(out, "},\"min\":%d,\"max\":%d}", z->rule_min, z->rule_max);
	buffer_byte(out, ']');
}

static void
put_types(struct buffer *out, const struct puzzle *z)
{
	buffer_text(out, "\"hardwaretypes\":[");
	for (int h = 0; h < z->types; h++) {
		buffer_printf(out, "%s{\"name\":\"h%d\",\"providermap\":{\"p\":{\"flavor\":\"f\",\"cost\":%d", h ? "," : "", h,
		    z->cost[h]);
		if (z->room[h] >= 0)
			buffer_printf(out, ",\"capacity\":{\"cpu\":%g}", z->room[h] / 2.0);
		if (z->available[h] >= 0)
			buffer_printf(out, ",\"available\":%d", z->available[h]);
		buffer_text(out, "}}}");
	}
	buffer_text(out, "],\"imagetypes\":[");
	for (int i = 0; i < z->images; i++)
		buffer_printf(out, "%s{\"name\":\"i%d\",\"providermap\":{\"p\":{\"image\":\"x\"}}}", i ? "," : "", i);
	buffer_text(out, "],\"services\":[");
	for (int i = 0; i < z->services; i++)
		buffer_printf(out, "%s{\"name\":\"s%d\",\"consumes\":{\"cpu\":%g}}", i ? "," : "", i, z->takes[i] / 2.0);
	buffer_byte(out, ']');
}

static char *
request_text(const struct puzzle *z)
{
	struct buffer out = {0};

	buffer_text(&out, "{\"kind\":\"request\",\"cluster\":{\"name\":\"c\",\"services\":");
	put_names(&out, (1U << z->services) - 1, 's');
	if (z->exact)
		buffer_printf(&out, ",\"numMachines\":%d", z->from);
	else
		buffer_printf(&out, ",\"numMachines\":{\"min\":%d,\"max\":%d}", z->from, z->to);
	buffer_printf(&out, "},\"template\":{\"name\":\"t\",\"objective\":[%s],\"constraints\":{",
	    objective_lists[z->objectives]);
	put_constraints(&out, z);
	buffer_text(&out, "}},\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\"},");
	put_types(&out, z);
	buffer_text(&out, ",\"nodes\":[]}");
	return buffer_take(&out);
}

/* --- the judge --- */

struct pattern {
	unsigned services;
	int type, image, size;
};

struct judge {
	const struct puzzle *z;
	const struct string_list *only; /* demands that count: pointers; NULL: all */
	size_t without;                 /* of only, that one does not count either */
	struct pattern patterns[PATTERNS];
	int count;
	int from, to;
	int vector[PATTERNS], best[PATTERNS];
	bool found, first_will_do;
	int best_cost, best_machines;
};

static bool
counts(const struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool
counts(const struct judge *j, const char *format, ...)
{
	char pointer[200];
	va_list ap;

	if (!j->only)
		return true;
	va_start(ap, format);
	vsnprintf(pointer, sizeof pointer, format, ap);
	va_end(ap);
	for (size_t i = 0; i < j->only->count; i++)
		if (i != j->without && strcmp(j->only->list[i], pointer) == 0)
			return true;
	return false;
}

/* The unnamed services, which stand everywhere. */
static unsigned
everywhere(const struct puzzle *z)
{
	unsigned named = z->oneof.here ? z->oneof.members : 0;

	for (int i = 0; i < SETS; i++) {
		named |= z->must[i].here ? z->must[i].members : 0;
		named |= z->cant[i].here ? z->cant[i].members : 0;
		named |= z->exclusive[i].here ? z->exclusive[i].members : 0;
	}
	for (int i = 0; i < z->services; i++)
		named |= z->entry[i] || z->rule ? 1U << i : 0;
	return ((1U << z->services) - 1) & ~named;
}

/* The place of a set in its list: those before it that are here. */
static int
place_of(const struct set *sets, int i)
{
	int place = 0;

	for (int k = 0; k < i; k++)
		place += sets[k].here;
	return place;
}

static bool
company_is_right(const struct judge *j, unsigned services)
{
	const struct puzzle *z = j->z;
	unsigned all = (1U << z->services) - 1;

	for (int i = 0; i < SETS; i++) {
		unsigned must = z->must[i].members & all, cant = z->cant[i].members, exclusive = services & z->exclusive[i].members;

		if (z->must[i].here && (services & must) && (services & must) != must &&
		    counts(j, "/template/constraints/layout/mustcoexist/%d", place_of(z->must, i)))
			return false;
		if (z->cant[i].here && (services & cant) == cant &&
		    counts(j, "/template/constraints/layout/cantcoexist/%d", place_of(z->cant, i)))
			return false;
		if (z->exclusive[i].here && (exclusive & (exclusive - 1)) &&
		    counts(j, "/template/constraints/layout/mutuallyexclusive/%d", place_of(z->exclusive, i)))
			return false;
	}
	return true;
}

static bool
type_is_right(const struct judge *j, unsigned services, int type)
{
	const struct puzzle *z = j->z;
	int taken = 0;

	for (int i = 0; i < z->services; i++) {
		if (!(services >> i & 1))
			continue;
		if (counts(j, "/services/%d/consumes", i))
			taken += z->takes[i];
		if (z->on_types[i] && !(z->on_types[i] >> type & 1) &&
		    counts(j, "/template/constraints/services/s%d/hardwaretypes", i))
			return false;
	}
	return z->room[type] < 0 || taken <= z->room[type] || !counts(j, "/hardwaretypes/%d/providermap/p/capacity", type);
}

static int
first_image(const struct judge *j, unsigned services)
{
	for (int image = 0; image < j->z->images; image++) {
		bool right = true;

		for (int i = 0; i < j->z->services; i++)
			if ((services >> i & 1) && j->z->on_images[i] && !(j->z->on_images[i] >> image & 1) &&
			    counts(j, "/template/constraints/services/s%d/imagetypes", i))
				right = false;
		if (right)
			return image;
	}
	return -1;
}

static int
compare_patterns(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;

	if (x->size != y->size)
		return y->size - x->size;
	if (x->type != y->type)
		return x->type - y->type;
	if (x->image != y->image)
		return x->image - y->image;
	for (int i = 0; i < SERVICES; i++) /* the first name that only one of them has decides */
		if ((x->services ^ y->services) >> i & 1)
			return x->services >> i & 1 ? -1 : 1;
	return 0;
}

static void
list_patterns(struct judge *j)
{
	unsigned all = everywhere(j->z);

	j->count = 0;
	for (unsigned services = 1; services < 1U << j->z->services; services++)
		for (int type = 0; type < j->z->types; type++) {
			int image = first_image(j, services);

			if ((services & all) == all && image >= 0 && company_is_right(j, services) && type_is_right(j, services, type))
				j->patterns[j->count++] =
				    (struct pattern){services, type, image, __builtin_popcount(services)};
		}
	qsort(j->patterns, (size_t)j->count, sizeof *j->patterns, compare_patterns);
}

static int
least(const struct judge *j, int i)
{
	const struct puzzle *z = j->z;
	bool chosen = z->oneof.here && (z->oneof.members >> i & 1);

	if (z->min[i] > 1 && counts(j, "/template/constraints/services/s%d/quantities/min", i))
		return z->min[i];
	if (z->min[i] == 0 || (z->min[i] < 0 && chosen))
		return 0;
	return counts(j, "/cluster/services/%d", i) ? 1 : 0;
}

static bool
totals_are_right(const struct judge *j)
{
	const struct puzzle *z = j->z;
	int instances[SERVICES] = {0}, of_type[TYPES] = {0}, sum = 0, chosen = 0;

	for (int k = 0; k < j->count; k++) {
		of_type[j->patterns[k].type] += j->vector[k];
		for (int i = 0; i < z->services; i++)
			instances[i] += j->patterns[k].services >> i & 1 ? j->vector[k] : 0;
	}
	for (int i = 0; i < z->services; i++) {
		sum += z->factor[i] * instances[i];
		chosen += (z->oneof.members >> i & 1) && instances[i];
		if (instances[i] < least(j, i) || (z->max[i] >= 0 && instances[i] > z->max[i] &&
		                                      counts(j, "/template/constraints/services/s%d/quantities/max", i)))
			return false;
	}
	for (int h = 0; h < z->types; h++)
		if (z->available[h] >= 0 && of_type[h] > z->available[h] &&
		    counts(j, "/hardwaretypes/%d/providermap/p/available", h))
			return false;
	if (z->rule && (sum < z->rule_min || sum > z->rule_max) && counts(j, "/template/constraints/counts/0"))
		return false;
	return !z->oneof.here || chosen == 1 || !counts(j, "/template/constraints/oneof/0");
}

/* Solutions come in the order of dense: a later one is only better by an objective that comes before it. */
static void
weigh(struct judge *j)
{
	static const char *const orders[] = {"", "c", "m", "m", "c", "cm", ""};
	const char *order = orders[j->z->objectives];
	int cost = 0, machines = 0, better = !j->found;

	if (!totals_are_right(j))
		return;
	for (int k = 0; k < j->count; k++) {
		machines += j->vector[k];
		cost += j->vector[k] * j->z->cost[j->patterns[k].type];
	}
	for (; *order && j->found && !better; order++) {
		int mine = *order == 'c' ? cost : machines, best = *order == 'c' ? j->best_cost : j->best_machines;

		if (mine > best)
			return;
		better = mine < best;
	}
	if (!better)
		return;
	j->found = true;
	j->best_cost = cost;
	j->best_machines = machines;
	memcpy(j->best, j->vector, sizeof j->best);
}

static void
try_counts(struct judge *j, int k, int placed)
{
	if (j->found && j->first_will_do)
		return;
	if (k == j->count) {
		if (placed >= j->from)
			weigh(j);
		return;
	}
	for (int n = j->to - placed; n >= 0; n--) {
		j->vector[k] = n;
		try_counts(j, k + 1, placed + n);
	}
	j->vector[k] = 0;
}

static void
judge(struct judge *j, int relaxed_to)
{
	bool low = j->z->exact ? counts(j, "/cluster/numMachines") : j->z->from != j->z->to
	    ? counts(j, "/cluster/numMachines/min") : counts(j, "/cluster/numMachines");
	bool high = j->z->from == j->z->to ? low : counts(j, "/cluster/numMachines/max");

	j->from = low ? j->z->from : 1;
	j->to = high ? j->z->to : relaxed_to;
	j->found = false;
	memset(j->vector, 0, sizeof j->vector);
	list_patterns(j);
	try_counts(j, 0, 0);
}

/* --- comparing --- */

static bool
conflict_is_minimal(const struct puzzle *z, const struct string_list *conflict)
{
	struct judge j = {.z = z, .only = conflict, .without = SIZE_MAX, .first_will_do = true};

	judge(&j, LIMIT_RELAXED);
	if (j.found)
		return false;
	for (j.without = 0; j.without < conflict->count; j.without++) {
		judge(&j, LIMIT_RELAXED);
		if (!j.found)
			judge(&j, LIMIT_LAST);
		if (!j.found)
			return false;
	}
	return true;
}

static unsigned
members_of(const struct string_list *services)
{
	unsigned members = 0;

	for (size_t i = 0; i < services->count; i++)
		members |= 1U << (services->list[i][1] - '0');
	return members;
}

/* The answer as a vector over the judge's patterns; false where it has a node that is none of them. */
static bool
take_answer(struct judge *j, const struct answer *answer)
{
	memset(j->vector, 0, sizeof j->vector);
	for (size_t i = 0; i < answer->node_count; i++) {
		const struct node *node = &answer->nodes[i];
		int k = 0;

		while (k < j->count && (j->patterns[k].services != members_of(&node->services) ||
		                           j->patterns[k].type != node->hardwaretype[1] - '0' ||
		                           j->patterns[k].image != node->imagetype[1] - '0'))
			k++;
		if (k == j->count)
			return false;
		j->vector[k]++;
	}
	return (int)answer->node_count >= j->from && (int)answer->node_count <= j->to && totals_are_right(j);
}

static bool
answer_is_best(struct judge *j, const struct answer *answer)
{
	int cost = 0;

	if (!take_answer(j, answer) || strcmp(answer->solution.status, "optimal") != 0)
		return false;
	for (int k = 0; k < j->count; k++)
		cost += j->vector[k] * j->z->cost[j->patterns[k].type];
	if (j->z->objectives == 1)
		return cost == j->best_cost;
	if (j->z->objectives == 2)
		return (int)answer->node_count == j->best_machines;
	return memcmp(j->vector, j->best, sizeof j->best) == 0;
}

static const char *
compare(const struct puzzle *z, const char *text, struct answer *answer)
{
	struct judge j = {.z = z};
	struct problems problems = {0};
	struct request request;
	struct error err;
	const char *wrong = NULL;
	jv document;

	if (json_parse("puzzle", text, strlen(text), &document, &err) < 0)
		return "the request is no JSON";
	request_parse(document, &request, &problems);
	jv_free(document);
	judge(&j, 0);
	if (problems.total || solve(&request, &(struct solve_terms){0}, answer, &err) < 0)
		wrong = "the solver failed";
	else if (answer->satisfiable != j.found)
		wrong = j.found ? "a layout exists" : "no layout exists";
	else if (j.found && !answer_is_best(&j, answer))
		wrong = "the layout is not the best";
	else if (!j.found && !conflict_is_minimal(z, &answer->refusal.conflict))
		wrong = "the conflict is none, or is not minimal";
	problems_release(&problems);
	request_release(&request);
	return wrong;
}

static void
tell(uint64_t seed, const char *wrong, const char *text, const struct answer *answer)
{
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s\n# %s\n", seed, wrong, text);
	for (size_t i = 0; i < answer->refusal.conflict.count; i++)
		printf("#   conflict: %s\n", answer->refusal.conflict.list[i]);
	if (answer->satisfiable)
		printf("#   %s\n", answer->solution.status);
	for (size_t i = 0; i < answer->node_count; i++)
		printf("#   node: %s %s %x\n", answer->nodes[i].hardwaretype, answer->nodes[i].imagetype,
		    members_of(&answer->nodes[i].services));
}

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261121;
	int cases = cases_text ? atoi(cases_text) : 2000, layouts = 0, wrong_ones = 0;

	for (int i = 0; i < cases; i++) {
		struct puzzle z;
		struct answer answer = {0};
		const char *wrong;
		char *text;

		state = (seed + (uint64_t)i) * UINT64_C(0x9E3779B97F4A7C15) | 1;
		draw(0, 1);
		draw_puzzle(&z);
		text = request_text(&z);
		wrong = compare(&z, text, &answer);
		layouts += answer.satisfiable;
		if (wrong && wrong_ones++ < 5)
			tell(seed + (uint64_t)i, wrong, text, &answer);
		answer_release(&answer);
		free(text);
	}
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d have a layout\n", seed, cases, layouts);
	tap_is_number(wrong_ones, 0, "the solver agrees with a judge that tries everything");
	tap_ok(cases < 100 || (layouts > cases / 5 && layouts < cases * 9 / 10), "layouts and conflicts were both judged");
	return tap_end();
}
