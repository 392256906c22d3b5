/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests grown from bytes: each byte decides one thing, so that what a fuzzer changes is a rule, a number or a node
 * and not a comma. What is grown is well-formed JSON and a small cluster; its numbers and names may be hostile.
 */
#ifndef TESTS_FUZZ_GROW_H
#define TESTS_FUZZ_GROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "model/objective.h"

struct seed { /* the bytes; behind their end are zeros */
	const uint8_t *data;
	size_t size, at;
};

struct grown {
	struct seed *seed;
	struct buffer *out;
	unsigned services, types, images, zones; /* how many there are */
	bool comma;
};

static inline unsigned
seed_draw(struct seed *seed, unsigned below)
{
	return (seed->at < seed->size ? seed->data[seed->at++] : 0) % below;
}

/* true in one of so many cases, never behind the end */
static inline bool
seed_rare(struct seed *seed, unsigned one_of)
{
	return seed_draw(seed, one_of) == one_of - 1;
}

/* A number: mostly small, seldom what overflows, is lost in a double, or is none. */
static inline const char *
seed_number(struct seed *seed)
{
	static const char *const small[] = {"0", "1", "2", "3", "4", "0.5", "1.5", "6", "8", "\"2\"", "0.25", "12"};
	static const char *const hostile[] = {"-1", "1e15", "9007199254740991", "9007199254740993", "1e300", "1e-7", "0.0000005",
	    "9223372036854775807", "-9223372036854775808", "4294967296", "2000", "999999999.999999", "null", "\"x\"", "0.1", "1e12"};

	if (seed_rare(seed, 24))
		return hostile[seed_draw(seed, sizeof hostile / sizeof *hostile)];
	return small[seed_draw(seed, sizeof small / sizeof *small)];
}

static inline void
grow_comma(struct grown *g)
{
	if (g->comma)
		buffer_byte(g->out, ',');
	g->comma = true;
}

static inline void
grow_open(struct grown *g, const char *name, const char *bracket)
{
	grow_comma(g);
	if (*name)
		buffer_printf(g->out, "\"%s\":", name);
	buffer_text(g->out, bracket);
	g->comma = false;
}

static inline void
grow_close(struct grown *g, char bracket)
{
	buffer_byte(g->out, bracket);
	g->comma = true;
}

static inline void
grow_number(struct grown *g, const char *name)
{
	grow_comma(g);
	buffer_printf(g->out, "\"%s\":%s", name, seed_number(g->seed));
}

/* A name: a letter and a number; seldom one that nothing is called. */
static inline void
grow_name(struct grown *g, char letter, unsigned count)
{
	grow_comma(g);
	buffer_printf(g->out, "\"%c%u\"", letter, seed_rare(g->seed, 32) ? 99 : seed_draw(g->seed, count));
}

static inline void
grow_names(struct grown *g, const char *name, char letter, unsigned count)
{
	unsigned length = seed_draw(g->seed, 4);

	grow_open(g, name, "[");
	for (unsigned i = 0; i < length; i++)
		grow_name(g, letter, count);
	grow_close(g, ']');
}

static inline void
grow_sets(struct grown *g, const char *name)
{
	unsigned sets = seed_draw(g->seed, 3);

	if (!seed_rare(g->seed, 2) || !sets)
		return;
	grow_open(g, name, "[");
	for (unsigned i = 0; i < sets; i++)
		grow_names(g, "", 's', g->services);
	grow_close(g, ']');
}

static inline void
grow_bounds(struct grown *g, const char *name)
{
	grow_open(g, name, "{");
	if (seed_rare(g->seed, 2))
		grow_number(g, "min");
	if (seed_rare(g->seed, 2))
		grow_number(g, "max");
	grow_close(g, '}');
}

static inline void
grow_service_rules(struct grown *g)
{
	grow_open(g, "services", "{");
	for (unsigned i = 0; i < g->services; i++) {
		char name[16];

		if (!seed_rare(g->seed, 2))
			continue;
		snprintf(name, sizeof name, "s%u", i);
		grow_open(g, name, "{");
		if (seed_rare(g->seed, 4))
			grow_names(g, "hardwaretypes", 'h', g->types);
		if (seed_rare(g->seed, 4))
			grow_names(g, "imagetypes", 'i', g->images);
		if (seed_rare(g->seed, 2))
			grow_bounds(g, "quantities");
		grow_close(g, '}');
	}
	grow_close(g, '}');
}

