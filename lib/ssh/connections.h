/* SPDX-License-Identifier: Apache-2.0
 *
 * The connections of a process that works on many nodes: each is opened once, held by an ssh that does nothing else, used by
 * one task after another, and closed when it has been idle for CONNECTIONS_IDLE_MS. How many are opened at once follows what the
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

struct connection_user { /* one task that wants to do something on its node */
	const struct machine *machine; /* given, and owner */
	void *owner;

	struct error error;  /* code 0: the connection is there, behind socket */
	const char *socket;
	struct connection *connection;
	unsigned losses;
	struct connection_user *next, *previous;
};

struct connection_user_list {
	struct connection_user *first, *last;
};

struct connections {
	struct supervisor *supervisor;
	struct sockets own;       /* where nobody gave us a directory for sockets */
	char *directory;
	int notify;               /* tells of new sockets in it */
	struct connection *first;
	struct login_limit *limits;
	struct connection_user_list over;   /* those that have their connection, or cannot have it */
	unsigned opening;
	int64_t due_ms;           /* connections_keep_time is to be called then, monotonic */
	bool closing;
};

/* Begins without a connection. The directory of SOCKETS_VARIABLE is used if there is one. */
int connections_open(struct connections *connections, struct supervisor *supervisor, struct error *err);

/* Requests a connection to the user's machine: the user comes back through connections_next. */
void connections_request(struct connections *connections, struct connection_user *user);

/* Returns the next user that has its connection, or (error) cannot have it; NULL if there is none. */
struct connection_user *connections_next(struct connections *connections);

/* Opens a connection again that was gone when the user wanted to use it: the user comes back. */
void connections_lost(struct connections *connections, struct connection_user *user);

/* Ends the use, or the request. */
void connections_leave(struct connection_user *user);

/* Deals with an event of a child. Returns whether the child holds a connection. */
bool connections_child_event(const struct child *child, enum supervise_event event);

/* Reads from notify, which is readable, which connections are open by now. */
void connections_read_notify(struct connections *connections);

/* Closes what is idle and tries again what was dropped, once due_ms has come. */
void connections_keep_time(struct connections *connections, int64_t now);

/* Closes all, at the same time, and waits for that. */
void connections_close(struct connections *connections);

#endif
