/* SPDX-License-Identifier: Apache-2.0
 *
 * The connections of one that works on many nodes: each is opened once, held by an ssh that does nothing else, used by one
 * visit after another, and closed when it has been idle for CONNECTIONS_IDLE_MS. How many are opened at once follows what the
 * other side takes: sshd drops logins at random beyond its MaxStartups, 10 by default.
 */
#ifndef SSH_CONNECTIONS_H
#define SSH_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/supervise.h"
#include "ssh/sockets.h"

enum {
	CONNECTIONS_IDLE_MS = 60 * 1000,
	CONNECTIONS_OPENING = 32,   /* logins in progress at most, over all; to one address see ssh/login-limit.h */
	CONNECTIONS_DROPS = 6,      /* how often a login that was dropped is tried again */
	CONNECTIONS_LOSSES = 3,     /* how often a connection that is gone when it is wanted is opened again */
};

struct connection;
struct machine;

struct visit { /* of a task to its node */
	const struct machine *machine; /* given, and owner */
	void *owner;

	struct error error;  /* code 0: the connection is there, behind socket */
	const char *socket;
	struct connection *connection;
	unsigned losses;
	struct visit *next, *previous;
};

struct visit_list {
	struct visit *first, *last;
};

struct connections {
	struct supervisor *supervisor;
	struct sockets own;       /* where nobody gave us a directory for sockets */
	char *directory;
	int notify;               /* tells of new sockets in it */
	struct connection *first;
	struct login_limit *limits;
	struct visit_list over;   /* visits that can go on, or cannot */
	unsigned opening;
	int64_t due_ms;           /* connections_keep_time is to be called then, monotonic */
	bool closing;
};

/* The directory of SOCKETS_VARIABLE is used where there is one. */
int connections_open(struct connections *connections, struct supervisor *supervisor, struct error *err);

/* Wants a connection: the visit comes back through connections_next. */
void connections_want(struct connections *connections, struct visit *visit);
struct visit *connections_next(struct connections *connections);

/* The connection was gone when the visit came: it is opened again, and the visit comes back. */
void connections_lost(struct connections *connections, struct visit *visit);

/* The visit is over, or is not made. */
void connections_leave(struct visit *visit);

/* Deals with an event of a connection. Returns whether the event was one. */
bool connections_heard(const struct child *child, enum supervise_event event);

/* notify is readable: which connections are open by now. */
void connections_look(struct connections *connections);

/* Once due_ms has come: closes what is idle, tries again what was dropped. */
void connections_keep_time(struct connections *connections, int64_t now);

/* Closes all, at the same time, and waits for that. */
void connections_close(struct connections *connections);

#endif
