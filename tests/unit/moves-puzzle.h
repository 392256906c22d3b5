/* SPDX-License-Identifier: Apache-2.0
 *
 * Random puzzles about changes of living clusters, and the requests that they are.
 */
#ifndef TESTS_UNIT_MOVES_PUZZLE_H
#define TESTS_UNIT_MOVES_PUZZLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

enum { SERVICES = 3, ZONES = 2, TYPES = 2, IMAGES = 2, NODES = 3, MACHINES = 4, KINDS = 7 * TYPES * IMAGES, ANY_NUMBER = 99, NO_ENTRY = -1 };

struct machine {
	unsigned services; /* bit SERVICES: one that is not in the request */
	int type, image, number;
	int zone; /* ZONES: one that the provider does not name; NO_ENTRY */
	bool left, replaced;
};

struct puzzle {
	int services;
	int min[SERVICES], max[SERVICES];  /* NO_ENTRY */
	unsigned on_types[SERVICES], on_images[SERVICES]; /* 0: any */
	int takes[SERVICES], room[TYPES];  /* room NO_ENTRY: any */
	int available[TYPES], cost[TYPES];
	unsigned must, cant, exclusive, oneof; /* 0: no such set */
	unsigned spread;
	int spread_min, zones; /* that the provider names */
	bool rule;
	int factor[SERVICES], rule_min, rule_max;
	bool asked[SERVICES]; /* the cluster asks for so many instances */
	int asked_min[SERVICES], asked_max[SERVICES]; /* ANY_NUMBER: no bound */
	bool counted; /* numMachines is given */
	int from, to;
	int size, lowered; /* the template's least number of machines, and minMachines; 0: none */
	struct machine nodes[NODES];
	int node_count;
	int moves_max;
	const char *order; /* of objectives: m(oves) c(ost) n(umber) d(ense) */
};

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
draw_set(const struct puzzle *z, int percent)
{
	return chance(percent) ? (unsigned)draw(1, (1 << z->services) - 1) : 0;
}

static void
draw_rules(struct puzzle *z)
{
	bool capacities = chance(30);

	for (int i = 0; i < z->services; i++) {
		bool entry = chance(70);

		z->min[i] = entry && chance(60) ? draw(0, 3) : NO_ENTRY;
		z->max[i] = entry && chance(40) ? draw(z->min[i] > 0 ? z->min[i] : 0, 3) : NO_ENTRY;
		z->on_types[i] = entry && chance(20) ? (unsigned)draw(1, 3) : 0;
		z->on_images[i] = entry && chance(15) ? (unsigned)draw(1, 3) : 0;
		z->takes[i] = draw(0, 4);
		z->factor[i] = draw(-2, 2);
	}
	for (int h = 0; h < TYPES; h++) {
		z->room[h] = capacities && chance(80) ? draw(2, 8) : NO_ENTRY;
		z->available[h] = chance(15) ? draw(0, 3) : ANY_NUMBER;
		z->cost[h] = draw(1, 5);
	}
	z->must = draw_set(z, 25);
	z->cant = draw_set(z, 25);
	z->exclusive = draw_set(z, 25);
	z->oneof = draw_set(z, 10);
	z->spread = draw_set(z, 15);
	z->spread_min = draw(1, 3);
	z->zones = chance(80) ? draw(1, ZONES) : 0;
	z->rule = chance(15);
	z->rule_min = draw(-3, 2);
	z->rule_max = z->rule_min + draw(0, 4);
}

static void
draw_nodes(struct puzzle *z)
{
	unsigned stand = (unsigned)draw(1, (1 << z->services) - 1) | (chance(20) ? 1U << SERVICES : 0);
	bool replace = chance(20);

	z->node_count = draw(1, NODES);
	for (int i = 0; i < z->node_count; i++) {
		struct machine *node = &z->nodes[i];

		*node = (struct machine){.type = draw(0, TYPES - 1), .image = chance(80) ? 0 : 1, .left = chance(5), .number = i};
		node->zone = chance(85) ? draw(0, z->zones ? z->zones - 1 : 0) : chance(50) ? ZONES : NO_ENTRY;
		node->services = (unsigned)draw(1, (1 << (SERVICES + 1)) - 1) & stand;
		node->replaced = replace && !node->left && chance(40);
	}
}

