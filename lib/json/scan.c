/* SPDX-License-Identifier: Apache-2.0
 *
 * A pushdown scanner: no recursion, one pass over the bytes. For each open container the stack
 * keeps where its keys begin in one shared list, to be looked through when it closes.
 */
#include "json/scan.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/dump.h"
#include "json/key.h"

enum {
	LONGEST_NUMBER = 400,
	DIGITS_SAFE = 15, /* are always kept */
	SCAN_CONTAINER = 400, /* bytes that libjq takes for an empty object, about as many as for an array */
	SCAN_MEMBER = 48,     /* and for a member's name, besides its text */
	SCAN_VALUE = 16,
};

struct scan_list { /* a list that is a member of a whole document, and its most elements */
	const char *name;
	size_t most;
};

/* What is made of an element takes many times its text: so the lists that documents have are bounded before any is made. More services and
 * types than these no catalogue has; nodes are as many as machines of a layout. */
static const struct scan_list scan_lists[] = {
	{"definitions", 16384},
	{"hardwaretypes", 16384},
	{"imagetypes", 16384},
	{"nodes", 1000000},
	{"services", 16384},
};

/* Before "value" also a closing bracket may stand where the container is empty. */
enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END };

struct scan {
	const char *start, *at, *limit;
	bool end; /* no bytes follow limit */
	struct error *err;
	size_t memory; /* that the values so far take in libjq, about */
	const struct scan_list *list; /* the member of the whole document that is read is that one; or NULL */
	size_t elements;              /* of it so far */
	enum expect expect;
	int depth;
	bool is_object[JSON_DEPTH + 1];
	size_t first_key[JSON_DEPTH + 1];
	struct key *keys;
	size_t key_count, key_capacity;
};

/* Results of the steps below; MORE: the value goes on beyond the limit. */
enum { OK, MORE, BAD };

static int
scan_bad(struct scan *s, const char *at, const char *what)
{
	size_t line = 1, column = 1;

	for (const char *p = s->start; p < at; p++, column++)
		if (*p == '\n') {
			line++;
			column = 0;
		}
	error_set(s->err, EX_DATAERR, "line %zu, column %zu: %s", line, column, what);
	return BAD;
}

static int
scan_cut(struct scan *s)
{
	return s->end ? scan_bad(s, s->limit, "the text ends inside a value") : MORE;
}

/* At the "u" of an escape; steps over it and, for a high surrogate, over its mate. */
static int
scan_unicode_escape(struct scan *s)
{
	const char *p = s->at + 1;
	int code, low;

	if (s->limit - p < 4)
		return scan_cut(s);
	code = key_hex4(p);
	if (code < 0)
		return scan_bad(s, p, "\\u wants four hexadecimal digits");
	if (code == 0)
		return scan_bad(s, s->at, "\\u0000 is not allowed in a string");
	s->at = p + 4;
	if (code < 0xd800 || code > 0xdfff)
		return OK;
	if (s->limit - s->at < 6 && (s->at == s->limit || *s->at == '\\'))
		return scan_cut(s);
	low = s->limit - s->at >= 6 && s->at[0] == '\\' && s->at[1] == 'u' ? key_hex4(s->at + 2) : -1;
	if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return scan_bad(s, p, "half of a surrogate pair");
	s->at += 6;
	return OK;
}

static int
scan_escape(struct scan *s)
{
	if (++s->at == s->limit)
		return scan_cut(s);
	if (*s->at == 'u')
		return scan_unicode_escape(s);
	if (!*s->at || !strchr("\"\\/bfnrt", *s->at))
		return scan_bad(s, s->at, "no such escape in a string");
	s->at++;
	return OK;
}

/* Steps over one character of two to four bytes, as RFC 3629 allows them. */
static int
scan_utf8(struct scan *s)
{
	unsigned char lead = (unsigned char)*s->at, low = 0x80, high = 0xbf;
	int more = lead >= 0xc2 && lead <= 0xdf ? 1 : (lead & 0xf0) == 0xe0 ? 2 : lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;

	if (more == 0)
		return scan_bad(s, s->at, "invalid UTF-8");
	if (lead == 0xe0)
		low = 0xa0;
	else if (lead == 0xed)
		high = 0x9f;
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xf4)
		high = 0x8f;
	for (int i = 1; i <= more; i++, low = 0x80, high = 0xbf) {
		if (s->at + i == s->limit)
			return scan_cut(s);
		if ((unsigned char)s->at[i] < low || (unsigned char)s->at[i] > high)
			return scan_bad(s, s->at, "invalid UTF-8");
	}
	s->at += more + 1;
	return OK;
}

