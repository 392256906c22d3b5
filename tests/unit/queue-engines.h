/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines that the suite drives: each test runs on each of them; what is asked of a queue that outlives its process only on
 * those that do. A further engine is a row.
 */
#ifndef TESTS_UNIT_QUEUE_ENGINES_H
#define TESTS_UNIT_QUEUE_ENGINES_H

#include "queue-memory.h"
#include "queue/queue.h"

static const struct suite_engine {
	const char *name;
	struct queue *(*open)(const char *where, enum queue_mode mode, struct error *err); /* where: a name without a slash */
	bool lasts; /* what was acknowledged outlives the process, and its cache can be damaged */
} suite_engines[] = {
	{"spool", queue_open, true},
	{"memory", memory_open, false},
};

enum { SUITE_ENGINES = sizeof suite_engines / sizeof *suite_engines };

#endif
