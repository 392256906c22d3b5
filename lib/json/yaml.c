/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints by hand: what may stand without quotes is a list of what is safe, so that a new rule of some reader is no trouble.
 */
#include "json/yaml.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json/json.h"
#include "json/yaml-plain.h"

enum { LONGEST_KEY = 1000 }; /* readers look no further than 1024 characters for the colon behind a key */

/* A container goes on in its line at the start and behind "- "; behind "key:" it begins a new one. */
enum position { AT_START, BEHIND_KEY };

/* Tells whether the text is itself without quotes: it begins as no number, date or mark of YAML does, and has no character that
 * means something behind its first. */
static bool
yaml_is_plain(const char *text, size_t length)
{
	const char *reason;

	if (length == 0 || (!isalpha((unsigned char)text[0]) && text[0] != '/' && text[0] != '_') || text[length - 1] == ' ')
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i], next = i + 1 < length ? text[i + 1] : ' ';

		if (!c || (!isalnum((unsigned char)c) && !strchr(" _-./@+=:;()%", c)) || (c == ':' && next == ' '))
			return false;
	}
	return yaml_plain(text, length, &reason) == YAML_PLAIN_TEXT;
}

/* Returns the bytes of the character at text (at most length) where YAML cannot have it as it is, else 0; sets its code. They are
 * what is not printable, the byte order mark, and what YAML 1.1 takes for the end of a line. */
static size_t
yaml_escaped_length(const char *text, size_t length, unsigned *code)
{
	const unsigned char *at = (const unsigned char *)text;

	if (at[0] < 0x20 || at[0] == 0x7f) {
		*code = at[0];
		return 1;
	}
	if (at[0] == 0xc2 && length > 1 && at[1] < 0xa0) {
		*code = at[1];
		return 2;
	}
	if ((at[0] & 0xf0) != 0xe0 || length < 3)
		return 0;
	*code = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
	return *code == 0x2028 || *code == 0x2029 || *code == 0xfeff || *code >= 0xfffe ? 3 : 0;
}

static void
yaml_print_escape(unsigned code, struct buffer *out)
{
	static const char codes[] = "\b\f\n\r\t", letters[] = "bfnrt";
	const char *found = code ? strchr(codes, (int)code) : NULL;

	if (found)
		buffer_printf(out, "\\%c", letters[found - codes]);
	else
		buffer_printf(out, "\\u%04x", code);
}

/* The escapes are those of JSON. */
static void
yaml_print_quoted(const char *text, size_t length, struct buffer *out)
{
	buffer_byte(out, '"');
	for (size_t i = 0, bytes; i < length; i += bytes) {
		unsigned code;

		bytes = yaml_escaped_length(text + i, length - i, &code);
		if (bytes) {
			yaml_print_escape(code, out);
			continue;
		}
		if (text[i] == '"' || text[i] == '\\')
			buffer_byte(out, '\\');
		buffer_byte(out, text[i]);
		bytes = 1;
	}
	buffer_byte(out, '"');
}

/* Tells whether the text can be a block of lines: it has several, the first of which shows the indentation, it ends with one
 * newline or none, and it has nothing to escape. */
static bool
yaml_is_block(const char *text, size_t length)
{
	unsigned code;

	if (length < 2 || !memchr(text, '\n', length - 1) || isspace((unsigned char)text[0]) ||
	    (text[length - 1] == '\n' && text[length - 2] == '\n'))
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\n' && text[i] != '\t' && yaml_escaped_length(text + i, length - i, &code))
			return false;
	return true;
}

static void
yaml_print_indent(int indent, struct buffer *out)
{
	for (int i = 0; i < indent; i++)
		buffer_byte(out, ' ');
}

static void
yaml_print_block(const char *text, size_t length, int indent, struct buffer *out)
{
	const char *end = text + length;

	buffer_text(out, end[-1] == '\n' ? "|" : "|-");
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		buffer_byte(out, '\n');
		if (newline > text)
			yaml_print_indent(indent, out);
		buffer_append(out, text, (size_t)(newline - text));
		text = newline + 1;
	}
}

