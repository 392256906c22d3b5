/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads what comes back for a payload, over whatever connection: what its script says, and in the end its status and facts.
 * It is over once the node says so, not when the connection is: something that the script left in the background may hold the
 * streams for ever.
 */
#ifndef SSH_RESPONSE_H
#define SSH_RESPONSE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "event/tail.h"
#include "json/json.h"

struct child;
struct error;
struct machine;
struct payload;
struct supervisor;

enum {
	RESPONSE_FACTS_BYTES = 1024 * 1024,
	RESPONSE_END_MS = 8000, /* for a script that is stopped to end on the node; what runs there gives it four seconds */
};

struct remote_answer {
	int status;       /* the script's exit code, 128 + signal where one ended it */
	jv facts;         /* owned: {"KEY":"VALUE"}, what coopr_result kept */
	char *reason;     /* what coopr_fail said, or NULL */
	struct tail said; /* by the script */
	bool reached;     /* the node answered, whatever became of the script */
};

enum response_phase { RESPONSE_LOGIN, RESPONSE_SCRIPT, RESPONSE_OVER }; /* of stderr */

struct response {
	const struct machine *machine;
	struct payload *payload;
	struct remote_answer *answer;
	void (*log)(void *to, const char *bytes, size_t length); /* takes what is said as it comes */
	void *log_to;
	char begin[64], end[64]; /* the lines that part the phases; on stdout the status follows end */
	enum response_phase phase;
	struct buffer pending; /* of stderr: what may be the start of such a line */
	struct tail login;     /* what ssh and the login said */
	bool has_status;
	int archive;           /* takes what a backup prints, from response_begin on -1: it prints none */
	enum response_archive { RESPONSE_NO_ARCHIVE, RESPONSE_ARCHIVE, RESPONSE_ARCHIVED, RESPONSE_ARCHIVE_FAILED } archived;
	size_t passed;         /* bytes of stdout that were the archive's */
};

/* Begins to read. The answer is filled, and to be released in any case. What the payload has cached is taken out once the node is given it. */
void response_begin(struct response *response, const struct machine *machine, struct payload *payload, struct remote_answer *answer);

/* Takes what was captured of the child, and feeds it what the node asks for. Returns whether the response is complete. */
bool response_read(struct response *response, struct supervisor *supervisor, struct child *child);

/* Ends reading, once the child has ended or the response is complete. Returns 0 if the script ran to its end, else -1 with the
 * reason why not. */
int response_finish(struct response *response, const struct child *child, struct error *err);
void response_release(struct response *response);

void remote_answer_release(struct remote_answer *answer);

#endif
