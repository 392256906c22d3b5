/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream goes one way: it is asked whether it streams (describe); then it serves, or is known not to; renewed, it is
 * retired, and ends once its last task is over. One that has died is asked again when there is something for it.
 */
#include "exec/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/location.h"
#include "base/memory.h"
#include "confine/confine.h"
#include "exec/attempt-result.h"
#include "json/json.h"
#include "model/take/origin.h"
#include "model/take/task.h"

enum { END_MS = 5000 }; /* for plugins to end by themselves */

enum phase { PHASE_IDLE, PHASE_ASKING, PHASE_SERVING, PHASE_PLAIN };

struct stream {
	struct streams *streams;
	char *kind, *type, *scope;
	char *argv[3];
	enum phase phase;
	bool retired;
	struct child child;
	struct stream_task_set set; /* those that it has, or will be sent once it serves */
	char *why;                  /* the reason why we ended it */
	int64_t idle_until;         /* it is ended then, monotonic; INT64_MAX: it is at something, or may wait */
	jv schema;                  /* of its fields; invalid where it says nothing */
	struct stream *next;
};

void
streams_init(struct streams *streams, struct supervisor *supervisor)
{
	*streams = (struct streams){.supervisor = supervisor, .deadline = INT64_MAX};
}

static int
stream_start(struct stream *stream, const char *verb, enum phase phase, struct error *err)
{
	const struct confine_plugin many = {.wants = CONFINE_STREAM};
	bool serves = phase == PHASE_SERVING;
	struct confined confined;
	int result;

	child_release(&stream->child);
	stream->argv[1] = (char *)(uintptr_t)verb;
	stream->child = (struct child){.argv = stream->argv, .environment = stream->streams->environment,
	    .hold_input = serves, .tell_out = serves, .out_limit = 2 * STREAM_LINE_BYTES, .session = true,
	    .die_with_us = true, .wipe_input = serves && stream->scope, .timeout_ms = serves ? 0 : STREAM_DESCRIBE_MS, .owner = stream};
	stream->child.confinement = confine_start(&confined, stream->argv[0], serves ? &many : NULL);
	result = supervise_start(stream->streams->supervisor, &stream->child, err);
	if (stream->child.confinement)
		confine_release(&confined);
	stream->child.confinement = NULL;
	if (result < 0)
		return -1;
	stream->phase = phase;
	return 0;
}

static bool
stream_is_of(const struct stream *stream, const char *kind, const char *type, const char *scope)
{
	return !stream->retired && strcmp(stream->type, type) == 0 && strcmp(stream->kind, kind) == 0 &&
	    !stream->scope == !scope && (!scope || strcmp(stream->scope, scope) == 0);
}

static struct stream *
stream_find(const struct streams *streams, const char *kind, const char *type, const char *scope)
{
	struct stream *stream = streams->first;

	while (stream && !stream_is_of(stream, kind, type, scope))
		stream = stream->next;
	return stream;
}

/* Returns the stream of the plugin, a new one if there was none; NULL if there is no such plugin. */
static struct stream *
stream_of_plugin(struct streams *streams, const char *kind, const char *type, const char *scope)
{
	struct stream *stream = stream_find(streams, kind, type, scope);
	char *path;

	if (stream)
		return stream;
	path = location_plugin(kind, type);
	if (!path)
		return NULL;
	stream = memory_zeroed(1, sizeof *stream);
	stream->streams = streams;
	stream->kind = memory_string(kind);
	stream->type = memory_string(type);
	stream->scope = scope ? memory_string(scope) : NULL;
	stream->idle_until = INT64_MAX;
	stream->argv[0] = path;
	stream->schema = jv_invalid();
	stream->next = streams->first;
	streams->first = stream;
	return stream;
}

static void
stream_free(struct stream *stream)
{
	child_release(&stream->child);
	stream_task_set_release(&stream->set);
	free(stream->kind);
	free(stream->type);
	free(stream->scope);
	free(stream->argv[0]);
	free(stream->why);
	jv_free(stream->schema);
	free(stream);
}