static inline void
grow_count_rules(struct grown *g)
{
	unsigned rules = seed_draw(g->seed, 3);

	grow_open(g, "counts", "[");
	for (unsigned i = 0; i < rules; i++) {
		unsigned terms = 1 + seed_draw(g->seed, 3);

		grow_open(g, "", "{");
		grow_open(g, "terms", "{");
		for (unsigned j = 0; j < terms; j++) {
			grow_comma(g);
			buffer_printf(g->out, "\"s%u\":%s", (i + j) % (g->services + 1), seed_rare(g->seed, 2) ? "-1" : seed_number(g->seed));
		}
		grow_close(g, '}');
		if (seed_rare(g->seed, 2))
			grow_number(g, "min");
		else
			grow_number(g, "max");
		grow_close(g, '}');
	}
	grow_close(g, ']');
}

static inline void
grow_spread(struct grown *g)
{
	grow_open(g, "spread", "[");
	if (seed_rare(g->seed, 3)) {
		grow_open(g, "", "{");
		grow_names(g, "services", 's', g->services);
		grow_comma(g);
		buffer_text(g->out, "\"over\":\"zone\"");
		grow_number(g, "min");
		grow_close(g, '}');
	}
	grow_close(g, ']');
}

/* Some of the objectives, each once, in any order. */
static inline void
grow_objectives(struct grown *g)
{
	unsigned taken = 0;

	buffer_text(g->out, "\"objective\":[");
	for (int left = (int)seed_draw(g->seed, OBJECTIVE_COUNT + 1); left > 0; left--) {
		unsigned objective = (unsigned)seed_draw(g->seed, OBJECTIVE_COUNT);

		if (taken >> objective & 1)
			continue;
		buffer_printf(g->out, "%s\"%s\"", taken ? "," : "", objective_name(objective));
		taken |= 1U << objective;
	}
	buffer_byte(g->out, ']');
}

static inline void
grow_template(struct grown *g)
{
	grow_open(g, "template", "{");
	buffer_text(g->out, "\"name\":\"t\",");
	grow_objectives(g);
	g->comma = true;
	if (seed_rare(g->seed, 8)) {
		grow_open(g, "compatibility", "{");
		grow_names(g, "hardwaretypes", 'h', g->types);
		grow_names(g, "imagetypes", 'i', g->images);
		grow_close(g, '}');
	}
	grow_open(g, "constraints", "{");
	grow_service_rules(g);
	grow_open(g, "layout", "{");
	grow_sets(g, "mustcoexist");
	grow_sets(g, "cantcoexist");
	grow_sets(g, "mutuallyexclusive");
	grow_close(g, '}');
	grow_sets(g, "oneof");
	grow_count_rules(g);
	grow_spread(g);
	if (seed_rare(g->seed, 4))
		grow_bounds(g, "size");
	grow_close(g, '}');
	grow_close(g, '}');
}

static inline void
grow_types(struct grown *g)
{
	grow_open(g, "hardwaretypes", "[");
	for (unsigned i = 0; i < g->types; i++) {
		grow_comma(g);
		buffer_printf(g->out, "{\"name\":\"h%u\",\"providermap\":{\"p\":{\"flavor\":\"f%u\"", i, i);
		g->comma = true;
		if (!seed_rare(g->seed, 8))
			grow_number(g, "cost");
		if (seed_rare(g->seed, 3))
			grow_number(g, "available");
		if (seed_rare(g->seed, 3)) {
			grow_open(g, "capacity", "{");
			grow_number(g, "cpu");
			if (seed_rare(g->seed, 2))
				grow_number(g, "memory");
			grow_close(g, '}');
		}
		buffer_text(g->out, "}}}");
	}
	grow_close(g, ']');
	grow_open(g, "imagetypes", "[");
	for (unsigned i = 0; i < g->images; i++) {
		grow_comma(g);
		buffer_printf(g->out, "{\"name\":\"i%u\",\"providermap\":{\"p\":{\"image\":\"x%u\"}}}", i, i);
	}
	grow_close(g, ']');
}

