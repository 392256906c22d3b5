/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/links.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "exec/gate.h"
#include "exec/mux.h"
#include "exec/ssh.h"
#include "exec/tail.h"
#include "exec/task.h"

enum { NOTIFY_BYTES = 16 * 1024 };

enum state { CLOSED, WAITING, OPENING, OPEN, CLOSING };

struct link {
	struct links *links;
	struct gate *gate;
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
	struct link *next;
};

static void
set_due(struct link *link, int64_t due_ms)
{
	link->due_ms = due_ms;
	if (due_ms < link->links->due_ms)
		link->links->due_ms = due_ms;
}

static void
list_add(struct visit_list *list, struct visit *visit)
{
	visit->next = NULL;
	visit->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = visit;
	list->last = visit;
}

static void
list_remove(struct visit_list *list, struct visit *visit)
{
	*(visit->previous ? &visit->previous->next : &list->first) = visit->next;
	*(visit->next ? &visit->next->previous : &list->last) = visit->previous;
}

int
links_open(struct links *links, struct supervisor *supervisor, struct error *err)
{
	const char *given = getenv(SOCKETS_VARIABLE);

	*links = (struct links){.supervisor = supervisor, .own.lock = -1, .notify = -1, .due_ms = INT64_MAX};
	if ((!given || !*given) && sockets_open(&links->own, err) < 0)
		return -1;
	links->directory = memory_string(getenv(SOCKETS_VARIABLE));
	links->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (links->notify < 0 || inotify_add_watch(links->notify, links->directory, IN_CREATE) < 0 ||
	    !supervise_watch(supervisor, links->notify, EPOLLIN))
		return error_errno(err, EX_OSERR, "%s: cannot be watched", links->directory);
	return 0;
}

/* Takes the socket's path. */
static struct link *
link_of(struct links *links, const struct machine *machine, char *socket)
{
	struct link *link = links->first;

	while (link && strcmp(link->socket, socket) != 0)
		link = link->next;
	if (link) {
		free(socket);
		return link;
	}
	link = memory_zeroed(1, sizeof *link);
	*link = (struct link){.links = links, .socket = socket, .gate = gate_of(&links->gates, machine), .next = links->first};
	links->first = link;
	return link;
}

static void
hand_over(struct link *link, struct visit *visit, const struct error *why)
{
	visit->error.code = 0;
	if (why)
		visit->error = *why;
	else
		link->users++;
	visit->socket = link->socket;
	visit->link = why ? NULL : link;
	list_add(&link->links->over, visit);
}

/* Lets all who wait for it go on, or (why) tells them that there is none. */
static void
settle(struct link *link, const struct error *why)
{
	struct visit *visit;

	while ((visit = link->visits.first)) {
		list_remove(&link->visits, visit);
		hand_over(link, visit, why);
	}
}

static void
opened(struct link *link)
{
	link->state = OPEN;
	link->drops = 0;
	set_due(link, clock_monotonic_ms() + LINKS_IDLE_MS);
	if (!link->foreign) {
		link->links->opening--;
		gate_passed(link->gate);
	}
	settle(link, NULL);
}

/* Starts the ssh that is to hold it. */
static void
start(struct link *link)
{
	struct error err;

	ssh_release(&link->ssh);
	link->ssh = (struct ssh){.known_hosts = -1};
	tail_release(&link->said);
	link->said = (struct tail){.dropped = 0};
	child_release(&link->child);
	if (ssh_prepare(link->visits.first->machine, &link->ssh, &err) < 0) {
		link->state = CLOSED;
		settle(link, &err);
		return;
	}
	ssh_hold(link->socket, &link->ssh);
	ssh_address(link->visits.first->machine, &link->ssh);
	link->child = (struct child){.argv = link->ssh.argv.list, .gather_err = true, .die_with_us = true, .owner = link};
	if (supervise_start(link->links->supervisor, &link->child, &err) < 0) {
		link->state = CLOSED;
		settle(link, &err);
		return;
	}
	link->state = OPENING;
	link->links->opening++;
	link->gate->opening++;
}

/* Opens those that wait for it, as many as may be opened at once. */
static void
pump(struct links *links)
{
	int64_t now = clock_monotonic_ms();

	for (struct link *link = links->first; link && links->opening < LINKS_OPENING && !links->closing; link = link->next) {
		if (link->state != WAITING || link->due_ms > now || link->gate->opening >= link->gate->limit)
			continue;
		if (!link->visits.first)
			link->state = CLOSED;
		else if ((link->foreign = mux_answers(link->socket)))
			opened(link);
		else
			start(link);
	}
}

