/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes back for a payload, over whatever connection: what its script says, and in the end its status and facts. Over
 * once the node says so, not when the connection is: something that the script left in the background may hold the
 * streams for ever.
 */
#ifndef SSH_TALK_H
#define SSH_TALK_H

#include <stdbool.h>

#include "base/buffer.h"
#include "event/tail.h"
#include "json/json.h"

struct child;
struct error;
struct machine;
struct payload;

enum {
	TALK_FACTS_BYTES = 1024 * 1024,
	TALK_END_MS = 8000, /* for a script that is broken off to end on the node; what runs there gives it four seconds */
};

struct remote_answer {
	int status;       /* the script's exit code, 128 + signal where one ended it */
	jv facts;         /* owned: {"KEY":"VALUE"}, what coopr_result kept */
	char *reason;     /* what coopr_fail said, or NULL */
	struct tail said; /* by the script */
	bool reached;     /* the node answered, whatever became of the script */
};

enum talk_phase { TALK_LOGIN, TALK_SCRIPT, TALK_OVER }; /* of stderr */

struct talk {
	const struct machine *machine;
	struct remote_answer *answer;
	void (*say)(void *to, const char *bytes, size_t length); /* hands on what is said as it comes */
	void *to;
	char begin[64], end[64]; /* the lines that part the phases; on stdout the status follows end */
	enum talk_phase phase;
	struct buffer pending; /* of stderr: what may be the start of such a line */
	struct tail login;     /* what ssh and the login said */
	bool has_status;
};

/* Begins; answer is filled, and to be released in any case. */
void talk_begin(struct talk *talk, const struct machine *machine, const struct payload *payload,
    struct remote_answer *answer);

/* Takes what the child has gathered. Whether it need not be listened to any more. */
bool talk_hear(struct talk *talk, struct child *child);

/* Once the child has ended, or need not be listened to: 0 where the script ran to its end, else why not. */
int talk_finish(struct talk *talk, const struct child *child, struct error *err);
void talk_release(struct talk *talk);

void remote_answer_release(struct remote_answer *answer);

#endif