static inline void
grow_services(struct grown *g)
{
	grow_open(g, "services", "[");
	for (unsigned i = 0; i < g->services; i++) {
		grow_comma(g);
		buffer_printf(g->out, "{\"name\":\"s%u\"", i);
		if (seed_rare(g->seed, 2)) {
			grow_open(g, "consumes", "{");
			grow_number(g, seed_rare(g->seed, 3) ? "memory" : "cpu");
			grow_close(g, '}');
		}
		if (seed_rare(g->seed, 16)) {
			grow_open(g, "dependencies", "{");
			grow_names(g, "conflicts", 's', g->services);
			grow_open(g, "install", "{");
			grow_names(g, "requires", 's', g->services);
			grow_close(g, '}');
			grow_close(g, '}');
		}
		buffer_byte(g->out, '}');
		g->comma = true;
	}
	grow_close(g, ']');
}

static inline void
grow_nodes(struct grown *g)
{
	unsigned nodes = seed_rare(g->seed, 3) ? 1 + seed_draw(g->seed, 4) : 0;

	grow_open(g, "nodes", "[");
	for (unsigned i = 0; i < nodes; i++) {
		grow_open(g, "", "{");
		buffer_printf(g->out, "\"kind\":\"node\",\"id\":\"c-%u\",\"nodenum\":%u,\"hostname\":\"h%u.local\",\"was\":null,", 1000 + i,
		    1000 + i, i);
		buffer_printf(g->out, "\"hardwaretype\":\"h%u\",\"imagetype\":\"i%u\"", seed_draw(g->seed, g->types),
		    seed_draw(g->seed, g->images));
		g->comma = true;
		if (g->zones && !seed_rare(g->seed, 8)) {
			grow_comma(g);
			buffer_printf(g->out, "\"zone\":\"z%u\"", seed_draw(g->seed, g->zones));
		}
		grow_names(g, "services", 's', g->services + 1);
		grow_close(g, '}');
	}
	grow_close(g, ']');
	if (nodes && seed_rare(g->seed, 4)) {
		grow_open(g, "replace", "[");
		grow_comma(g);
		buffer_printf(g->out, "\"c-%u\"", 1000 + seed_draw(g->seed, nodes));
		grow_close(g, ']');
	}
}

static inline void
grow_cluster(struct grown *g)
{
	unsigned way = seed_draw(g->seed, 8);

	grow_open(g, "cluster", "{");
	buffer_text(g->out, "\"id\":\"c\",\"name\":\"c\",\"services\":[");
	for (unsigned i = 0; i < g->services; i++)
		if (i == 0 || !seed_rare(g->seed, 4)) {
			grow_comma(g);
			buffer_printf(g->out, "\"s%u\"", i);
		}
	grow_close(g, ']');
	if (way < 5) {
		grow_comma(g);
		buffer_printf(g->out, "\"numMachines\":%u", 1 + seed_draw(g->seed, 7));
	} else if (way < 7)
		grow_bounds(g, "numMachines");
	if (seed_rare(g->seed, 16)) {
		grow_comma(g);
		buffer_printf(g->out, "\"hardwaretype\":\"h%u\"", seed_draw(g->seed, g->types + 1));
	}
	grow_close(g, '}');
}

/* Appends the request that the bytes are. */
static inline void
grow_request(const uint8_t *data, size_t size, struct buffer *out)
{
	struct seed seed = {data, size, 0};
	struct grown g = {.seed = &seed, .out = out};

	g.services = 1 + seed_draw(&seed, 6);
	g.types = 1 + seed_draw(&seed, 3);
	g.images = 1 + seed_draw(&seed, 2);
	g.zones = seed_draw(&seed, 4);
	buffer_text(out, "{\"kind\":\"request\"");
	g.comma = true;
	grow_cluster(&g);
	grow_template(&g);
	grow_types(&g);
	grow_services(&g);
	grow_open(&g, "provider", "{");
	buffer_text(out, "\"name\":\"p\",\"providertype\":\"dummy\",\"zones\":[");
	for (unsigned i = 0; i < g.zones; i++) {
		grow_comma(&g);
		buffer_printf(out, "\"z%u\"", i);
	}
	grow_close(&g, ']');
	grow_close(&g, '}');
	grow_nodes(&g);
	buffer_byte(out, '}');
}

#endif
