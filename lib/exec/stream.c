/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream goes one way: it is asked whether it streams (describe); then it serves, or is known not to; renewed, it is
 * retired, and ends once its last errand is over. One that has died is asked again when there is something for it.
 */
#include "exec/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/location.h"
#include "base/memory.h"
#include "exec/verdict.h"
#include "json/json.h"

enum phase { PHASE_IDLE, PHASE_ASKING, PHASE_SERVING, PHASE_PLAIN };

struct stream {
	struct streams *streams;
	char *kind, *type;
	char *argv[3];
	enum phase phase;
	bool retired;
	struct child child;
	struct errand_set set;    /* those that it has, or will be sent once it serves */
	char *why;                /* what made us end it */
	struct stream *next;
};

void
streams_init(struct streams *streams, struct supervisor *supervisor)
{
	*streams = (struct streams){.supervisor = supervisor, .deadline = INT64_MAX};
}

static void
settle(struct stream *stream, struct errand *errand)
{
	errand_set_remove(&stream->set, errand);
	errand->stream = NULL;
	errand_list_add(&stream->streams->over, errand);
}

static void
fail_all(struct stream *stream, int code, const char *why)
{
	struct errand *errand;

	while ((errand = stream->set.list.first)) {
		errand_fail(errand, code, "%s", why);
		settle(stream, errand);
	}
}

static void
leave_to_others(struct stream *stream)
{
	struct errand *errand;

	while ((errand = stream->set.list.first)) {
		errand->end = ERRAND_NOT;
		settle(stream, errand);
	}
}

static int
start(struct stream *stream, const char *verb, enum phase phase, struct error *err)
{
	bool serves = phase == PHASE_SERVING;

	child_release(&stream->child);
	stream->argv[1] = (char *)(uintptr_t)verb;
	stream->child = (struct child){.argv = stream->argv, .environment = stream->streams->environment,
	    .hold_input = serves, .tell_out = serves, .out_limit = 2 * STREAM_LINE_BYTES, .session = true,
	    .die_with_us = true, .timeout_ms = serves ? 0 : STREAM_DESCRIBE_MS, .owner = stream};
	if (supervise_start(stream->streams->supervisor, &stream->child, err) < 0)
		return -1;
	stream->phase = phase;
	return 0;
}

static struct stream *
find(const struct streams *streams, const char *kind, const char *type)
{
	struct stream *stream = streams->first;

	while (stream && (stream->retired || strcmp(stream->type, type) != 0 || strcmp(stream->kind, kind) != 0))
		stream = stream->next;
	return stream;
}

/* NULL where there is no such plugin. */
static struct stream *
add(struct streams *streams, const char *kind, const char *type)
{
	char *path = location_plugin(kind, type);
	struct stream *stream;

	if (!path)
		return NULL;
	stream = memory_zeroed(1, sizeof *stream);
	stream->streams = streams;
	stream->kind = memory_string(kind);
	stream->type = memory_string(type);
	stream->argv[0] = path;
	stream->next = streams->first;
	streams->first = stream;
	return stream;
}

static void
stream_free(struct stream *stream)
{
	child_release(&stream->child);
	errand_set_release(&stream->set);
	free(stream->kind);
	free(stream->type);
	free(stream->argv[0]);
	free(stream->why);
	free(stream);
}

static void
drop(struct stream *stream)
{
	struct stream **link = &stream->streams->first;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	stream_free(stream);
}

/* Its plugin is ended in so many milliseconds, where it is not over then. */
static void
set_deadline(struct streams *streams, struct errand *errand, int64_t in_ms)
{
	errand->deadline = clock_monotonic_ms() + in_ms;
	if (errand->deadline < streams->deadline)
		streams->deadline = errand->deadline;
}

static void
post(struct stream *stream, struct errand *errand)
{
	struct streams *streams = stream->streams;

	supervise_feed(streams->supervisor, &stream->child, errand->record, errand->length);
	errand->sent = true;
	set_deadline(streams, errand, errand->timeout_ms + STREAM_GRACE_MS);
}

static void
post_all(struct stream *stream)
{
	for (struct errand *errand = stream->set.list.first; errand; errand = errand->next)
		post(stream, errand);
}

void
streams_give(struct streams *streams, const char *kind, const char *type, struct errand *errand)
{
	struct stream *stream = find(streams, kind, type);
	struct error err;

	if (!stream)
		stream = add(streams, kind, type);
	if (!stream || stream->phase == PHASE_PLAIN) {
		errand->end = ERRAND_NOT;
		errand_list_add(&streams->over, errand);
		return;
	}
	errand->stream = stream;
	errand->deadline = INT64_MAX;
	errand->sent = errand->cancelled = false;
	errand_set_add(&stream->set, errand);
	if (stream->phase == PHASE_SERVING)
		post(stream, errand);
	else if (stream->phase == PHASE_IDLE && start(stream, "describe", PHASE_ASKING, &err) < 0)
		leave_to_others(stream);
}

struct errand *
streams_over(struct streams *streams)
{
	struct errand *errand = streams->over.first;

	if (errand)
		errand_list_remove(&streams->over, errand);
	return errand;
}

static bool
says_stream(const struct child *child)
{
	struct error ignored;
	jv schema, stream;
	bool yes;

	if (!child->out.length || json_parse("describe", child->out.data, child->out.length, &schema, &ignored) < 0)
		return false;
	stream = json_get(schema, "stream");
	yes = jv_get_kind(stream) == JV_KIND_TRUE;
	jv_free(stream);
	jv_free(schema);
	return yes;
}

