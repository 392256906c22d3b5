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
	struct machine machine;   /* of the visit for which it is opened; valid while it is */
	struct visit_list visits; /* that wait for it */
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
connections_list_add(struct visit_list *list, struct visit *visit)
{
	visit->next = NULL;
	visit->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = visit;
	list->last = visit;
}

static void
connections_list_remove(struct visit_list *list, struct visit *visit)
{
	*(visit->previous ? &visit->previous->next : &list->first) = visit->next;
	*(visit->next ? &visit->next->previous : &list->last) = visit->previous;
}

int
connections_open(struct connections *all, struct supervisor *supervisor, struct error *err)
{
	const char *given = getenv(SOCKETS_VARIABLE);

	*all = (struct connections){.supervisor = supervisor, .own.lock = -1, .notify = -1, .due_ms = INT64_MAX};
	if ((!given || !*given) && sockets_open(&all->own, err) < 0)
		return -1;
	all->directory = memory_string(getenv(SOCKETS_VARIABLE));
	all->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (all->notify < 0 || inotify_add_watch(all->notify, all->directory, IN_CREATE) < 0 ||
	    !supervise_watch(supervisor, all->notify, EPOLLIN))
		return error_errno(err, EX_OSERR, "%s: cannot be watched", all->directory);
	return 0;
}

/* Takes the socket's path. */
static struct connection *
connections_connection_to(struct connections *all, const struct machine *machine, char *socket)
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

static void
connections_hand_over(struct connection *connection, struct visit *visit, const struct error *why)
{
	visit->error.code = 0;
	if (why)
		visit->error = *why;
	else
		connection->users++;
	visit->socket = connection->socket;
	visit->connection = why ? NULL : connection;
	connections_list_add(&connection->all->over, visit);
}

