/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream goes one way: it is asked whether it streams (describe); then it serves, or is known not to; renewed, it is
 * retired, and ends once its last errand is over. One that has died is asked again when there is something for it.
 */
#include "exec/stream-state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/location.h"
#include "base/memory.h"
#include "json/json.h"

void
streams_init(struct streams *streams, struct supervisor *supervisor)
{
	*streams = (struct streams){.supervisor = supervisor, .deadline = INT64_MAX};
}

static int
stream_start(struct stream *stream, const char *verb, enum phase phase, struct error *err)
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
stream_find(const struct streams *streams, const char *kind, const char *type)
{
	struct stream *stream = streams->first;

	while (stream && (stream->retired || strcmp(stream->type, type) != 0 || strcmp(stream->kind, kind) != 0))
		stream = stream->next;
	return stream;
}

/* NULL where there is no such plugin. */
static struct stream *
stream_add(struct streams *streams, const char *kind, const char *type)
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
stream_drop(struct stream *stream)
{
	struct stream **link = &stream->streams->first;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	stream_free(stream);
}

void
streams_give(struct streams *streams, const char *kind, const char *type, struct errand *errand)
{
	struct stream *stream = stream_find(streams, kind, type);
	struct error err;

	if (!stream)
		stream = stream_add(streams, kind, type);
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
		stream_post(stream, errand);
	else if (stream->phase == PHASE_IDLE && stream_start(stream, "describe", PHASE_ASKING, &err) < 0)
		stream_leave_all(stream);
}

static bool
stream_says_stream(const struct child *child)
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
stream_described(struct stream *stream)
{
	struct error err;

	stream->phase = PHASE_PLAIN;
	if (stream->retired && stream->set.list.count == 0) {
		stream_drop(stream);
		return;
	}
	if (!stream_says_stream(&stream->child))
		stream_leave_all(stream);
	else if (stream_start(stream, "stream", PHASE_SERVING, &err) == 0)
		stream_post_all(stream);
	else {
		stream->phase = PHASE_IDLE;
		stream_fail_all(stream, EX_TEMPFAIL, err.text);
	}
}

/* "automator/shell was killed by signal 9 while it was at this task". */
static char *
stream_explain_end(const struct stream *stream)
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
stream_ended(struct stream *stream)
{
	char *why;

	stream_take_answers(stream);
	why = stream_explain_end(stream);
	stream_fail_all(stream, EX_TEMPFAIL, why);
	free(why);
	free(stream->why);
	stream->why = NULL;
	stream->phase = PHASE_IDLE;
	if (stream->retired)
		stream_drop(stream);
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
		stream_take_answers(stream);
	else if (stream->phase == PHASE_ASKING)
		stream_described(stream);
	else
		stream_ended(stream);
	return true;
}

void
streams_renew(struct streams *streams)
{
	struct stream *next;

	for (struct stream *stream = streams->first; stream; stream = next) {
		next = stream->next;
		if (stream->phase == PHASE_IDLE || stream->phase == PHASE_PLAIN) {
			stream_drop(stream);
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
