/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/connections.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/tail.h"
#include "model/take/task.h"
#include "ssh/login-limit.h"
#include "ssh/mux.h"
#include "ssh/ssh.h"

enum { NOTIFY_BYTES = 16 * 1024 };

enum state { CLOSED, WAITING, OPENING, OPEN, CLOSING };

struct connection {
	struct connections *all;
	struct login_limit *limit;
	char *socket;
	enum state state;
	bool foreign;             /* somebody else holds it */
	struct ssh ssh;
	struct child child;
	struct tail said;
	struct connection_user_list waiting; /* those that wait for it */
	unsigned users, drops;
	int64_t due_ms;           /* WAITING: not before; OPEN and without users: to be closed */
	struct connection *next;
};

static void
connections_set_due(struct connection *connection, int64_t due_ms)
{
	connection->due_ms = due_ms;
	if (due_ms < connection->all->due_ms)
		connection->all->due_ms = due_ms;
}

static void
connections_add_user(struct connection_user_list *list, struct connection_user *user)
{
	user->next = NULL;
	user->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = user;
	list->last = user;
}

static void
connections_remove_user(struct connection_user_list *list, struct connection_user *user)
{
	*(user->previous ? &user->previous->next : &list->first) = user->next;
	*(user->next ? &user->next->previous : &list->last) = user->previous;
}

int
connections_open(struct connections *all, struct supervisor *supervisor, struct error *err)
{
	const char *given = getenv(SOCKETS_VARIABLE);

	*all = (struct connections){.supervisor = supervisor, .own.held.lock = -1, .notify = -1, .due_ms = INT64_MAX};
	if ((!given || !*given) && sockets_open(&all->own, err) < 0)
		return -1;
	all->directory = memory_string(getenv(SOCKETS_VARIABLE));
	all->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (all->notify < 0 || inotify_add_watch(all->notify, all->directory, IN_CREATE) < 0 ||
	    !supervise_watch(supervisor, all->notify, EPOLLIN))
		return error_errno(err, EX_OSERR, "%s: cannot be watched", all->directory);
	return 0;
}

/* Returns the connection behind the socket, a new one if there was none; takes the path. */
static struct connection *
connections_find(struct connections *all, const struct machine *machine, char *socket)
{
	struct connection *connection = all->first;

	while (connection && strcmp(connection->socket, socket) != 0)
		connection = connection->next;
	if (connection) {
		free(socket);
		return connection;
	}
	connection = memory_zeroed(1, sizeof *connection);
	*connection = (struct connection){.all = all, .socket = socket, .limit = login_limit_of(&all->limits, machine),
	    .next = all->first};
	all->first = connection;
	return connection;
}

/* Gives a user its connection, or (why) tells it that there is none. */
static void
connections_answer(struct connection *connection, struct connection_user *user, const struct error *why)
{
	user->error.code = 0;
	if (why)
		user->error = *why;
	else
		connection->users++;
	user->socket = connection->socket;
	user->connection = why ? NULL : connection;
	connections_add_user(&connection->all->over, user);
}

/* Does the same for all that wait for it. */
static void
connections_answer_waiting(struct connection *connection, const struct error *why)
{
	struct connection_user *user;

	while ((user = connection->waiting.first)) {
		connections_remove_user(&connection->waiting, user);
		connections_answer(connection, user, why);
	}
}

static void
connections_opened(struct connection *connection)
{
	connection->state = OPEN;
	connection->drops = 0;
	connections_set_due(connection, clock_monotonic_ms() + CONNECTIONS_IDLE_MS);
	if (!connection->foreign) {
		connection->all->opening--;
		login_limit_succeeded(connection->limit);
	}
	connections_answer_waiting(connection, NULL);
}

/* Starts the ssh that is to hold it. */
static void
connections_start(struct connection *connection)
{
	struct error err;

	ssh_release(&connection->ssh);
	connection->ssh = (struct ssh){.known_hosts = -1};
	tail_release(&connection->said);
	connection->said = (struct tail){.dropped = 0};
	child_release(&connection->child);
	if (ssh_prepare(connection->waiting.first->machine, &connection->ssh, &err) < 0) {
		connection->state = CLOSED;
		connections_answer_waiting(connection, &err);
		return;
	}
	ssh_hold(connection->socket, &connection->ssh);
	ssh_address(connection->waiting.first->machine, &connection->ssh);
	connection->child = (struct child){.argv = connection->ssh.argv.list, .capture_err = true, .die_with_us = true,
	    .owner = connection};
	if (supervise_start(connection->all->supervisor, &connection->child, &err) < 0) {
		connection->state = CLOSED;
		connections_answer_waiting(connection, &err);
		return;
	}
	connection->state = OPENING;
	connection->all->opening++;
	connection->limit->opening++;
}

/* Opens those that wait for it, as many as may be opened at once. */
static void
connections_open_waiting(struct connections *all)
{
	int64_t now = clock_monotonic_ms();

	for (struct connection *connection = all->first; connection; connection = connection->next) {
		const struct login_limit *limit = connection->limit;

		if (all->closing || all->opening >= CONNECTIONS_OPENING)
			return;
		if (connection->state != WAITING || connection->due_ms > now || limit->opening >= limit->allowed)
			continue;
		if (!connection->waiting.first)
			connection->state = CLOSED;
		else if ((connection->foreign = mux_answers(connection->socket)))
			connections_opened(connection);
		else
			connections_start(connection);
	}
}

