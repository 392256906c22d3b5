/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin's exit and output mean: the one result record of the attempt, coopr-result(5). A plugin
 * that breaks its contract gets a result all the same, which says how.
 */
#ifndef EXEC_ATTEMPT_RESULT_H
#define EXEC_ATTEMPT_RESULT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "event/tail.h"
#include "json/json.h"

struct redaction;
struct task;

enum {
	ATTEMPT_ANSWER_BYTES = 1024 * 1024, /* of a plugin's stdout at most */
	ATTEMPT_TIMEOUT = 124,              /* status of an attempt that took too long, as timeout(1) has it */
};

struct plugin_end { /* how it went */
	const char *name;         /* "automator/shell" */
	int wait_status;          /* as wait(2) gives it */
	bool timed_out;
	const char *stopped;      /* why coopr-exec itself ended it, or NULL */
	const struct buffer *out; /* its stdout, cut at ATTEMPT_ANSWER_BYTES */
	size_t out_total;
	const struct tail *log;   /* its stderr */
	const struct redaction *secrets; /* that it was given, and that the result must not have */
};

/* Returns the result record, owned. */
jv attempt_result(const struct task *task, const struct plugin_end *end);

/* Returns the result of a task for which no plugin ran, owned. */
jv attempt_refusal(const struct task *task, int status, const char *message);

#endif
