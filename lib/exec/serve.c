/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/message.h"
#include "exec/attempt-result.h"
#include "json/record.h"

enum { CHUNK = 256 * 1024, LINE_BYTES = 64 * 1024 * 1024 };

static void
serve_flush(struct server *server)
{
	if (server->answers.length > 0 && !server->lost &&
	    file_write_all(STDOUT_FILENO, server->answers.data, server->answers.length) < 0)
		server->lost = true;
	buffer_clear(&server->answers);
}

void
serve_answer(struct server *server, struct call *call)
{
	jv result = task_outcome_result(&call->task, &call->outcome);

	redaction_value(&call->secrets, &result);
	json_dump(result, &server->answers);
	buffer_byte(&server->answers, '\n');
	jv_free(result);
	*(call->previous ? &call->previous->next : &server->first) = call->next;
	if (call->next)
		call->next->previous = call->previous;
	server->count--;
	attempt_log_close(&call->log);
	task_outcome_release(&call->outcome);
	redaction_release(&call->secrets);
	task_release(&call->task);
	free(call);
}

void
serve_due(struct server *server, struct call *call, int64_t due_ms)
{
	call->due_ms = due_ms;
	if (due_ms < server->look_ms)
		server->look_ms = due_ms;
}

void
serve_log(struct call *call, const char *bytes, size_t length)
{
	attempt_log_append(&call->log, bytes, length);
}

static void
serve_end_call(struct server *server, struct call *call)
{
	if (!call->ending) {
		call->ending = true;
		server->service->end(server, call);
	}
}

/* Takes the values of the record's secrets, each by the name of the field that has it. */
static void
serve_take_secrets(struct call *call, jv record)
{
	for (size_t i = 0; i < call->task.secrets.count; i++) {
		const char *pointer = call->task.secrets.list[i], *name = strrchr(pointer, '/');
		jv value = json_at(record, pointer);

		if (name && json_string(value))
			redaction_add(&call->secrets, name + 1, json_string(value));
		jv_free(value);
	}
	if (call->secrets.count > 0)
		call->log.secrets = &call->secrets;
}

static void
serve_begin(struct server *server, jv record)
{
	struct problems problems = {0};
	struct call *call = memory_zeroed(1, sizeof *call);

	call->outcome = OUTCOME_NONE;
	call->due_ms = INT64_MAX;
	task_take(record, server->name, &call->task, &problems, &call->outcome.error);
	attempt_log_init(&call->log, call->task.log);
	serve_take_secrets(call, record);
	call->next = server->first;
	if (call->next)
		call->next->previous = call;
	server->first = call;
	server->count++;
	call->deadline_ms = clock_monotonic_ms() + call->task.timeout_s * 1000;
	if (call->deadline_ms < server->look_ms)
		server->look_ms = call->deadline_ms;
	if (problems_error(&problems, "the task", EX_DATAERR, &call->outcome.error) < 0)
		serve_answer(server, call);
	else
		server->service->begin(server, call);
	problems_release(&problems);
}

/* Returns whether the member of the record is that text. */
static bool
serve_names(jv record, const char *name, const char *text)
{
	jv value = json_get(record, name);
	bool same = json_string(value) && text && strcmp(json_string(value), text) == 0;

	jv_free(value);
	return same;
}

static void
serve_cancel(struct server *server, jv record)
{
	for (struct call *call = server->first; call; call = call->next)
		if (serve_names(record, "task", call->task.id) && serve_names(record, "job", call->task.job)) {
			error_set(&call->outcome.error, EX_TEMPFAIL, "stopped: it was cancelled");
			serve_end_call(server, call);
			return;
		}
}

static void
serve_take_line(struct server *server, const char *line, size_t length)
{
	struct error err;
	jv record;

	if (json_parse("standard input", line, length, &record, &err) < 0) {
		message("%s", err.text);
		return;
	}
	if (serve_names(record, "kind", "task"))
		serve_begin(server, record);
	else if (serve_names(record, "kind", "cancel"))
		serve_cancel(server, record);
	jv_free(record);
}