static void
stream_remove(struct streams *streams, struct stream *stream)
{
	struct stream **link = &streams->first;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	stream_free(stream);
}

/* Ends a plugin that does not keep to the rules. */
static void
stream_stop(struct stream *stream, const char *why)
{
	if (stream->why)
		return;
	stream->why = memory_string(why);
	supervise_stop(stream->streams->supervisor, &stream->child);
}

/* Has the process of a scope end if nothing comes for it; it may have secrets. */
static void
stream_set_idle(struct stream *stream)
{
	stream->idle_until = clock_monotonic_ms() + STREAM_IDLE_MS;
	if (stream->idle_until < stream->streams->deadline)
		stream->streams->deadline = stream->idle_until;
}

static void
stream_hand_back(struct stream *stream, struct stream_task *task)
{
	stream_task_set_remove(&stream->set, task);
	if (stream->scope && stream->set.list.count == 0)
		stream_set_idle(stream);
	task->stream = NULL;
	stream_task_list_add(&stream->streams->over, task);
}

static void
stream_fail_all(struct stream *stream, int code, const char *why)
{
	struct stream_task *task;

	while ((task = stream->set.list.first)) {
		stream_task_fail(task, code, "%s", why);
		stream_hand_back(stream, task);
	}
}

/* Hands back all of its tasks to be done otherwise. */
static void
stream_decline_all(struct stream *stream)
{
	struct stream_task *task;

	while ((task = stream->set.list.first)) {
		task->end = STREAM_TASK_UNSUPPORTED;
		stream_hand_back(stream, task);
	}
}

/* Has the plugin ended in so many milliseconds if the task is not over then. */
static void
stream_set_deadline(struct streams *streams, struct stream_task *task, int64_t in_ms)
{
	task->deadline = clock_monotonic_ms() + in_ms;
	if (task->deadline < streams->deadline)
		streams->deadline = task->deadline;
}

/* Checks what a tenant has written of the task by the plugin's schema. A record without the mark was not written by one. */
static int
stream_check(const struct stream *stream, const struct stream_task *task, struct error *err)
{
	struct problems problems = {0};
	struct task parsed = {0};
	int result = 0;
	jv record;

	if (!origin_is_mentioned(task->record, task->length))
		return 0;
	if (json_parse("the task", task->record, task->length, &record, err) < 0)
		return -1;
	result = task_take(record, "the task", &parsed, &problems, err);
	if (result == 0)
		result = origin_check_task(&parsed, stream->schema, err);
	task_release(&parsed);
	problems_release(&problems);
	jv_free(record);
	return result;
}

static void
stream_send(struct stream *stream, struct stream_task *task)
{
	struct error err;

	if (stream_check(stream, task, &err) < 0) {
		stream_task_fail(task, err.code, "%s", err.text);
		stream_hand_back(stream, task);
		return;
	}
	supervise_feed(stream->streams->supervisor, &stream->child, task->handed ? task->handed : task->record,
	    task->handed ? task->handed_length : task->length);
	task->sent = true;
	stream_set_deadline(stream->streams, task, task->timeout_ms + STREAM_GRACE_MS);
}

int
streams_say(const struct streams *streams, const char *kind, const char *type, const char *scope, const char *member)
{
	const struct stream *stream = stream_find(streams, kind, type, scope);

	if (!stream || stream->phase == PHASE_IDLE || stream->phase == PHASE_ASKING)
		return -1;
	return stream->phase == PHASE_SERVING && json_is(stream->schema, member, JV_KIND_TRUE);
}

void
streams_give(struct streams *streams, const char *kind, const char *type, struct stream_task *task)
{
	struct stream *stream = stream_of_plugin(streams, kind, type, task->scope);
	struct error err;

	if (!stream || stream->phase == PHASE_PLAIN) {
		task->end = STREAM_TASK_UNSUPPORTED;
		stream_task_list_add(&streams->over, task);
		return;
	}
	task->stream = stream;
	task->end = STREAM_TASK_OPEN;
	task->deadline = INT64_MAX;
	task->sent = task->cancelled = false;
	stream->idle_until = INT64_MAX;
	stream_task_set_add(&stream->set, task);
	if (stream->phase == PHASE_SERVING)
		stream_send(stream, task);
	else if (stream->phase == PHASE_IDLE && stream_start(stream, "describe", PHASE_ASKING, &err) < 0)
		stream_decline_all(stream);
}

