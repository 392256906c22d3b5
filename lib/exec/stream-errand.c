/* SPDX-License-Identifier: Apache-2.0
 *
 * The errands of a stream: sent, answered, cancelled, or overdue.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "exec/stream-state.h"
#include "exec/verdict.h"

static void
stream_settle(struct stream *stream, struct errand *errand)
{
	errand_set_remove(&stream->set, errand);
	errand->stream = NULL;
	errand_list_add(&stream->streams->over, errand);
}

void
stream_fail_all(struct stream *stream, int code, const char *why)
{
	struct errand *errand;

	while ((errand = stream->set.list.first)) {
		errand_fail(errand, code, "%s", why);
		stream_settle(stream, errand);
	}
}

void
stream_leave_all(struct stream *stream)
{
	struct errand *errand;

	while ((errand = stream->set.list.first)) {
		errand->end = ERRAND_NOT;
		stream_settle(stream, errand);
	}
}

/* Its plugin is ended in so many milliseconds, where it is not over then. */
static void
stream_set_deadline(struct streams *streams, struct errand *errand, int64_t in_ms)
{
	errand->deadline = clock_monotonic_ms() + in_ms;
	if (errand->deadline < streams->deadline)
		streams->deadline = errand->deadline;
}

void
stream_post(struct stream *stream, struct errand *errand)
{
	struct streams *streams = stream->streams;

	supervise_feed(streams->supervisor, &stream->child, errand->record, errand->length);
	errand->sent = true;
	stream_set_deadline(streams, errand, errand->timeout_ms + STREAM_GRACE_MS);
}

void
stream_post_all(struct stream *stream)
{
	for (struct errand *errand = stream->set.list.first; errand; errand = errand->next)
		stream_post(stream, errand);
}

struct errand *
streams_over(struct streams *streams)
{
	struct errand *errand = streams->over.first;

	if (errand)
		errand_list_remove(&streams->over, errand);
	return errand;
}

/* Ends a plugin that does not keep to the rules. */
static void
stream_give_up(struct stream *stream, const char *why)
{
	if (stream->why)
		return;
	stream->why = memory_string(why);
	supervise_stop(stream->streams->supervisor, &stream->child);
}

/* Takes one line of the plugin's as the answer to an errand. */
static void
stream_take_answer(struct stream *stream, const char *line, size_t length)
{
	struct error err;
	struct errand *errand = errand_set_answer(&stream->set, line, length, &err);

	if (errand)
		stream_settle(stream, errand);
	else
		stream_give_up(stream, err.text);
}

void
stream_take_answers(struct stream *stream)
{
	struct buffer *out = &stream->child.out;
	size_t used = 0;
	char *end;

	while (!stream->why && used < out->length && (end = memchr(out->data + used, '\n', out->length - used))) {
		size_t length = (size_t)(end - out->data) - used;

		if (length > 0)
			stream_take_answer(stream, out->data + used, length);
		used += length + 1;
	}
	if (used > 0)
		buffer_drop(out, used);
	if (out->length > STREAM_LINE_BYTES)
		stream_give_up(stream, "it printed a line that is too long");
	if (stream->retired && stream->set.list.count == 0)
		supervise_end_input(stream->streams->supervisor, &stream->child);
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
		stream_settle(stream, errand);
		return;
	}
	errand->cancelled = true;
	line = errand_cancel_line(errand);
	supervise_feed(streams->supervisor, &stream->child, line, strlen(line));
	free(line);
	stream_set_deadline(streams, errand, STREAM_GRACE_MS);
}

/* Whoever is overdue has timed out; the others that its plugin was at will have failed for now. */
static int64_t
stream_keep_time_of(struct stream *stream, int64_t now)
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
		stream_give_up(stream, "another of its tasks took too long, and it did not end that by itself");
		errand_fail(errand, VERDICT_TIMEOUT, "timed out: %s/%s was ended after %lld s", stream->kind, stream->type,
		    (long long)(errand->timeout_ms / 1000));
		stream_settle(stream, errand);
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
		int64_t first = stream_keep_time_of(stream, now);

		if (first < streams->deadline)
			streams->deadline = first;
	}
	return streams->deadline;
}
