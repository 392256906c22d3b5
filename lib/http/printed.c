/* SPDX-License-Identifier: Apache-2.0 */
#include "http/printed.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "content/incoming.h"
#include "http/exchange.h"
#include "json/pick.h"

#define PRINTED_MAX ((uint64_t)4 << 30)

enum {
	PRINTED_DISK = 20, /* of the disk, a twentieth stays free */
	PRINTED_HASH = crypto_generichash_BYTES, /* it is three times as fast as SHA-256 */
};

struct printed {
	int fd;
	uint64_t length;
	crypto_generichash_state hash;
	char tag[2 * PRINTED_HASH + 3]; /* once it has ended */
	enum printed_form form;
	struct printed_list list;
	int status;
	char type[PRINTED_TYPE_SIZE];
	struct error err; /* code 0: none */
};

/* Appends the fields of lines; what is behind the last newline is kept until its end comes. */
static void
printed_add_fields(struct printed_list *list, const char *bytes, size_t length, struct buffer *to)
{
	for (const char *at = bytes, *end = bytes + length; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		buffer_append(&list->line, at, (size_t)(stop - at));
		at = newline ? newline + 1 : end;
		if (!newline || !list->line.length)
			continue;
		if (list->has_line)
			buffer_byte(to, ',');
		list->has_line = true;
		pick_members(list->fields, buffer_string(&list->line), list->line.length, to);
		buffer_clear(&list->line);
	}
}

void
printed_add_lines(struct printed_list *list, const char *bytes, size_t length, struct buffer *to)
{
	if (!list->has_begun)
		buffer_text(to, "{\"items\":[");
	list->has_begun = true;
	if (list->fields) {
		printed_add_fields(list, bytes, length, to);
		return;
	}
	for (const char *at = bytes, *end = bytes + length; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		if (stop > at && !list->in_line && list->has_line)
			buffer_byte(to, ',');
		list->has_line |= stop > at;
		buffer_append(to, at, (size_t)(stop - at));
		list->in_line = !newline;
		at = newline ? newline + 1 : end;
	}
}

void
printed_end_list(struct printed_list *list, struct buffer *to)
{
	printed_add_lines(list, list->line.length ? "\n" : "", list->line.length ? 1 : 0, to);
	buffer_release(&list->line);
	buffer_text(to, "]}\n");
}

size_t
printed_read_head(const struct buffer *bytes, int *status, char type[static PRINTED_TYPE_SIZE])
{
	const char *text = buffer_string(bytes), *end = strstr(text, "\n\n");

	*type = '\0';
	if (!end || sscanf(text, "Status: %3d\nContent-Type: %63[^\n]", status, type) < 1 || *status < 200)
		return 0;
	return (size_t)(end + 2 - text);
}

struct printed *
printed_open(enum printed_form form, const char *type, const char *fields)
{
	struct printed *printed = memory_aligned(_Alignof(struct printed), sizeof *printed);

	printed->form = form;
	printed->list.fields = fields;
	printed->status = 200;
	snprintf(printed->type, sizeof printed->type, "%s", type);
	crypto_generichash_init(&printed->hash, NULL, 0, PRINTED_HASH);
	printed->fd = incoming_file(&printed->err);
	if (printed->fd >= 0)
		printed->err.code = 0;
	return printed;
}

/* Returns whether the disk has room for more. */
static bool
printed_has_room(const struct printed *printed)
{
	struct statvfs disk;

	return fstatvfs(printed->fd, &disk) < 0 || disk.f_bavail >= disk.f_blocks / PRINTED_DISK;
}

static void
printed_write(struct printed *printed, const struct buffer *bytes)
{
	if (bytes->length > PRINTED_MAX - printed->length)
		error_set(&printed->err, EX_DATAERR, "the answer is too large; ask for a part of it");
	else if (!printed_has_room(printed))
		error_set(&printed->err, EX_IOERR, "the server has no room for so large an answer; ask for a part of it");
	else if (file_write_all(printed->fd, bytes->data, bytes->length) < 0)
		error_errno(&printed->err, EX_IOERR, "the answer cannot be kept");
	crypto_generichash_update(&printed->hash, (const unsigned char *)buffer_string(bytes), bytes->length);
	printed->length += bytes->length;
}

int
printed_take(struct printed *printed, struct buffer *bytes)
{
	struct buffer lines = {0};

	if (printed->form == PRINTED_WHOLE && !printed->length)
		buffer_drop(bytes, printed_read_head(bytes, &printed->status, printed->type));
	if (!printed->err.code && printed->form == PRINTED_LINES) {
		printed_add_lines(&printed->list, buffer_string(bytes), bytes->length, &lines);
		printed_write(printed, &lines);
	} else if (!printed->err.code) {
		printed_write(printed, bytes);
	}
	buffer_release(&lines);
	buffer_clear(bytes);
	return printed->err.code ? -1 : 0;
}

/* Writes the end, and finds the tag. */
static void
printed_end(struct printed *printed)
{
	unsigned char hash[PRINTED_HASH];
	char digest[2 * PRINTED_HASH + 1];
	struct buffer end = {0};

	if (printed->form == PRINTED_LINES) {
		printed_end_list(&printed->list, &end);
		printed_write(printed, &end);
	}
	buffer_release(&end);
	crypto_generichash_final(&printed->hash, hash, sizeof hash);
	sodium_bin2hex(digest, sizeof digest, hash, sizeof hash);
	snprintf(printed->tag, sizeof printed->tag, "\"%s\"", digest);
}

const char *
printed_give(struct printed *printed, struct http_exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	int fd = -1;

	if (!printed->err.code && !*printed->tag)
		printed_end(printed);
	if (!printed->err.code && (fd = fcntl(printed->fd, F_DUPFD_CLOEXEC, 0)) < 0)
		error_errno(&printed->err, EX_OSERR, "the answer cannot be sent");
	if (printed->err.code)
		return printed->err.text;
	answer->status = printed->status;
	answer->type = *printed->type ? arena_string(&exchange->arena, printed->type) : NULL;
	answer->is_file = true;
	answer->fd = fd;
	answer->length = printed->length;
	if (answer->status == 200 && (strcmp(exchange->method, "GET") == 0 || strcmp(exchange->method, "HEAD") == 0))
		http_field_add(exchange, &answer->headers, "ETag", printed->tag);
	return NULL;
}

void
printed_release(struct printed *printed)
{
	if (!printed)
		return;
	if (printed->fd >= 0)
		close(printed->fd);
	buffer_release(&printed->list.line);
	free(printed);
}
