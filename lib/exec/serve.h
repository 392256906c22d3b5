/* SPDX-License-Identifier: Apache-2.0
 *
 * The other side of exec/stream.h: a plugin that does many tasks at once, coopr-plugins(7). It reads task after task, hands
 * each to the plugin's service as a call, ends those that take too long or are cancelled, and prints the answers.
 */
#ifndef EXEC_SERVE_H
#define EXEC_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/supervise.h"
#include "exec/attempt-log.h"
#include "exec/redaction.h"
#include "exec/task-outcome.h"

struct server;

struct call { /* a task that is being done */
	struct task task;
	struct outcome outcome;
	int64_t due_ms;    /* the service is told when this instant has come, monotonic; INT64_MAX: never */
	void *state;       /* the service's */
	struct attempt_log log;
	struct redaction secrets; /* of the task, which are replaced in its log and its answer */
	int64_t deadline_ms; /* of the task's timeout */
	bool ending;
	struct call *next, *previous;
};

struct service {
	/* Begins the call, and answers it at once or later. */
	void (*begin)(struct server *server, struct call *call);
	/* Is called when the call's due_ms has come; with NULL, when the server's wake_ms has. */
	void (*due)(struct server *server, struct call *call);
	/* Deals with an event of a child of the service's. NULL if it has none. */
	void (*child_event)(struct server *server, struct child *child, enum supervise_event event);
	/* Breaks the call off, which is answered at once or later: outcome says why already. */
	void (*end)(struct server *server, struct call *call);
	/* Deals with a descriptor that the service watches. */
	void (*ready)(struct server *server, int fd);
	/* Are called before the first call (-1 and err on failure), and behind the last. Either may be NULL. */
	int (*open)(struct server *server, struct error *err);
	void (*close)(struct server *server);
};

struct server {
	struct supervisor supervisor;
	const struct service *service;
	void *state;         /* the service's */
	int64_t wake_ms;     /* the service may set this earlier: its due(server, NULL) is called then */

	const char *name;
	struct buffer pending; /* of stdin */
	struct buffer answers; /* not written yet */
	bool end;            /* there are no more tasks */
	bool lost;           /* nobody reads the answers */
	struct call *first;
	size_t count;
	int64_t look_ms;     /* no call is due or too late before */
};

/* Has the service do all tasks that come on standard input, until there are no more and all have been answered. name is
 * the plugin's, for messages. Returns the exit code. */
int serve(const struct service *service, const char *name);

/* Answers it with its outcome, and forgets it. */
void serve_answer(struct server *server, struct call *call);

/* Has the service told of the call at that instant. */
void serve_due(struct server *server, struct call *call, int64_t due_ms);

/* Adds to the task's log. */
void serve_log(struct call *call, const char *bytes, size_t length);

#endif