static void
yaml_print_string(jv string, int indent, struct buffer *out)
{
	const char *text = jv_string_value(string);
	size_t length = (size_t)jv_string_length_bytes(jv_copy(string));

	if (yaml_is_plain(text, length))
		buffer_append(out, text, length);
	else if (yaml_is_block(text, length))
		yaml_print_block(text, length, indent > 0 ? indent : 2, out);
	else
		yaml_print_quoted(text, length, out);
}

/* A number with an exponent has a fraction, too: without it YAML 1.1 has a string. */
static void
yaml_print_number(double number, struct buffer *out)
{
	size_t start = out->length;
	char *exponent, *rest;

	json_number(number, out);
	exponent = strpbrk(out->data + start, "eE");
	if (!exponent)
		return;
	rest = memory_string(exponent + 1);
	out->length = (size_t)(exponent - out->data);
	buffer_printf(out, "%se%s%s", memchr(out->data + start, '.', out->length - start) ? "" : ".0",
	    *rest == '-' || *rest == '+' ? "" : "+", rest);
	free(rest);
}

static void yaml_print_value(jv value, enum position position, int indent, struct buffer *out);

static void
yaml_print_key(jv key, int indent, struct buffer *out)
{
	const char *text = jv_string_value(key);
	size_t length = (size_t)jv_string_length_bytes(jv_copy(key)), start = out->length;

	if (yaml_is_plain(text, length) && length < LONGEST_KEY) {
		buffer_append(out, text, length);
	} else {
		yaml_print_quoted(text, length, out);
		if (out->length - start > LONGEST_KEY) {
			out->length = start;
			buffer_text(out, "? ");
			yaml_print_quoted(text, length, out);
			buffer_byte(out, '\n');
			yaml_print_indent(indent, out);
		}
	}
	buffer_byte(out, ':');
}

static void
yaml_print_object(jv object, int indent, struct buffer *out)
{
	jv keys = jv_keys(jv_copy(object));
	size_t count = json_length(keys);

	for (size_t i = 0; i < count; i++) {
		jv key = json_element(keys, i), value = jv_object_get(jv_copy(object), jv_copy(key));

		if (i > 0) {
			buffer_byte(out, '\n');
			yaml_print_indent(indent, out);
		}
		yaml_print_key(key, indent, out);
		yaml_print_value(value, BEHIND_KEY, indent + 2, out);
		jv_free(value);
		jv_free(key);
	}
	jv_free(keys);
}

static void
yaml_print_array(jv array, int indent, struct buffer *out)
{
	size_t count = json_length(array);

	for (size_t i = 0; i < count; i++) {
		jv element = json_element(array, i);

		if (i > 0) {
			buffer_byte(out, '\n');
			yaml_print_indent(indent, out);
		}
		buffer_text(out, "- ");
		yaml_print_value(element, AT_START, indent + 2, out);
		jv_free(element);
	}
}

static void
yaml_print_container(jv value, bool is_object, enum position position, int indent, struct buffer *out)
{
	if (position == BEHIND_KEY) {
		buffer_byte(out, '\n');
		yaml_print_indent(indent, out);
	}
	if (is_object)
		yaml_print_object(value, indent, out);
	else
		yaml_print_array(value, indent, out);
}

/* Prints a value whose lines but the first begin with indent blanks; no newline behind it. */
static void
yaml_print_value(jv value, enum position position, int indent, struct buffer *out)
{
	jv_kind kind = jv_get_kind(value);
	bool is_object = kind == JV_KIND_OBJECT, is_container = is_object || kind == JV_KIND_ARRAY;

	if (is_container && json_length(value) > 0) {
		yaml_print_container(value, is_object, position, indent, out);
		return;
	}
	if (position == BEHIND_KEY)
		buffer_byte(out, ' ');
	if (is_container)
		buffer_text(out, is_object ? "{}" : "[]");
	else if (kind == JV_KIND_STRING)
		yaml_print_string(value, indent, out);
	else if (kind == JV_KIND_NUMBER)
		yaml_print_number(jv_number_value(value), out);
	else
		json_dump(value, out);
}

void
yaml_print(jv value, struct buffer *out)
{
	yaml_print_value(value, AT_START, 0, out);
	buffer_byte(out, '\n');
}