/* At the opening quote; fills key with what stands between the quotes. */
static int
scan_string(struct scan *s, struct key *key)
{
	int step = OK;

	key->text = ++s->at;
	key->escaped = false;
	while (step == OK) {
		unsigned char c = 0;

		while (s->at < s->limit && (c = (unsigned char)*s->at, c >= 0x20 && c < 0x80 && c != '"' && c != '\\'))
			s->at++;
		if (s->at == s->limit)
			return scan_cut(s);
		if (*s->at == '"')
			break;
		if (*s->at == '\\') {
			key->escaped = true;
			step = scan_escape(s);
		} else {
			step = c < 0x20 ? scan_bad(s, s->at, c ? "a control character in a string" : "a NUL byte") : scan_utf8(s);
		}
	}
	if (step == OK)
		key->length = (uint32_t)(s->at++ - key->text);
	return step;
}

static bool
scan_is_number_byte(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static const char *
scan_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Tells whether p to end is a number of RFC 8259; *integer tells that it has neither fraction nor exponent. */
static bool
scan_is_number(const char *p, const char *end, bool *integer)
{
	const char *start;

	*integer = true;
	if (p < end && *p == '-')
		p++;
	start = p;
	p = scan_digits(p, end);
	if (p == start || (*start == '0' && p - start > 1))
		return false;
	if (p < end && *p == '.') {
		*integer = false;
		start = ++p;
		p = scan_digits(p, end);
		if (p == start)
			return false;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		*integer = false;
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		start = p;
		p = scan_digits(p, end);
		if (p == start)
			return false;
	}
	return p == end;
}

/* Tells whether an integer beyond 2^53 is kept: it is exactly the number that text was read as, or what that prints as (the
 * shortest digits, then zeros), so that what we have printed can be read. */
static bool
scan_is_kept(double number, const char *text)
{
	struct buffer printed = {0};
	bool kept;

	json_number(number, &printed);
	kept = strcmp(printed.data, text) == 0;
	buffer_clear(&printed);
	buffer_printf(&printed, "%.0f", number);
	kept = kept || strcmp(printed.data, text) == 0;
	buffer_release(&printed);
	return kept;
}

/* Writes the digits of a decimal without zeros before and behind them. Returns how many they are; more than JSON_DIGITS are not written. */
static size_t
scan_significant(const char *text, char digits[JSON_DIGITS + 1])
{
	size_t length = 0, count = 0; /* with the zeros behind them; without */

	for (; *text && *text != 'e' && *text != 'E'; text++) {
		if (*text < '0' || *text > '9' || (!length && *text == '0'))
			continue;
		if (length < JSON_DIGITS)
			digits[length] = *text;
		count = *text == '0' ? count : length + 1;
		length++;
	}
	digits[count < JSON_DIGITS ? count : JSON_DIGITS] = '\0';
	return count;
}

bool
json_keeps_digits(double value, const char *decimal)
{
	char digits[JSON_DIGITS + 1], printed[JSON_DIGITS + 20], again[JSON_DIGITS + 1];
	size_t count = scan_significant(decimal, digits);

	if (count > JSON_DIGITS)
		return false;
	snprintf(printed, sizeof printed, "%.*e", count ? (int)count - 1 : 0, value);
	return scan_significant(printed, again) == count && strcmp(digits, again) == 0;
}

bool
json_scan_number(const char *text, size_t length, const char **reason)
{
	char copy[LONGEST_NUMBER + 1];
	bool integer;
	double value;

	*reason = NULL;
	if (!scan_is_number(text, text + length, &integer))
		return false;
	if (length > LONGEST_NUMBER) {
		*reason = "a number of more than 400 characters";
		return true;
	}
	memcpy(copy, text, length);
	copy[length] = '\0';
	value = strtod(copy, NULL);
	if (isinf(value))
		*reason = "the number is out of range";
	else if (integer && fabs(value) > 9007199254740991.0 && !scan_is_kept(value, copy))
		*reason = "the integer would not be kept exactly";
	else if (!integer && length > DIGITS_SAFE && !json_keeps_digits(value, copy))
		*reason = "the number has digits that would not be kept";
	return true;
}

static int
scan_number(struct scan *s)
{
	const char *start = s->at, *reason;
	size_t length;

	while (s->at < s->limit && scan_is_number_byte(*s->at))
		s->at++;
	if (s->at == s->limit && !s->end)
		return MORE;
	length = (size_t)(s->at - start);
	if (length > LONGEST_NUMBER)
		return scan_bad(s, start, "a number of more than 400 characters");
	if (!json_scan_number(start, length, &reason))
		return scan_bad(s, start, "not a number");
	return reason ? scan_bad(s, start, reason) : OK;
}

static int
scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t room = (size_t)(s->limit - s->at);

	for (size_t i = 0; i < 3; i++) {
		size_t length = strlen(words[i]);

		if (room >= length && memcmp(s->at, words[i], length) == 0) {
			s->at += length;
			return OK;
		}
		if (room < length && memcmp(s->at, words[i], room) == 0)
			return scan_cut(s);
	}
	return scan_bad(s, s->at, *s->at ? "not a JSON value" : "a NUL byte");
}

/* Counts what a value takes. A few bytes of text may be a hundred times as many there: "{},{},{},". */
static int
scan_count(struct scan *s, size_t bytes)
{
	s->memory += bytes;
	if (s->memory <= JSON_MEMORY + JSON_MEMORY_RATIO * (size_t)(s->at - s->start))
		return OK;
	return scan_bad(s, s->at, "too many small values: together they take too much memory; give them in parts");
}

