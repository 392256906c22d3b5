/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

enum { CHUNK = 256 * 1024, SINGLE = 4096 };

/* Reads on until there is a whole line behind start. 1, 0 at the end of the file, -1. */
static int
journal_fill_line(struct journal_reader *reader, size_t chunk, size_t *length, struct error *err)
{
	struct buffer *pending = &reader->pending;
	size_t seen = 0;

	for (;;) {
		size_t left = pending->length - reader->start;
		const char *line = left ? pending->data + reader->start : NULL;
		const char *newline = left > seen ? memchr(line + seen, '\n', left - seen) : NULL;
		ssize_t n;

		if (newline) {
			*length = (size_t)(newline - line) + 1;
			return 1;
		}
		seen = left;
		buffer_drop(pending, reader->start);
		reader->start = 0;
		n = pread(reader->fd, buffer_room(pending, chunk), chunk, (off_t)(reader->next + left));
		if (n < 0 && errno != EINTR)
			return error_errno(err, EX_IOERR, "events.ndjson");
		if (n == 0) {
			*length = left;
			return 0;
		}
		if (n > 0)
			pending->length += (size_t)n;
	}
}

/* Returns whether a line that is no event here is one of a later version: it says so, and is whole. */
static bool
journal_is_foreign(jv value, const struct event *event)
{
	jv kind = json_get(value, "kind"), name = json_get(value, "event");
	bool foreign = json_string(kind) && strcmp(json_string(kind), "event") == 0 && json_string(name) &&
	    event->kind == EVENT_KIND_COUNT;

	jv_free(kind);
	jv_free(name);
	return foreign;
}

static int
journal_parse_line(struct journal_reader *reader, const char *line, struct event *event, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	int result = 1;
	jv value;

	arena_release(&reader->arena);
	reader->foreign = false;
	if (json_parse("events.ndjson", line, reader->length, &value, err) < 0)
		return error_set(err, EX_DATAERR, "events.ndjson: no event at byte %" PRIu64, reader->offset);
	place = place_root(value, &problems);
	event_parse(&place, &reader->arena, event);
	reader->foreign = journal_is_foreign(value, event);
	if (reader->foreign)
		result = error_set(err, EX_DATAERR, "events.ndjson: byte %" PRIu64 ": %s: a later version has written it",
		    reader->offset, problems.total ? problems.list[0].text : "an event of another kind");
	else if (problems.total > 0)
		result = error_set(err, EX_DATAERR, "events.ndjson: byte %" PRIu64 ": %s: %s", reader->offset,
		    problems.list[0].pointer, problems.list[0].text);
	jv_free(value);
	problems_release(&problems);
	return result;
}

static int
journal_next_line(struct journal_reader *reader, size_t chunk, struct event *event, struct error *err)
{
	const char *line;
	int got;

	reader->offset = reader->next;
	got = journal_fill_line(reader, chunk, &reader->length, err);
	if (got < 0 || (got == 0 && reader->length == 0))
		return got;
	if (got == 0)
		return error_set(err, EX_DATAERR, "events.ndjson: the line at byte %" PRIu64 " is torn", reader->offset);
	line = reader->pending.data + reader->start;
	reader->start += reader->length;
	reader->next += reader->length;
	return journal_parse_line(reader, line, event, err);
}

int
journal_next(struct journal_reader *reader, struct event *event, struct error *err)
{
	return journal_next_line(reader, CHUNK, event, err);
}

int
journal_read_at(struct journal_reader *reader, uint64_t offset, struct event *event, struct error *err)
{
	int got;

	reader->next = offset;
	reader->start = 0;
	buffer_clear(&reader->pending);
	got = journal_next_line(reader, SINGLE, event, err);
	if (got == 0)
		return error_set(err, EX_DATAERR, "events.ndjson: no event at byte %" PRIu64, offset);
	return got < 0 ? -1 : 0;
}

void
journal_reader_release(struct journal_reader *reader)
{
	buffer_release(&reader->pending);
	arena_release(&reader->arena);
}

int
journal_append(int fd, uint64_t offset, const struct buffer *lines, struct error *err)
{
	int saved;

	/* Readers bring their own offsets: the descriptor's is for this alone. */
	if (lseek(fd, (off_t)offset, SEEK_SET) >= 0 && file_write_all(fd, lines->data, lines->length) == 0)
		return 0;
	saved = errno;
	/* If even this fails, the next one to open the job cuts off the torn line. */
	if (ftruncate(fd, (off_t)offset) < 0)
		saved = saved ? saved : errno;
	errno = saved;
	return error_errno(err, EX_IOERR, "events.ndjson");
}

uint64_t
journal_synced_behind(int fd, uint64_t offset)
{
	struct journal_reader reader = {.fd = fd, .next = offset};
	uint64_t synced = 0, before;
	struct event event;
	struct error err;
	int got;

	do {
		before = reader.next;
		got = journal_next(&reader, &event, &err);
		if (got > 0 && event.synced > synced)
			synced = event.synced;
	} while (got > 0 || (got < 0 && reader.next > before));
	journal_reader_release(&reader);
	return synced;
}