static void
serve_read_more(struct server *server)
{
	struct buffer *pending = &server->pending;
	ssize_t n = read(STDIN_FILENO, buffer_room(pending, CHUNK), CHUNK);
	size_t used = 0;
	char *end;

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || pending->length > LINE_BYTES) {
		server->end = true;
		supervise_unwatch(&server->supervisor, STDIN_FILENO);
		return;
	}
	pending->length += n > 0 ? (size_t)n : 0;
	while (used < pending->length && (end = memchr(pending->data + used, '\n', pending->length - used))) {
		serve_take_line(server, pending->data + used, (size_t)(end - pending->data) - used);
		used = (size_t)(end - pending->data) + 1;
	}
	buffer_drop(pending, used);
}

/* Tells the service of the calls that are due, and ends those that take too long. */
static void
serve_keep_time(struct server *server, int64_t now)
{
	struct call *next;

	if (server->wake_ms <= now) {
		server->wake_ms = INT64_MAX;
		server->service->due(server, NULL);
	}
	if (server->look_ms > now)
		return;
	server->look_ms = INT64_MAX;
	for (struct call *call = server->first; call; call = next) {
		int64_t until = call->ending || call->due_ms < call->deadline_ms ? call->due_ms : call->deadline_ms;

		next = call->next;
		if (call->deadline_ms <= now && !call->ending) {
			error_set(&call->outcome.error, ATTEMPT_TIMEOUT, "timed out: it was ended after %lld s",
			    (long long)call->task.timeout_s);
			serve_end_call(server, call);
		} else if (call->due_ms <= now) {
			call->due_ms = INT64_MAX;
			server->service->due(server, call);
		} else if (until < server->look_ms) {
			server->look_ms = until;
		}
	}
}

static int64_t
serve_time_to_wait(const struct server *server)
{
	int64_t now = clock_monotonic_ms(), until = server->look_ms < server->wake_ms ? server->look_ms : server->wake_ms;

	if (server->answers.length > 0)
		return 0;
	return until == INT64_MAX ? -1 : until <= now ? 0 : until - now;
}

/* Waits for the next event. Answers are written once nothing else happens at the same time, many at once. */
static void
serve_turn(struct server *server)
{
	struct child *child;
	enum supervise_event event = supervise_next(&server->supervisor, serve_time_to_wait(server), &child);

	switch (event) {
	case SUPERVISE_OUTPUT:
	case SUPERVISE_ENDED:
		server->service->child_event(server, child, event);
		break;
	case SUPERVISE_READY:
		if (server->supervisor.ready == STDIN_FILENO)
			serve_read_more(server);
		else
			server->service->ready(server, server->supervisor.ready);
		break;
	case SUPERVISE_SIGNAL:
		server->lost = true;
		break;
	case SUPERVISE_FED:
	case SUPERVISE_TIME:
		serve_flush(server);
		break;
	}
	if (server->answers.length > CHUNK)
		serve_flush(server);
	serve_keep_time(server, clock_monotonic_ms());
}

/* Ends the calls that still run, without an answer. */
static void
serve_break_off(struct server *server)
{
	struct call *next;

	for (struct call *call = server->first; call; call = next) {
		next = call->next;
		error_set(&call->outcome.error, EX_TEMPFAIL, "stopped");
		serve_end_call(server, call);
	}
	server->lost = true;
	while (server->count > 0)
		serve_turn(server);
}

int
serve(const struct service *service, const char *name)
{
	struct server server = {.service = service, .name = name, .look_ms = INT64_MAX, .wake_ms = INT64_MAX};
	struct error err;
	bool lost;

	if (supervise_init(&server.supervisor, &err) < 0 ||
	    (server.service->open && server.service->open(&server, &err) < 0))
		return message_error(&err);
	if (!supervise_watch(&server.supervisor, STDIN_FILENO, EPOLLIN))
		while (!server.end)
			serve_read_more(&server);
	while (!server.lost && (!server.end || server.count > 0))
		serve_turn(&server);
	serve_flush(&server);
	lost = server.lost;
	serve_break_off(&server);
	if (server.service->close)
		server.service->close(&server);
	supervise_release(&server.supervisor);
	buffer_release(&server.pending);
	buffer_release(&server.answers);
	return lost ? EX_TEMPFAIL : 0;
}