struct stream_task *
streams_over(struct streams *streams)
{
	struct stream_task *task = streams->over.first;

	if (task)
		stream_task_list_remove(&streams->over, task);
	return task;
}

/* Reads what the plugin has printed: answers, a line each. One that does not keep to the rules is ended. */
static void
stream_take_answers(struct stream *stream)
{
	struct buffer *out = &stream->child.out;
	struct stream_task *task;
	struct error err;
	size_t used = 0;
	char *end;

	while (!stream->why && used < out->length && (end = memchr(out->data + used, '\n', out->length - used))) {
		size_t length = (size_t)(end - out->data) - used;

		if (length > 0) {
			task = stream_task_set_answer(&stream->set, out->data + used, length, &err);
			if (task)
				stream_hand_back(stream, task);
			else
				stream_stop(stream, err.text);
		}
		used += length + 1;
	}
	if (used > 0)
		buffer_drop(out, used);
	if (out->length > STREAM_LINE_BYTES)
		stream_stop(stream, "it printed a line that is too long");
	if (stream->retired && stream->set.list.count == 0)
		supervise_end_input(stream->streams->supervisor, &stream->child);
}

/* Takes the schema that describe has printed, and returns whether it says that the plugin streams such tasks. */
static bool
stream_is_supported(struct stream *stream)
{
	const struct buffer *out = &stream->child.out;
	struct error ignored;
	jv schema;

	if (!out->length || json_parse("describe", out->data, out->length, &schema, &ignored) < 0)
		return false;
	jv_free(stream->schema);
	stream->schema = schema;
	return json_is(schema, "stream", JV_KIND_TRUE) && (!stream->scope || json_is(schema, "stream_secrets", JV_KIND_TRUE));
}

static void
stream_described(struct stream *stream)
{
	struct error err;

	stream->phase = PHASE_PLAIN;
	if (stream->retired && stream->set.list.count == 0) {
		stream_remove(stream->streams, stream);
	} else if (!stream_is_supported(stream)) {
		stream_decline_all(stream);
	} else if (stream_start(stream, "stream", PHASE_SERVING, &err) < 0) {
		stream->phase = PHASE_IDLE;
		stream_fail_all(stream, EX_TEMPFAIL, err.text);
	} else {
		for (struct stream_task *task = stream->set.list.first, *next; task; task = next) {
			next = task->next;
			if (task->asks) {
				task->end = STREAM_TASK_DESCRIBED;
				stream_hand_back(stream, task);
			} else {
				stream_send(stream, task);
			}
		}
	}
}

static void
stream_ended(struct stream *stream)
{
	char *how = process_end_text(process_exit_code(stream->child.wait_status)), *why;

	stream_take_answers(stream);
	if (stream->why)
		why = memory_printf("%s/%s was ended: %s", stream->kind, stream->type, stream->why);
	else
		why = memory_printf("%s/%s %s while it was at this task", stream->kind, stream->type, how);
	stream_fail_all(stream, EX_TEMPFAIL, why);
	free(how);
	free(why);
	free(stream->why);
	stream->why = NULL;
	stream->phase = PHASE_IDLE;
	if (stream->retired)
		stream_remove(stream->streams, stream);
}

bool
streams_child_event(struct streams *streams, const struct child *child, enum supervise_event event)
{
	struct stream *stream = streams->first;

	while (stream && child != &stream->child)
		stream = stream->next;
	if (!stream)
		return false;
	if (event == SUPERVISE_OUTPUT)
		stream_take_answers(stream);
	else if (stream->phase == PHASE_ASKING)
		stream_described(stream);
	else
		stream_ended(stream);
	return true;
}

