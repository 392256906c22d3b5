/* SPDX-License-Identifier: Apache-2.0
 *
 * The outcome of a task in a plugin written in C, and the result record, coopr-result(5), that tells of it.
 */
#ifndef EXEC_TASK_OUTCOME_H
#define EXEC_TASK_OUTCOME_H

#include "base/error.h"
#include "json/json.h"
#include "model/take/task.h"

struct outcome { /* initialise with OUTCOME_NONE */
	struct error error; /* code 0: it is done */
	const char *error_class; /* static: "capacity"; NULL: what its code says */
	char *hostname;     /* owned, or NULL */
	jv ipaddresses;     /* owned; invalid where nothing is to be said */
	jv facts;           /* the same */
	jv claim;           /* the machines of which a provider asks for one, an array; null gives back what the node has; else invalid */
};

#define OUTCOME_NONE \
	((struct outcome){.error = {.code = 0}, .error_class = NULL, .hostname = NULL, .ipaddresses = jv_invalid(), .facts = jv_invalid(), \
		.claim = jv_invalid()})

/* Returns the result record (owned) of a task that ended with this outcome. */
jv task_outcome_result(const struct task *task, const struct outcome *outcome);

void task_outcome_release(struct outcome *outcome);

#endif
