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

enum { EXPECTATION_RUNS = 3 }; /* so many measurements are enough to rely on */

struct expectation { /* what it names is what it is about; NULL: any, or of the whole node */
	enum action action;
	const char *service, *hardwaretype, *imagetype, *provider;
	const char *type;
	double expect_s, p90_s; /* the median and the 90th percentile of what was measured; p90_s < 0: not told */
	int64_t runs;           /* the number of measurements */
};

extern const struct document expectation_table;

struct expectations { /* zero-initialise */
	struct arena arena;
	struct names keys;
	struct expectation *list; /* of each key */
	size_t capacity;
};

/* Reads to the end of the stream; records of other kinds are skipped. Returns 0, or -1 where the stream itself is broken. */
int expectations_read(struct record_reader *reader, struct expectations *expectations, struct problems *problems, struct error *err);
void expectations_release(struct expectations *expectations);

/* Returns what was measured of such a task, whose numbers do not count: in the nearest place with EXPECTATION_RUNS measurements,
 * else in the nearest with any. Near is first the same hardware type, image type and provider, then image type and provider, then
 * provider, then hardware type, then anywhere. NULL: such a task was never measured. */
const struct expectation *expectations_find(const struct expectations *expectations, const struct expectation *task);

#endif
