/* SPDX-License-Identifier: Apache-2.0 */
#include "http/exchange.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/printable.h"

void
http_field_add(struct http_exchange *exchange, struct http_fields *fields, const char *name, const char *value)
{
	ARRAY_ROOM(fields->list, fields->count, fields->capacity);
	fields->list[fields->count++] =
	    (struct http_field){arena_string(&exchange->arena, name), arena_string(&exchange->arena, value)};
}

void
http_answer_begin_stream(struct http_exchange *exchange, const char *type)
{
	exchange->answer.status = 200;
	exchange->answer.type = type;
	exchange->answer.streams = true;
	http_field_add(exchange, &exchange->answer.headers, "Cache-Control", "no-store");
	http_field_add(exchange, &exchange->answer.headers, "X-Accel-Buffering", "no");
}

const char *
http_field_find(const struct http_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcasecmp(fields->list[i].name, name) == 0)
			return fields->list[i].value;
	return NULL;
}

/* Returns the value of a hexadecimal digit; -1 where it is none. */
static int
http_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return isxdigit((unsigned char)byte) ? tolower((unsigned char)byte) - 'a' + 10 : -1;
}

/* Returns whether the text could be printed as it is. */
static bool
http_is_text(const char *text)
{
	char *copy = memory_string(text);
	bool same;

	printable(copy);
	same = strcmp(copy, text) == 0;
	free(copy);
	return same;
}

const char *
http_decode(struct arena *arena, const char *text, size_t length)
{
	char *decoded = arena_alloc(arena, length + 1, 1), *to = decoded;

	for (size_t i = 0; i < length; i++) {
		int high, low;

		if (text[i] != '%') {
			*to++ = text[i];
			continue;
		}
		high = length - i > 2 ? http_digit(text[i + 1]) : -1;
		low = length - i > 2 ? http_digit(text[i + 2]) : -1;
		if (high < 0 || low < 0)
			return NULL;
		*to++ = (char)(high * 16 + low);
		i += 2;
	}
	return strlen(decoded) == (size_t)(to - decoded) && http_is_text(decoded) ? decoded : NULL;
}

uint64_t
http_answer_length(const struct http_answer *answer)
{
	return answer->is_file ? answer->length : answer->body.length;
}

void
http_answer_cut(struct http_answer *answer, uint64_t from, uint64_t to)
{
	if (answer->is_file) {
		answer->from += from;
		answer->length = to - from;
	} else {
		answer->body.length = to;
		buffer_drop(&answer->body, from);
	}
}

void
http_exchange_release(struct http_exchange *exchange)
{
	free(exchange->query.list);
	free(exchange->headers.list);
	free(exchange->answer.headers.list);
	buffer_release(&exchange->body);
	buffer_release(&exchange->answer.body);
	if (exchange->answer.is_file && exchange->answer.fd >= 0)
		close(exchange->answer.fd);
	arena_release(&exchange->arena);
}
