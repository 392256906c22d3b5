/* SPDX-License-Identifier: Apache-2.0
 *
 * How long tasks have taken: the expectation records that coopr-queue stats prints, coopr-plan(5).
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "base/memory.h"
#include "base/names.h"
#include "model/action.h"

struct error;
struct place;
struct problems;
struct record_reader;

struct history { /* zero-initialise */
	struct arena arena;
	struct names keys;
	double *expect_s; /* of each key */
	size_t capacity;
};

/* Takes one record; what is wrong with it goes to its problems. */
void history_take(struct history *history, const struct place *record);

/* Reads to the end of the stream; records of other kinds are skipped. Returns 0, or -1 where the stream itself is broken. */
int history_read(struct record_reader *reader, struct history *history, struct problems *problems, struct error *err);
void history_release(struct history *history);

/* How long such a task takes, in seconds: on nodes of that hardware type (may be NULL), else on any; otherwise where
 * neither is known. service is NULL for an action on the whole node. */
double history_expect(const struct history *history, enum action action, const char *service, const char *type,
    const char *hardwaretype, double otherwise);

#endif