void
streams_cancel(struct streams *streams, struct stream_task *task)
{
	struct stream *stream = task->stream;
	char *line;

	if (!stream || task->cancelled)
		return;
	if (!task->sent) {
		stream_task_fail(task, EX_TEMPFAIL, "it was cancelled");
		stream_hand_back(stream, task);
		return;
	}
	task->cancelled = true;
	line = stream_task_cancel_line(task);
	supervise_feed(streams->supervisor, &stream->child, line, strlen(line));
	free(line);
	stream_set_deadline(streams, task, STREAM_GRACE_MS);
}

/* Gives the stream nothing more: it ends when all that it has is done. One without a process is freed. */
static void
stream_retire(struct streams *streams, struct stream *stream)
{
	if (stream->phase == PHASE_IDLE || stream->phase == PHASE_PLAIN) {
		stream_remove(streams, stream);
		return;
	}
	stream->retired = true;
	stream->idle_until = INT64_MAX;
	if (stream->phase == PHASE_SERVING && stream->set.list.count == 0)
		supervise_end_input(streams->supervisor, &stream->child);
}

/* Retires the stream where nothing has come for it. */
static void
stream_end_idle(struct stream *stream, int64_t now)
{
	if (stream->idle_until <= now)
		stream_retire(stream->streams, stream);
	else if (stream->idle_until < stream->streams->deadline)
		stream->streams->deadline = stream->idle_until;
}

/* Fails the tasks of the stream that are overdue as timed out; the others that the plugin has fail for now, when it has
 * ended. */
static void
stream_fail_overdue(struct stream *stream, int64_t now)
{
	struct streams *streams = stream->streams;
	struct stream_task *next;

	for (struct stream_task *task = stream->set.list.first; task; task = next) {
		next = task->next;
		if (task->deadline > now) {
			if (task->deadline < streams->deadline)
				streams->deadline = task->deadline;
			continue;
		}
		stream_stop(stream, "another of its tasks took too long, and it did not end that by itself");
		stream_task_fail(task, ATTEMPT_TIMEOUT, "timed out: %s/%s was ended after %lld s", stream->kind, stream->type,
		    (long long)(task->timeout_ms / 1000));
		stream_hand_back(stream, task);
	}
}

int64_t
streams_keep_time(struct streams *streams, int64_t now)
{
	if (now < streams->deadline)
		return streams->deadline;
	streams->deadline = INT64_MAX;
	for (struct stream *stream = streams->first, *next; stream; stream = next) {
		next = stream->next;
		stream_fail_overdue(stream, now);
		stream_end_idle(stream, now);
	}
	return streams->deadline;
}

void
streams_renew(struct streams *streams)
{
	for (struct stream *stream = streams->first, *next; stream; stream = next) {
		next = stream->next;
		stream_retire(streams, stream);
	}
}

void
streams_stop(struct streams *streams)
{
	for (struct stream *stream = streams->first; stream; stream = stream->next)
		if (stream->phase == PHASE_ASKING || stream->phase == PHASE_SERVING)
			supervise_stop(streams->supervisor, &stream->child);
}

/* A plugin may hold connections to many nodes: it is told that there is nothing more, and closes them. */
void
streams_end(struct streams *streams)
{
	int64_t until = clock_monotonic_ms() + END_MS;
	struct child *child;

	streams_renew(streams);
	while (streams->supervisor->count > 0) {
		int64_t left = until - clock_monotonic_ms();
		enum supervise_event event = supervise_next(streams->supervisor, left > 0 ? left : -1, &child);

		if (event == SUPERVISE_ENDED || event == SUPERVISE_OUTPUT)
			streams_child_event(streams, child, event);
		if (left <= 0 || event == SUPERVISE_TIME || event == SUPERVISE_SIGNAL)
			streams_stop(streams);
	}
}

void
streams_release(struct streams *streams)
{
	struct stream *stream;

	while ((stream = streams->first)) {
		streams->first = stream->next;
		stream_free(stream);
	}
}