static void
draw_puzzle(struct puzzle *z)
{
	static const char *const orders[] = {"md", "c", "cd", "cm", "nd", "mcd", "nmd", "dm"};
	bool replaces = false;

	*z = (struct puzzle){.services = chance(30) ? 2 : SERVICES};
	draw_rules(z);
	draw_nodes(z);
	for (int i = 0; i < z->node_count; i++)
		replaces = replaces || z->nodes[i].replaced;
	z->counted = !replaces || chance(50);
	z->from = draw(1, MACHINES);
	z->to = chance(75) ? z->from : draw(z->from, MACHINES);
	if (!z->counted) {
		z->from = z->to = 0;
		for (int i = 0; i < z->node_count; i++)
			z->from = z->to = z->to + !z->nodes[i].left;
	}
	z->moves_max = chance(30) ? 0 : chance(60) ? ANY_NUMBER : draw(1, 3);
	z->order = orders[chance(60) ? 0 : draw(1, 7)];
}

/* Lets the cluster ask for numbers of instances, and the template for a number of machines; a part of these puzzles are about new clusters. */
static void
draw_instances(struct puzzle *z)
{
	bool replaces = false;

	for (int i = 0; i < z->services; i++) {
		z->asked[i] = chance(60);
		z->asked_min[i] = draw(0, 3);
		z->asked_max[i] = chance(60) ? z->asked_min[i] : chance(50) ? ANY_NUMBER : draw(z->asked_min[i], 4);
	}
	for (int i = 0; i < z->node_count; i++)
		replaces = replaces || z->nodes[i].replaced;
	z->size = chance(30) ? draw(1, MACHINES) : 0;
	z->lowered = chance(30) ? draw(1, MACHINES) : 0;
	if (!replaces && chance(30))
		z->node_count = 0;
}

/* --- the puzzle as a request --- */

static void
put_names(struct buffer *out, const char *member, unsigned set, char prefix)
{
	bool any = false;

	buffer_printf(out, "\"%s\":[", member);
	for (int i = 0; i <= SERVICES; i++)
		if (set >> i & 1) {
			buffer_printf(out, "%s\"%c%d\"", any ? "," : "", prefix, i);
			any = true;
		}
	buffer_byte(out, ']');
}

static bool
has_entry(const struct puzzle *z, int i)
{
	return z->min[i] >= 0 || z->max[i] >= 0 || z->on_types[i] || z->on_images[i];
}

static void
put_entries(struct buffer *out, const struct puzzle *z)
{
	bool any = false;

	buffer_text(out, "\"services\":{");
	for (int i = 0; i < z->services; i++) {
		if (!has_entry(z, i))
			continue;
		buffer_printf(out, "%s\"s%d\":{", any ? "," : "", i);
		put_names(out, "hardwaretypes", z->on_types[i], 'h');
		buffer_byte(out, ',');
		put_names(out, "imagetypes", z->on_images[i], 'i');
		buffer_text(out, ",\"quantities\":{");
		if (z->min[i] >= 0)
			buffer_printf(out, "\"min\":%d%s", z->min[i], z->max[i] >= 0 ? "," : "");
		if (z->max[i] >= 0)
			buffer_printf(out, "\"max\":%d", z->max[i]);
		buffer_text(out, "}}");
		any = true;
	}
	buffer_byte(out, '}');
}

static void
put_sets(struct buffer *out, const struct puzzle *z)
{
	const struct {
		const char *name;
		unsigned set;
	} sets[] = {{"mustcoexist", z->must}, {"cantcoexist", z->cant}, {"mutuallyexclusive", z->exclusive}, {"oneof", z->oneof}};

	buffer_text(out, ",\"layout\":{");
	for (int i = 0; i < 4; i++) {
		buffer_printf(out, "%s\"%s\":[", i == 3 ? "}," : i ? "," : "", sets[i].name);
		for (int k = 0; k < SERVICES && sets[i].set; k++)
			if (sets[i].set >> k & 1)
				buffer_printf(out, "%s\"s%d\"", sets[i].set & ((1U << k) - 1) ? "," : "[", k);
		buffer_text(out, sets[i].set ? "]]" : "]");
	}
	if (z->spread) {
		buffer_text(out, ",\"spread\":[{");
		put_names(out, "services", z->spread, 's');
		buffer_printf(out, ",\"over\":\"zone\",\"min\":%d}]", z->spread_min);
	}
	for (int i = 0; i < z->services && z->rule; i++)
		buffer_printf(out, "%s\"s%d\":%d", i ? "," : ",\"counts\":[{\"name\":\"r\",\"terms\":{", i, z->factor[i]);
	if (z->rule)
		buffer_printf(out, "},\"min\":%d,\"max\":%d}]", z->rule_min, z->rule_max);
}