void
connections_request(struct connections *all, struct connection_user *user)
{
	char *socket = ssh_socket(user->machine);
	struct ssh ssh = {.known_hosts = -1};

	user->connection = NULL;
	user->error.code = 0;
	if (!socket) {
		/* It has no address: this says so. */
		ssh_prepare(user->machine, &ssh, &user->error);
		ssh_release(&ssh);
		connections_add_user(&all->over, user);
		return;
	}
	user->connection = connections_find(all, user->machine, socket);
	if (user->connection->state == OPEN) {
		connections_answer(user->connection, user, NULL);
		return;
	}
	connections_add_user(&user->connection->waiting, user);
	if (user->connection->state == CLOSED) {
		user->connection->state = WAITING;
		user->connection->due_ms = 0;
		connections_open_waiting(all);
	}
}

struct connection_user *
connections_next(struct connections *all)
{
	struct connection_user *user = all->over.first;

	if (user)
		connections_remove_user(&all->over, user);
	return user;
}

static void
connections_shut(struct connection *connection)
{
	if (connection->foreign) {
		connection->state = CLOSED;
		return;
	}
	connection->state = CLOSING;
	supervise_stop(connection->all->supervisor, &connection->child);
}

void
connections_lost(struct connections *all, struct connection_user *user)
{
	struct connection *connection = user->connection;
	struct error why = user->error;

	connections_leave(user);
	if (++user->losses > CONNECTIONS_LOSSES) {
		connections_answer(connection, user, &why);
		return;
	}
	if (connection->state == OPEN)
		connections_shut(connection);
	connections_request(all, user);
}

void
connections_leave(struct connection_user *user)
{
	struct connection *connection = user->connection;

	user->connection = NULL;
	if (!connection)
		return;
	if (connection->users > 0 && user->socket) {
		connection->users--;
		user->socket = NULL;
		connections_set_due(connection, clock_monotonic_ms() + CONNECTIONS_IDLE_MS);
		return;
	}
	connections_remove_user(&connection->waiting, user);
}

/* Deals with the end of the ssh that holds a connection, or was to open it. */
static void
connections_ended(struct connection *connection)
{
	struct connections *all = connection->all;
	bool opening = connection->state == OPENING, dropped = false;
	struct error err;

	connection->state = CLOSED;
	if (opening) {
		all->opening--;
		dropped = login_limit_failed(connection->limit, &connection->said) && connection->drops < CONNECTIONS_DROPS &&
		    connection->waiting.first;
	}
	if (dropped) {
		connections_set_due(connection, clock_monotonic_ms() + login_limit_back_off(connection->drops++));
		connection->state = WAITING;
	} else if (opening) {
		if (connection->waiting.first)
			ssh_explain(connection->waiting.first->machine, &connection->said, &err);
		connection->drops = 0;
		connections_answer_waiting(connection, &err);
	} else if (connection->waiting.first) {
		connection->state = WAITING;
		connection->due_ms = 0;
	}
	connections_open_waiting(all);
}

bool
connections_child_event(const struct child *child, enum supervise_event event)
{
	struct connection *connection = child->owner;
	struct buffer *said;

	if (child->pid == 0)
		return false;
	said = &connection->child.err;
	tail_append(&connection->said, buffer_string(said), said->length);
	buffer_clear(said);
	if (event == SUPERVISE_ENDED)
		connections_ended(connection);
	return true;
}

void
connections_read_notify(struct connections *all)
{
	char bytes[NOTIFY_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(all->notify, bytes, sizeof bytes);

	for (char *at = bytes; n > 0 && at < bytes + n;) {
		const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
		struct connection *connection = event->len > 0 ? all->first : NULL;

		while (connection && strcmp(file_base_name(connection->socket), event->name) != 0)
			connection = connection->next;
		if (connection && connection->state == OPENING)
			connections_opened(connection);
		at += sizeof *event + event->len;
	}
	connections_open_waiting(all);
}

void
connections_keep_time(struct connections *all, int64_t now)
{
	all->due_ms = INT64_MAX;
	for (struct connection *connection = all->first; connection; connection = connection->next) {
		bool idle = connection->state == OPEN && connection->users == 0;

		if (idle && connection->due_ms <= now)
			connections_shut(connection);
		else if ((idle || connection->state == WAITING) && connection->due_ms > now)
			connections_set_due(connection, connection->due_ms);
	}
	connections_open_waiting(all);
}

void
connections_close(struct connections *all)
{
	struct connection *connection;
	struct child *child;
	unsigned left = 0;

	all->closing = true;
	for (connection = all->first; connection; connection = connection->next) {
		if (connection->foreign || connection->state == CLOSED || connection->state == WAITING)
			continue;
		supervise_stop(all->supervisor, &connection->child);
		left++;
	}
	while (left > 0)
		if (supervise_next(all->supervisor, -1, &child) == SUPERVISE_ENDED &&
		    connections_child_event(child, SUPERVISE_ENDED))
			left--;
	if (all->notify >= 0)
		close(all->notify);
	sockets_close(&all->own);
	while ((connection = all->first)) {
		all->first = connection->next;
		ssh_release(&connection->ssh);
		child_release(&connection->child);
		tail_release(&connection->said);
		free(connection->socket);
		free(connection);
	}
	login_limits_free(all->limits);
	free(all->directory);
}
