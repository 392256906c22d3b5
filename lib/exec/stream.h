/* SPDX-License-Identifier: Apache-2.0
 *
 * Plugins that stream, coopr-plugins(7), as a worker sees them: one long-lived process for each, which is given many tasks,
 * one a line, and answers each. If it dies, or has to be ended, all tasks that it has fail for now. Tasks with secrets have a scope: one
 * process for each, of a plugin that says that it takes them, which ends when there was nothing for it for a while.
 */
#ifndef EXEC_STREAM_H
#define EXEC_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event/supervise.h"
#include "exec/stream-task.h"

enum {
	STREAM_LINE_BYTES = 1024 * 1024, /* of an answer at most */
	STREAM_DESCRIBE_MS = 10 * 1000,  /* for a plugin to say whether it streams */
	STREAM_IDLE_MS = 10 * 1000,      /* a process of a scope waits for its next task */
	STREAM_GRACE_MS = 10 * 1000,     /* for a plugin to end one task by itself, before all of it is ended */
};

struct streams {
	struct supervisor *supervisor;
	char *const *environment;     /* for those that start from now on; NULL: ours */
	struct stream *first;
	struct stream_task_list over; /* those to be handed back */
	int64_t deadline;             /* nothing is due before it */
};

void streams_init(struct streams *streams, struct supervisor *supervisor);

/* Returns 1 where the plugin KIND/TYPE, which streams, has a true member of that name in its description, 0 where not, -1 where its process of
 * that scope does not run and has not described itself yet. */
int streams_say(const struct streams *streams, const char *kind, const char *type, const char *scope, const char *member);

/* Gives the task to the plugin KIND/TYPE, which is started where it does not run. It comes back through streams_over. One with a scope is
 * unsupported unless the plugin's description has "stream_secrets". */
void streams_give(struct streams *streams, const char *kind, const char *type, struct stream_task *task);

/* Deals with an event of a stream. Returns whether the event was one. */
bool streams_child_event(struct streams *streams, const struct child *child, enum supervise_event event);

/* Returns the next task that is over, or NULL. */
struct stream_task *streams_over(struct streams *streams);

/* Has the plugin end the task, which comes back in any case, after STREAM_GRACE_MS and a moment at the latest. */
void streams_cancel(struct streams *streams, struct stream_task *task);

/* Ends plugins of which a task is overdue. Returns when to call it again, monotonic, or INT64_MAX. */
int64_t streams_keep_time(struct streams *streams, int64_t now);

/* Gives plugins that run now nothing more: they end when all that they have is done; for the next task they are started anew. */
void streams_renew(struct streams *streams);

/* Ends all plugins that run, and what they do. */
void streams_stop(struct streams *streams);

/* Has all end, also the supervisor's other children: those that stream may close what they keep first, for a while. */
void streams_end(struct streams *streams);

/* Releases all; none may run any more. */
void streams_release(struct streams *streams);

#endif