static void
put_types(struct buffer *out, const struct puzzle *z)
{
	for (int h = 0; h < TYPES; h++) {
		buffer_printf(out, "%s{\"name\":\"h%d\",\"providermap\":{\"p\":{\"flavor\":\"f\",\"cost\":%d", h ? "," : "\"hardwaretypes\":[",
		    h, z->cost[h]);
		if (z->room[h] >= 0)
			buffer_printf(out, ",\"capacity\":{\"cpu\":%d}", z->room[h]);
		if (z->available[h] != ANY_NUMBER)
			buffer_printf(out, ",\"available\":%d", z->available[h]);
		buffer_text(out, "}}}");
	}
	for (int i = 0; i < IMAGES; i++)
		buffer_printf(out, "%s{\"name\":\"i%d\",\"providermap\":{\"p\":{\"image\":\"x\"}}}", i ? "," : "],\"imagetypes\":[", i);
	for (int i = 0; i < z->services; i++)
		buffer_printf(out, "%s{\"name\":\"s%d\",\"consumes\":{\"cpu\":%d}}", i ? "," : "],\"services\":[", i, z->takes[i]);
}

static void
put_nodes(struct buffer *out, const struct puzzle *z)
{
	bool any = false;

	for (int i = 0; i < z->node_count; i++) {
		const struct machine *node = &z->nodes[i];

		buffer_printf(out, "%s{\"id\":\"n%d\",\"nodenum\":%d,\"hostname\":\"x\",\"hardwaretype\":\"h%d\",\"imagetype\":\"i%d\",\"flavor\":\"f\","
		    "\"image\":\"x\",", i ? "," : "],\"nodes\":[", i, i, node->type, node->image);
		if (node->zone >= 0)
			buffer_printf(out, "\"zone\":\"z%d\",", node->zone);
		put_names(out, node->left ? "was" : "services", node->services, 's');
		buffer_text(out, node->left ? ",\"services\":null}" : "}");
	}
	for (int i = 0; i < z->node_count; i++)
		if (z->nodes[i].replaced) {
			buffer_printf(out, "%s\"n%d\"", any ? "," : "],\"replace\":[", i);
			any = true;
		}
}

static void
put_instances(struct buffer *out, const struct puzzle *z)
{
	bool any = false;

	for (int i = 0; i < z->services; i++) {
		if (!z->asked[i])
			continue;
		buffer_printf(out, "%s\"s%d\":", any ? "," : ",\"instances\":{", i);
		any = true;
		if (z->asked_min[i] == z->asked_max[i])
			buffer_printf(out, "%d", z->asked_min[i]);
		else if (z->asked_max[i] == ANY_NUMBER)
			buffer_printf(out, "{\"min\":%d}", z->asked_min[i]);
		else
			buffer_printf(out, "{\"min\":%d,\"max\":%d}", z->asked_min[i], z->asked_max[i]);
	}
	buffer_text(out, any ? "}" : "");
}

static char *
request_text(const struct puzzle *z)
{
	static const char *const names[] = {"moves", "cost", "machines", "dense"};
	struct buffer out = {0};

	buffer_text(&out, "{\"kind\":\"request\",\"cluster\":{\"name\":\"c\",");
	put_names(&out, "services", (1U << z->services) - 1, 's');
	if (z->counted && z->from == z->to)
		buffer_printf(&out, ",\"numMachines\":%d", z->from);
	else if (z->counted)
		buffer_printf(&out, ",\"numMachines\":{\"min\":%d,\"max\":%d}", z->from, z->to);
	put_instances(&out, z);
	if (z->lowered)
		buffer_printf(&out, ",\"minMachines\":%d", z->lowered);
	buffer_text(&out, "},\"template\":{\"name\":\"t\",\"objective\":[");
	for (const char *o = z->order; *o; o++)
		buffer_printf(&out, "%s\"%s\"", o > z->order ? "," : "", names[strchr("mcnd", *o) - "mcnd"]);
	buffer_text(&out, "],\"constraints\":{");
	put_entries(&out, z);
	put_sets(&out, z);
	if (z->size)
		buffer_printf(&out, ",\"size\":{\"min\":%d}", z->size);
	buffer_text(&out, "}},\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\",");
	put_names(&out, "zones", (1U << z->zones) - 1, 'z');
	buffer_text(&out, "},");
	put_types(&out, z);
	put_nodes(&out, z);
	buffer_text(&out, "]}");
	return buffer_take(&out);
}

#endif