void
links_want(struct links *links, struct visit *visit)
{
	char *socket = ssh_socket(visit->machine);
	struct ssh ssh = {.known_hosts = -1};

	visit->link = NULL;
	visit->error.code = 0;
	if (!socket) {
		/* It has no address: this says so. */
		ssh_prepare(visit->machine, &ssh, &visit->error);
		ssh_release(&ssh);
		list_add(&links->over, visit);
		return;
	}
	visit->link = link_of(links, visit->machine, socket);
	if (visit->link->state == OPEN) {
		hand_over(visit->link, visit, NULL);
		return;
	}
	list_add(&visit->link->visits, visit);
	if (visit->link->state == CLOSED) {
		visit->link->state = WAITING;
		visit->link->due_ms = 0;
		pump(links);
	}
}

struct visit *
links_next(struct links *links)
{
	struct visit *visit = links->over.first;

	if (visit)
		list_remove(&links->over, visit);
	return visit;
}

static void
shut_link(struct link *link)
{
	if (link->foreign) {
		link->state = CLOSED;
		return;
	}
	link->state = CLOSING;
	supervise_stop(link->links->supervisor, &link->child);
}

void
links_lost(struct links *links, struct visit *visit)
{
	struct link *link = visit->link;
	struct error why = visit->error;

	links_leave(links, visit);
	if (++visit->losses > LINKS_LOSSES) {
		hand_over(link, visit, &why);
		return;
	}
	if (link->state == OPEN)
		shut_link(link);
	links_want(links, visit);
}

void
links_leave(struct links *links, struct visit *visit)
{
	struct link *link = visit->link;

	(void)links;
	visit->link = NULL;
	if (!link)
		return;
	if (link->users > 0 && visit->socket) {
		link->users--;
		visit->socket = NULL;
		set_due(link, clock_monotonic_ms() + LINKS_IDLE_MS);
		return;
	}
	list_remove(&link->visits, visit);
}

static void
could_not_open(struct link *link)
{
	struct error err;

	link->links->opening--;
	link->state = CLOSED;
	if (gate_refused(link->gate, &link->said) && link->drops < LINKS_DROPS && link->visits.first) {
		set_due(link, clock_monotonic_ms() + gate_back_off(link->drops++));
		link->state = WAITING;
		return;
	}
	if (link->visits.first)
		ssh_explain(link->visits.first->machine, &link->said, &err);
	link->drops = 0;
	settle(link, &err);
}

static void
ended(struct link *link)
{
	if (link->state == OPENING)
		could_not_open(link);
	else
		link->state = CLOSED;
	if (link->state == CLOSED && link->visits.first) {
		link->state = WAITING;
		link->due_ms = 0;
	}
	pump(link->links);
}

bool
links_heard(const struct child *child, enum supervise_event event)
{
	struct link *link = child->owner;

	if (child->pid == 0)
		return false;
	tail_append(&link->said, link->child.err.data ? link->child.err.data : "", link->child.err.length);
	buffer_clear(&link->child.err);
	if (event == SUPERVISE_ENDED)
		ended(link);
	return true;
}

static void
look_for(struct links *links, const char *name)
{
	struct link *link = links->first;

	while (link && strcmp(file_base_name(link->socket), name) != 0)
		link = link->next;
	if (link && link->state == OPENING)
		opened(link);
}

void
links_look(struct links *links)
{
	char bytes[NOTIFY_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(links->notify, bytes, sizeof bytes);

	for (char *at = bytes; n > 0 && at < bytes + n;) {
		const struct inotify_event *event = (const struct inotify_event *)(const void *)at;

		if (event->len > 0)
			look_for(links, event->name);
		at += sizeof *event + event->len;
	}
	pump(links);
}

void
links_keep_time(struct links *links, int64_t now)
{
	links->due_ms = INT64_MAX;
	for (struct link *link = links->first; link; link = link->next) {
		bool idle = link->state == OPEN && link->users == 0;

		if (idle && link->due_ms <= now)
			shut_link(link);
		else if ((idle || link->state == WAITING) && link->due_ms > now)
			set_due(link, link->due_ms);
	}
	pump(links);
}

static void
free_all(struct links *links)
{
	while (links->first) {
		struct link *link = links->first;

		links->first = link->next;
		ssh_release(&link->ssh);
		child_release(&link->child);
		tail_release(&link->said);
		free(link->socket);
		free(link);
	}
	gates_free(links->gates);
	free(links->directory);
}

void
links_close(struct links *links)
{
	struct child *child;
	unsigned left = 0;

	links->closing = true;
	for (struct link *link = links->first; link; link = link->next)
		if (!link->foreign && (link->state == OPENING || link->state == OPEN || link->state == CLOSING)) {
			supervise_stop(links->supervisor, &link->child);
			left++;
		}
	while (left > 0)
		if (supervise_next(links->supervisor, -1, &child) == SUPERVISE_ENDED && links_heard(child, SUPERVISE_ENDED))
			left--;
	if (links->notify >= 0)
		close(links->notify);
	sockets_close(&links->own);
	free_all(links);
}
