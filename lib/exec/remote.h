/* SPDX-License-Identifier: Apache-2.0
 *
 * One round trip: a payload goes to a node, what its script says streams to our stderr, and status and
 * facts come back. Over once the node says so, not when ssh ends: something that the script left in the
 * background may hold the streams for ever.
 */
#ifndef EXEC_REMOTE_H
#define EXEC_REMOTE_H

#include "exec/tail.h"
#include "json/json.h"

struct error;
struct machine;
struct payload;

enum { REMOTE_FACTS_BYTES = 1024 * 1024 };

struct remote_answer {
	int status;       /* the script's exit code, 128 + signal where one ended it */
	jv facts;         /* owned: {"KEY":"VALUE"}, what coopr_result kept */
	char *reason;     /* what coopr_fail said, or NULL */
	struct tail said; /* by the script */
};

/* become_root: through sudo. 0 once the script ran to its end, whatever its status; else -1: EX_TEMPFAIL
 * (not reached, lost, no room), EX_NOPERM (host key, login, sudo), EX_UNAVAILABLE (there is no ssh here).
 * The answer is to be released in any case. */
int remote_run(const struct machine *machine, const struct payload *payload, bool become_root,
    struct remote_answer *answer, struct error *err);
void remote_answer_release(struct remote_answer *answer);

#endif