static void
described(struct stream *stream)
{
	struct error err;

	stream->phase = PHASE_PLAIN;
	if (stream->retired && stream->set.list.count == 0) {
		drop(stream);
		return;
	}
	if (!says_stream(&stream->child))
		leave_to_others(stream);
	else if (start(stream, "stream", PHASE_SERVING, &err) == 0)
		post_all(stream);
	else {
		stream->phase = PHASE_IDLE;
		fail_all(stream, EX_TEMPFAIL, err.text);
	}
}

/* Ends a plugin that does not keep to the rules. */
static void
give_up(struct stream *stream, const char *why)
{
	if (stream->why)
		return;
	stream->why = memory_string(why);
	supervise_stop(stream->streams->supervisor, &stream->child);
}

/* Takes one line of the plugin's as the answer to an errand. */
static void
take_answer(struct stream *stream, const char *line, size_t length)
{
	struct error err;
	struct errand *errand = errand_set_answer(&stream->set, line, length, &err);

	if (errand)
		settle(stream, errand);
	else
		give_up(stream, err.text);
}

static void
take_answers(struct stream *stream)
{
	struct buffer *out = &stream->child.out;
	size_t used = 0;
	char *end;

	while (!stream->why && used < out->length && (end = memchr(out->data + used, '\n', out->length - used))) {
		size_t length = (size_t)(end - out->data) - used;

		if (length > 0)
			take_answer(stream, out->data + used, length);
		used += length + 1;
	}
	if (used > 0)
		buffer_drop(out, used);
	if (out->length > STREAM_LINE_BYTES)
		give_up(stream, "it printed a line that is too long");
	if (stream->retired && stream->set.list.count == 0)
		supervise_end_input(stream->streams->supervisor, &stream->child);
}

/* "automator/shell was killed by signal 9 while it was at this task". */
static char *
explain_end(const struct stream *stream)
{
	int how = stream->child.wait_status;

	if (stream->why)
		return memory_printf("%s/%s was ended: %s", stream->kind, stream->type, stream->why);
	if (WIFSIGNALED(how))
		return memory_printf("%s/%s was killed by signal %d while it was at this task", stream->kind, stream->type,
		    WTERMSIG(how));
	return memory_printf("%s/%s ended with exit code %d while it was at this task", stream->kind, stream->type,
	    WEXITSTATUS(how));
}

static void
ended(struct stream *stream)
{
	char *why;

	take_answers(stream);
	why = explain_end(stream);
	fail_all(stream, EX_TEMPFAIL, why);
	free(why);
	free(stream->why);
	stream->why = NULL;
	stream->phase = PHASE_IDLE;
	if (stream->retired)
		drop(stream);
}

bool
streams_heard(struct streams *streams, const struct child *child, enum supervise_event event)
{
	struct stream *stream = streams->first;

	while (stream && child != &stream->child)
		stream = stream->next;
	if (!stream)
		return false;
	if (event == SUPERVISE_OUTPUT)
		take_answers(stream);
	else if (stream->phase == PHASE_ASKING)
		described(stream);
	else
		ended(stream);
	return true;
}

void
streams_cancel(struct streams *streams, struct errand *errand)
{
	struct stream *stream = errand->stream;
	char *line;

	if (!stream || errand->cancelled)
		return;
	if (!errand->sent) {
		errand_fail(errand, EX_TEMPFAIL, "it is not wanted any more");
		settle(stream, errand);
		return;
	}
	errand->cancelled = true;
	line = errand_cancel_line(errand);
	supervise_feed(streams->supervisor, &stream->child, line, strlen(line));
	free(line);
	set_deadline(streams, errand, STREAM_GRACE_MS);
}

/* Whoever is overdue has timed out; the others that its plugin was at will have failed for now. */
static int64_t
keep_time_of(struct stream *stream, int64_t now)
{
	int64_t first = INT64_MAX;
	struct errand *next;

	for (struct errand *errand = stream->set.list.first; errand; errand = next) {
		next = errand->next;
		if (errand->deadline > now) {
			if (errand->deadline < first)
				first = errand->deadline;
			continue;
		}
		give_up(stream, "another of its tasks took too long, and it did not end that by itself");
		errand_fail(errand, VERDICT_TIMEOUT, "timed out: %s/%s was ended after %lld s", stream->kind, stream->type,
		    (long long)(errand->timeout_ms / 1000));
		settle(stream, errand);
	}
	return first;
}

int64_t
streams_keep_time(struct streams *streams, int64_t now)
{
	if (now < streams->deadline)
		return streams->deadline;
	streams->deadline = INT64_MAX;
	for (struct stream *stream = streams->first; stream; stream = stream->next) {
		int64_t first = keep_time_of(stream, now);

		if (first < streams->deadline)
			streams->deadline = first;
	}
	return streams->deadline;
}

void
streams_renew(struct streams *streams)
{
	struct stream *next;

	for (struct stream *stream = streams->first; stream; stream = next) {
		next = stream->next;
		if (stream->phase == PHASE_IDLE || stream->phase == PHASE_PLAIN) {
			drop(stream);
			continue;
		}
		stream->retired = true;
		if (stream->phase == PHASE_SERVING && stream->set.list.count == 0)
			supervise_end_input(streams->supervisor, &stream->child);
	}
}

void
streams_stop(struct streams *streams)
{
	for (struct stream *stream = streams->first; stream; stream = stream->next)
		if (stream->phase == PHASE_ASKING || stream->phase == PHASE_SERVING)
			supervise_stop(streams->supervisor, &stream->child);
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
