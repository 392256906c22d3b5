/* SPDX-License-Identifier: Apache-2.0
 *
 * How many tasks of a spool may run at once, coopr-spool(5): the document limits.json.
 *
 *	{"kind":"limits","providers":{"cloud-a":20},"tenants":{"*":50,"qa":10},"total":200}
 */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

#include "base/memory.h"
#include "json/place.h"

struct buffer;
struct document;

struct limit {
	const char *name; /* "*": of each that has none of its own */
	int64_t max;
};

struct limit_list { /* sorted by name */
	struct limit *list;
	size_t count, capacity;
};

struct limits { /* zero-initialise: all unlimited but total, which is to be set to -1 */
	struct arena arena;
	int64_t total; /* -1: unlimited */
	struct limit_list providers, tenants;
};

extern const struct document limits_table;

/* Fills limits from the document; strings live in its arena. */
void limits_parse(const struct place *place, struct limits *limits);

/* Appends the canonical document, with a newline. */
void limits_print(const struct limits *limits, struct buffer *out);

/* Sets the limit of a name; -1 takes it away. */
void limits_set(struct limits *limits, struct limit_list *list, const char *name, int64_t max);

/* Returns the limit of the name, else of "*", else -1. */
int64_t limits_of(const struct limit_list *list, const char *name);

void limits_release(struct limits *limits);

#endif
