/* SPDX-License-Identifier: Apache-2.0
 *
 * Plugins that stream, coopr-plugins(7), as a worker sees them: one long-lived process for each, which is given many tasks,
 * one a line, and answers each. Where it dies, or has to be ended, all that it was at have failed for now.
 */
#ifndef EXEC_STREAM_H
#define EXEC_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event/supervise.h"
#include "exec/errand.h"

enum {
	STREAM_LINE_BYTES = 1024 * 1024, /* of an answer at most */
	STREAM_DESCRIBE_MS = 10 * 1000,  /* for a plugin to say whether it streams */
	STREAM_GRACE_MS = 10 * 1000,     /* for a plugin to end one task by itself, before all of it is ended */
};

struct streams {
	struct supervisor *supervisor;
	char *const *environment; /* for those that start from now on; NULL: ours */
	struct stream *first;
	struct errand_list over;  /* those to be handed back */
	int64_t deadline;         /* nothing is due before it */
};

void streams_init(struct streams *streams, struct supervisor *supervisor);

/* Gives the errand to the plugin KIND/TYPE, which is started where it does not run. It comes back through streams_over. */
void streams_give(struct streams *streams, const char *kind, const char *type, struct errand *errand);

/* Deals with an event of a stream. Returns whether the event was one. */
bool streams_heard(struct streams *streams, const struct child *child, enum supervise_event event);

/* The next errand that is over, NULL: none. */
struct errand *streams_over(struct streams *streams);

/* Has the plugin end it: it comes back in any case, in STREAM_GRACE_MS and a moment at the latest. */
void streams_cancel(struct streams *streams, struct errand *errand);

/* Ends plugins of which an errand is overdue. Returns when to look again, monotonic; INT64_MAX: need not be. */
int64_t streams_keep_time(struct streams *streams, int64_t now);

/* Plugins that run now are given nothing more, and end when all that they have is done; the next errand is asked anew. */
void streams_renew(struct streams *streams);

/* Ends all that run, and what they do. */
void streams_stop(struct streams *streams);

/* Has all end, also the supervisor's other children: those that stream may close what they keep first, for a while. */
void streams_end(struct streams *streams);

/* Once none runs any more. */
void streams_release(struct streams *streams);

#endif