/* Lets all who wait for it go on, or (why) tells them that there is none. */
static void
connections_settle(struct connection *connection, const struct error *why)
{
	struct visit *visit;

	while ((visit = connection->visits.first)) {
		connections_list_remove(&connection->visits, visit);
		connections_hand_over(connection, visit, why);
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
	connections_settle(connection, NULL);
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
	if (ssh_prepare(connection->visits.first->machine, &connection->ssh, &err) < 0) {
		connection->state = CLOSED;
		connections_settle(connection, &err);
		return;
	}
	ssh_hold(connection->socket, &connection->ssh);
	ssh_address(connection->visits.first->machine, &connection->ssh);
	connection->child = (struct child){.argv = connection->ssh.argv.list, .gather_err = true, .die_with_us = true,
	    .owner = connection};
	if (supervise_start(connection->all->supervisor, &connection->child, &err) < 0) {
		connection->state = CLOSED;
		connections_settle(connection, &err);
		return;
	}
	connection->state = OPENING;
	connection->all->opening++;
	connection->limit->opening++;
}

/* Opens those that wait for it, as many as may be opened at once. */
static void
connections_pump(struct connections *all)
{
	int64_t now = clock_monotonic_ms();

	for (struct connection *connection = all->first; connection; connection = connection->next) {
		const struct login_limit *limit = connection->limit;

		if (all->closing || all->opening >= CONNECTIONS_OPENING)
			return;
		if (connection->state != WAITING || connection->due_ms > now || limit->opening >= limit->allowed)
			continue;
		if (!connection->visits.first)
			connection->state = CLOSED;
		else if ((connection->foreign = mux_answers(connection->socket)))
			connections_opened(connection);
		else
			connections_start(connection);
	}
}

void
connections_want(struct connections *all, struct visit *visit)
{
	char *socket = ssh_socket(visit->machine);
	struct ssh ssh = {.known_hosts = -1};

	visit->connection = NULL;
	visit->error.code = 0;
	if (!socket) {
		/* It has no address: this says so. */
		ssh_prepare(visit->machine, &ssh, &visit->error);
		ssh_release(&ssh);
		connections_list_add(&all->over, visit);
		return;
	}
	visit->connection = connections_connection_to(all, visit->machine, socket);
	if (visit->connection->state == OPEN) {
		connections_hand_over(visit->connection, visit, NULL);
		return;
	}
	connections_list_add(&visit->connection->visits, visit);
	if (visit->connection->state == CLOSED) {
		visit->connection->state = WAITING;
		visit->connection->due_ms = 0;
		connections_pump(all);
	}
}

struct visit *
connections_next(struct connections *all)
{
	struct visit *visit = all->over.first;

	if (visit)
		connections_list_remove(&all->over, visit);
	return visit;
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
connections_lost(struct connections *all, struct visit *visit)
{
	struct connection *connection = visit->connection;
	struct error why = visit->error;

	connections_leave(visit);
	if (++visit->losses > CONNECTIONS_LOSSES) {
		connections_hand_over(connection, visit, &why);
		return;
	}
	if (connection->state == OPEN)
		connections_shut(connection);
	connections_want(all, visit);
}

void
connections_leave(struct visit *visit)
{
	struct connection *connection = visit->connection;

	visit->connection = NULL;
	if (!connection)
		return;
	if (connection->users > 0 && visit->socket) {
		connection->users--;
		visit->socket = NULL;
		connections_set_due(connection, clock_monotonic_ms() + CONNECTIONS_IDLE_MS);
		return;
	}
	connections_list_remove(&connection->visits, visit);
}

static void
connections_could_not_open(struct connection *connection)
{
	struct error err;

	connection->all->opening--;
	connection->state = CLOSED;
	if (login_limit_failed(connection->limit, &connection->said) && connection->drops < CONNECTIONS_DROPS &&
	    connection->visits.first) {
		connections_set_due(connection, clock_monotonic_ms() + login_limit_back_off(connection->drops++));
		connection->state = WAITING;
		return;
	}
	if (connection->visits.first)
		ssh_explain(connection->visits.first->machine, &connection->said, &err);
	connection->drops = 0;
	connections_settle(connection, &err);
}

static void
connections_ended(struct connection *connection)
{
	if (connection->state == OPENING)
		connections_could_not_open(connection);
	else
		connection->state = CLOSED;
	if (connection->state == CLOSED && connection->visits.first) {
		connection->state = WAITING;
		connection->due_ms = 0;
	}
	connections_pump(connection->all);
}

bool
connections_heard(const struct child *child, enum supervise_event event)
{
	struct connection *connection = child->owner;
	struct buffer *said;

	if (child->pid == 0)
		return false;
	said = &connection->child.err;
	tail_append(&connection->said, said->data ? said->data : "", said->length);
	buffer_clear(said);
	if (event == SUPERVISE_ENDED)
		connections_ended(connection);
	return true;
}

static void
connections_look_for(struct connections *all, const char *name)
{
	struct connection *connection = all->first;

	while (connection && strcmp(file_base_name(connection->socket), name) != 0)
		connection = connection->next;
	if (connection && connection->state == OPENING)
		connections_opened(connection);
}

void
connections_look(struct connections *all)
{
	char bytes[NOTIFY_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(all->notify, bytes, sizeof bytes);

	for (char *at = bytes; n > 0 && at < bytes + n;) {
		const struct inotify_event *event = (const struct inotify_event *)(const void *)at;

		if (event->len > 0)
			connections_look_for(all, event->name);
		at += sizeof *event + event->len;
	}
	connections_pump(all);
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
	connections_pump(all);
}

static void
connections_free_all(struct connections *all)
{
	while (all->first) {
		struct connection *connection = all->first;

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

void
connections_close(struct connections *all)
{
	struct child *child;
	unsigned left = 0;

	all->closing = true;
	for (struct connection *connection = all->first; connection; connection = connection->next) {
		if (connection->foreign || connection->state == CLOSED || connection->state == WAITING)
			continue;
		supervise_stop(all->supervisor, &connection->child);
		left++;
	}
	while (left > 0)
		if (supervise_next(all->supervisor, -1, &child) == SUPERVISE_ENDED && connections_heard(child, SUPERVISE_ENDED))
			left--;
	if (all->notify >= 0)
		close(all->notify);
	sockets_close(&all->own);
	connections_free_all(all);
}
