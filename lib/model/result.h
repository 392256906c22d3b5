/* SPDX-License-Identifier: Apache-2.0
 *
 * What became of an attempt at a task, coopr-result(5): stdout of plugins and coopr-exec, stdin of coopr-queue done.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "base/memory.h"
#include "json/place.h"

struct buffer;
struct document;

struct result {
	struct arena arena;
	const char *job;     /* NULL where the stream gives none */
	const char *task;    /* NULL where a plugin leaves it to coopr-exec */
	int64_t attempt;     /* from 1, which is the default */
	int64_t status;      /* 0 done; 75 temporary; 65, 77, 78 permanent; else retried as the task says */
	const char *message; /* why it failed, one sentence, or NULL */
	const char *hostname; /* facts of the node from now on; NULL, invalid where there are none: */
	jv ipaddresses;      /* {"access_v4":"203.0.113.4"} */
	jv result;           /* {"providerid":"i-1",...}, merged member by member into the node's facts */
	jv source;           /* owned */
};

extern const struct document result_table;

void result_parse(const struct place *place, struct result *result);

/* Appends the canonical record, members of source unknown here included, with a newline. What a plugin does not know
 * (job, task, attempt) can be set before. */
void result_print(const struct result *result, struct buffer *out);
void result_release(struct result *result);

/* Tells whether trying again cannot help. */
bool result_is_permanent(int64_t status);

#endif
