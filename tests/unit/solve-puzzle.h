/* SPDX-License-Identifier: Apache-2.0
 *
 * Small random puzzles for the solver, and what they are as requests.
 */
#ifndef TESTS_UNIT_SOLVE_PUZZLE_H
#define TESTS_UNIT_SOLVE_PUZZLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"

enum { SERVICES = 4, TYPES = 2, IMAGES = 2, SETS = 2, ZONES = 3, PATTERNS = 15 * TYPES, LIMIT_RELAXED = 5, LIMIT_LAST = 8 };

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
	int zones;                 /* of the provider */
	struct set spread;
	int spread_min;
	int objectives; /* which list of them */
};

static const char *const objective_lists[] = {"", "\"cost\"", "\"machines\"", "\"machines\",\"dense\"",
    "\"cost\",\"dense\"", "\"cost\",\"machines\",\"dense\"", "\"dense\",\"cost\""};

static uint64_t state;

static inline int
draw(int from, int to)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return from + (int)((state >> 11) % (uint64_t)(to - from + 1));
}

static inline bool
chance(int percent)
{
	return draw(1, 100) <= percent;
}

static inline unsigned
draw_members(const struct puzzle *z)
{
	unsigned members = 0;

	while (!members)
		for (int i = 0; i < z->services; i++)
			members |= chance(50) ? 1U << i : 0;
	return members | (chance(10) ? 1U << 7 : 0);
}

static inline void
draw_service(struct puzzle *z, int i)
{
	z->entry[i] = chance(75);
	z->min[i] = z->entry[i] && chance(60) ? draw(0, 2) : -1;
	z->max[i] = z->entry[i] && chance(50) ? draw(z->min[i] > 0 && chance(90) ? z->min[i] : 0, 3) : -1;
	z->on_types[i] = z->entry[i] && chance(25) ? (unsigned)draw(1, 3) : 0;
	z->on_images[i] = z->entry[i] && chance(25) ? (unsigned)draw(1, 3) : 0;
	z->takes[i] = draw(0, 4);
}

static inline void
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
	z->zones = chance(35) ? draw(1, ZONES) : 0;
	z->spread = (struct set){chance(z->zones ? 70 : 3), draw_members(z)};
	z->spread_min = draw(1, 3);
	z->objectives = chance(60) ? 0 : draw(1, 6);
}

/* --- the puzzle as a request --- */

static inline void
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

static inline void
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

static inline void
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
	buffer_text(out, "],\"spread\":[");
	if (z->spread.here) {
		buffer_text(out, "{\"over\":\"zone\",\"services\":");
		put_names(out, z->spread.members, 's');
		buffer_printf(out, ",\"min\":%d}", z->spread_min);
	}
	buffer_byte(out, ']');
}

static inline void
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

static inline char *
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
	buffer_text(&out, "}},\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\",\"zones\":");
	put_names(&out, (1U << z->zones) - 1, 'z');
	buffer_text(&out, "},");
	put_types(&out, z);
	buffer_text(&out, ",\"nodes\":[]}");
	return buffer_take(&out);
}

/* The puzzle of a seed, as a request; to be freed. */
static inline char *
puzzle_text(uint64_t seed, struct puzzle *z)
{
	state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
	draw(0, 1);
	draw_puzzle(z);
	return request_text(z);
}

#endif
