/* SPDX-License-Identifier: Apache-2.0
 *
 * How long tasks have taken: the expectation records that coopr-queue stats prints, coopr-queue(1).
 */
#ifndef MODEL_EXPECTATION_H
#define MODEL_EXPECTATION_H

#include "base/memory.h"
#include "base/names.h"
#include "model/action.h"

struct document;
struct error;
struct place;
struct problems;
struct record_reader;

struct expectation {
	enum action action;
	const char *service, *hardwaretype; /* or NULL: of the whole node, of any hardware */
	const char *type;
	double expect_s;
};

extern const struct document expectation_table;

struct expectations { /* zero-initialise */
	struct arena arena;
	struct names keys;
	double *expect_s; /* of each key */
	size_t capacity;
};

/* Takes one record; what is wrong with it goes to its problems. */
void expectations_take(struct expectations *expectations, const struct place *record);

/* Reads to the end of the stream; records of other kinds are skipped. Returns 0, or -1 where the stream itself is broken. */
int expectations_read(struct record_reader *reader, struct expectations *expectations, struct problems *problems, struct error *err);
void expectations_release(struct expectations *expectations);

/* Returns how long such a task takes, in seconds: on nodes of that hardware type (may be NULL), else on any; otherwise if
 * neither is known. service is NULL for an action on the whole node. */
double expectations_find(const struct expectations *expectations, enum action action, const char *service, const char *type,
    const char *hardwaretype, double otherwise);

#endif