static int
scan_open_container(struct scan *s, bool is_object)
{
	if (s->depth == JSON_DEPTH)
		return scan_bad(s, s->at, "more than 128 arrays and objects inside one another");
	if (scan_count(s, SCAN_CONTAINER) != OK)
		return BAD;
	s->depth++;
	s->is_object[s->depth] = is_object;
	s->first_key[s->depth] = s->key_count;
	s->expect = is_object ? KEY_OR_END : VALUE_OR_END;
	s->at++;
	return OK;
}

static int
scan_check_duplicates(struct scan *s, size_t first)
{
	const struct key *twice = NULL;
	char what[128];

	if (s->key_count > first) /* keys may be NULL where there is none */
		twice = key_find_twice(s->keys + first, s->key_count - first);
	s->key_count = first;
	if (!twice)
		return OK;
	snprintf(what, sizeof what, "the object has two members \"%.*s\"",
	    twice->length < 80 ? (int)twice->length : 80, twice->text);
	return scan_bad(s, twice->text, what);
}

static int
scan_close_container(struct scan *s)
{
	size_t first = s->first_key[s->depth];
	bool is_object = s->is_object[s->depth];

	s->depth--;
	s->expect = COMMA_OR_END;
	s->at++;
	return is_object ? scan_check_duplicates(s, first) : OK;
}

/* Begins a member of the whole document. */
static void
scan_find_list(struct scan *s, const struct key *key)
{
	s->list = NULL;
	s->elements = 0;
	for (size_t i = 0; i < sizeof scan_lists / sizeof *scan_lists; i++)
		if (key->length == strlen(scan_lists[i].name) && memcmp(key->text, scan_lists[i].name, key->length) == 0)
			s->list = &scan_lists[i];
}

static int
scan_count_element(struct scan *s)
{
	char what[80];

	if (!s->list || s->depth != 2 || s->is_object[2] || s->elements++ < s->list->most)
		return OK;
	snprintf(what, sizeof what, "/%s: more than %zu of them", s->list->name, s->list->most);
	return scan_bad(s, s->at, what);
}

static int
scan_key(struct scan *s)
{
	int step;

	ARRAY_ROOM(s->keys, s->key_count, s->key_capacity);
	step = scan_string(s, &s->keys[s->key_count]);
	if (step == OK && s->depth == 1)
		scan_find_list(s, &s->keys[s->key_count]);
	s->key_count += step == OK;
	s->expect = COLON;
	return step == OK ? scan_count(s, SCAN_MEMBER) : step;
}

static int
scan_value(struct scan *s)
{
	struct key ignored;

	if (scan_count_element(s) != OK)
		return BAD;
	switch (*s->at) {
	case '{':
		return scan_open_container(s, true);
	case '[':
		return scan_open_container(s, false);
	case '"':
		s->expect = COMMA_OR_END;
		return scan_string(s, &ignored);
	default:
		s->expect = COMMA_OR_END;
		s->memory += SCAN_VALUE;
		return *s->at == '-' || (*s->at >= '0' && *s->at <= '9') ? scan_number(s) : scan_word(s);
	}
}

static int
scan_step(struct scan *s)
{
	char c = *s->at, closing = s->is_object[s->depth] ? '}' : ']';

	switch (s->expect) {
	case VALUE_OR_END:
		return c == ']' ? scan_close_container(s) : scan_value(s);
	case VALUE:
		return scan_value(s);
	case KEY_OR_END:
		if (c == '}')
			return scan_close_container(s);
		/* FALLTHROUGH */
	case KEY:
		return c == '"' ? scan_key(s) : scan_bad(s, s->at, "a member's name in double quotes is missing here");
	case COLON:
		s->expect = VALUE;
		return c == ':' ? (s->at++, OK) : scan_bad(s, s->at, "':' is missing here");
	case COMMA_OR_END:
		if (c == closing)
			return scan_close_container(s);
		s->expect = s->is_object[s->depth] ? KEY : VALUE;
		return c == ',' ? (s->at++, OK) : scan_bad(s, s->at,
		    closing == '}' ? "',' or '}' is missing here" : "',' or ']' is missing here");
	}
	return BAD;
}

static void
scan_skip_space(struct scan *s)
{
	while (s->at < s->limit && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

ssize_t
json_scan(const char *text, size_t length, bool end, struct error *err)
{
	struct scan s = {.start = text, .at = text, .limit = text + length, .end = end, .err = err, .expect = VALUE};
	int step = OK;

	scan_skip_space(&s);
	if (s.at == s.limit)
		return 0;
	do {
		step = scan_step(&s);
		if (step == OK && s.depth > 0) {
			scan_skip_space(&s);
			if (s.at == s.limit)
				step = scan_cut(&s);
		}
	} while (step == OK && s.depth > 0);
	free(s.keys);
	return step == OK ? s.at - text : step == MORE ? 0 : -1;
}
