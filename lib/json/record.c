/* SPDX-License-Identifier: Apache-2.0 */
#include "json/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/build.h"
#include "json/scan.h"

enum { CHUNK = 64 * 1024 };

void
record_reader_init(struct record_reader *reader, int fd, const char *name)
{
	*reader = (struct record_reader){.fd = fd, .name = name};
}

int
record_reader_open(struct record_reader *reader, const char *path, struct error *err)
{
	bool is_stdin = !path || strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : file_open(AT_FDCWD, path, O_RDONLY, 0, err);

	record_reader_init(reader, fd, is_stdin ? "standard input" : path);
	reader->opened = fd >= 0 && !is_stdin;
	reader->is_yaml = !is_stdin && yaml_is_name(path);
	return fd < 0 ? -1 : 0;
}

void
record_reader_recognise(struct record_reader *reader)
{
	reader->is_unknown = !reader->is_yaml && !yaml_is_json_name(reader->name);
}

void
record_reader_release(struct record_reader *reader)
{
	yaml_source_release(&reader->source);
	buffer_release(&reader->pending);
	if (reader->opened)
		close(reader->fd);
}

/* At least doubles what is unused, so that scanning it anew each time costs linear time in all. */
static int
record_read_more(struct record_reader *reader, struct error *err)
{
	struct buffer *pending = &reader->pending;
	size_t want;

	buffer_drop(pending, reader->start);
	reader->start = 0;
	if (pending->length > JSON_BYTES)
		return error_set(err, EX_DATAERR, "%s: record %zu: larger than %d bytes", reader->name,
		    reader->number + 1, JSON_BYTES);
	want = pending->length > CHUNK ? pending->length : CHUNK;
	while (want > 0 && !reader->end) {
		ssize_t n = read(reader->fd, buffer_room(pending, want), want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_read(err, reader->name);
		reader->end = n == 0;
		pending->length += (size_t)n;
		reader->got += (size_t)n;
		if (reader->limit && reader->got > reader->limit)
			return error_too_large(err, reader->name, reader->limit);
		want -= (size_t)n;
		/* A record that a pipe delivers as its line is not to wait for the pipe to fill. */
		if (n > 0 && pending->data[pending->length - 1] == '\n')
			break;
	}
	return 0;
}

/* Returns the unread part of pending, behind the white space at its start. */
static size_t
record_skip_blank(struct record_reader *reader)
{
	const struct buffer *pending = &reader->pending;

	while (reader->start < pending->length && pending->data[reader->start] &&
	    strchr(" \t\r\n", pending->data[reader->start]))
		reader->start++;
	return pending->length - reader->start;
}

/* Reads until it is known whether the text begins as YAML. */
static int
record_recognise(struct record_reader *reader, struct error *err)
{
	while (reader->is_unknown) {
		const struct buffer *pending = &reader->pending;

		reader->is_yaml = pending->length > 0 && yaml_is_text(pending->data, pending->length);
		if (reader->is_yaml || reader->end || strspn(pending->length ? pending->data : "", " \t\r\n") < pending->length)
			reader->is_unknown = false;
		else if (record_read_more(reader, err) < 0)
			return -1;
	}
	return 0;
}

/* Reads all of a YAML text, and goes on with its documents as JSON. */
static int
record_read_yaml(struct record_reader *reader, struct error *err)
{
	struct buffer json = {0};
	int result = 0;

	reader->is_yaml = false;
	while (result == 0 && !reader->end)
		result = record_read_more(reader, err);
	if (result < 0 || reader->pending.length == 0)
		return result;
	result = yaml_read(reader->name, reader->pending.data, reader->pending.length, YAML_MANY, &json, err);
	if (result == 0)
		yaml_source_set(&reader->source, reader->pending.data, reader->pending.length);
	buffer_release(&reader->pending);
	reader->pending = json;
	return result;
}

static int
record_check_kind(const struct record_reader *reader, jv value, struct error *err)
{
	size_t line, column;
	char where[80];

	if (record_kind(value))
		return 0;
	if (yaml_locate(&reader->source, "", &line, &column))
		snprintf(where, sizeof where, "line %zu, column %zu", line, column);
	else
		snprintf(where, sizeof where, "record %zu", reader->number);
	if (jv_get_kind(value) != JV_KIND_OBJECT)
		return error_set(err, EX_DATAERR, "%s: %s: expected object, found %s", reader->name, where, json_kind_name(value));
	return error_set(err, EX_DATAERR, "%s: %s: /kind: expected a string that names the kind of record", reader->name, where);
}

int
record_read_value(struct record_reader *reader, jv *out, struct error *err)
{
	ssize_t used;

	if (record_recognise(reader, err) < 0 || (reader->is_yaml && record_read_yaml(reader, err) < 0))
		return -1;
	for (;;) {
		size_t left = record_skip_blank(reader);

		reader->text = left ? reader->pending.data + reader->start : NULL;
		used = left ? json_scan(reader->text, left, reader->end, err) : 0;
		if (used != 0 || reader->end)
			break;
		if (record_read_more(reader, err) < 0)
			return -1;
	}
	if (used == 0)
		return 0;
	reader->source.document = reader->number++;
	if (used < 0)
		return error_prefix(err, "%s: record %zu", reader->name, reader->number);
	reader->length = (size_t)used;
	*out = build_value(reader->text, (size_t)used);
	reader->start += (size_t)used;
	return 1;
}

int
record_read(struct record_reader *reader, jv *out, struct error *err)
{
	int got = record_read_value(reader, out, err);

	if (got <= 0 || record_check_kind(reader, *out, err) == 0)
		return got;
	jv_free(*out);
	return -1;
}

const char *
record_kind(jv record)
{
	jv kind = json_get(record, "kind");
	const char *text = json_string(kind);

	/* The record still holds the string that is released here. */
	jv_free(kind);
	return text;
}

void
record_write(jv record, FILE *stream)
{
	struct buffer line = {0};

	json_dump(record, &line);
	buffer_byte(&line, '\n');
	fwrite(line.data, 1, line.length, stream);
	buffer_release(&line);
}
