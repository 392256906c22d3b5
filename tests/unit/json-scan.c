/* SPDX-License-Identifier: Apache-2.0
 *
 * What the gate lets through comes out of libjq exactly; what it refuses, it names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/scan.h"
#include "tap.h"

struct pair {
	const char *text, *wanted;
};

static const struct pair kept[] = {
	{"null", "null"},
	{" [ ] ", "[]"},
	{"{\"b\":1,\"a\":{\"d\":[],\"c\":{}}}", "{\"a\":{\"c\":{},\"d\":[]},\"b\":1}"},
	{"[9007199254740992,1e16,1e30]", "[9007199254740992,1e+16,1e+30]"},
	{"[10000000000000000,9900719925474100000.0]", "[1e+16,9900719925474100000]"},
	{"9900719925474100000", "9900719925474100000"},
	{"[9007199254740991,-9007199254740991]", "[9007199254740991,-9007199254740991]"},
	{"[0.1,1e3,0.31,1E-7,-0.5]", "[0.1,1000,0.31,1e-07,-0.5]"},
	{"\"a\\u00e9\\ud83d\\ude00\\n\\\"\\/\"", "\"a\xc3\xa9\xf0\x9f\x98\x80\\n\\\"/\""},
	{"\"\x7f\"", "\"\\u007f\""},
	{"{\"a\":1,\"A\":2,\"\":3}", "{\"\":3,\"A\":2,\"a\":1}"},
};

static const struct pair refused[] = {
	{"", "empty"},
	{" \n\t", "empty"},
	{"{} {}", "more follows"},
	{"{\"a\":1", "line 1, column 7: the text ends inside"},
	{"[1,\n 2,\n x]", "line 3, column 2: not a JSON value"},
	{"tru", "ends inside"},
	{"[1,]", "not a JSON value"},
	{"{\"a\":1,}", "name in double quotes"},
	{"{'a':1}", "name in double quotes"},
	{"{\"a\" 1}", "':' is missing"},
	{"[1 2]", "',' or ']' is missing"},
	{"{\"a\":1 \"b\":2}", "',' or '}' is missing"},
	{"[1}", "',' or ']' is missing"},
	{"nan", "not a JSON value"},
	{"NaN", "not a JSON value"},
	{"Infinity", "not a JSON value"},
	{"01", "not a number"},
	{"-", "not a number"},
	{"1.", "not a number"},
	{"1e", "not a number"},
	{"1e400", "out of range"},
	{"9007199254740993", "not be kept exactly"},
	{"-123456789012345678901234567890", "not be kept exactly"},
	{"0.12345678901234567891", "digits that would not be kept"},
	{"9007199254740993.0", "digits that would not be kept"},
	{"1.00000000000000000000001e3", "digits that would not be kept"},
	{"\"\\u0\x10" "e9\"", "four hexadecimal"},
	{"{\"\\u\x11" "123\":1}", "four hexadecimal"},
	{"\"\\u0000\"", "\\u0000 is not allowed"},
	{"\"\\ud83d\"", "surrogate"},
	{"\"\\ude00\"", "surrogate"},
	{"\"\\x41\"", "no such escape"},
	{"\"\\u12g4\"", "four hexadecimal"},
	{"\"a\nb\"", "control character"},
	{"\"\xff\"", "UTF-8"},
	{"\"\xc0\x80\"", "UTF-8"},
	{"\"\xed\xa0\x80\"", "UTF-8"},
	{"\"\xf4\x90\x80\x80\"", "UTF-8"},
	{"\"\xe2\x82\"", "UTF-8"},
	{"{\"a\":1,\"b\":2,\"a\":3}", "two members \"a\""},
	{"{\"a\":1,\"\\u0061\":3}", "two members"},
	{"{\"\\u00e9\":1,\"\xc3\xa9\":3}", "two members"},
	{"{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":3}", "two members"},
	{"[{\"x\":{\"k\":1,\"k\":1}}]", "two members \"k\""},
};

static void
check_kept(const struct pair *pair)
{
	struct buffer out = {0};
	struct error err = {0};
	jv value;

	if (json_parse("document", pair->text, strlen(pair->text), &value, &err) < 0) {
		tap_ok(false, "%s is let through: %s", pair->text, err.text);
		return;
	}
	json_dump(value, &out);
	tap_ok(strcmp(out.data, pair->wanted) == 0, "%s comes out as %s", pair->text, out.data);
	jv_free(value);
	buffer_release(&out);
}

static void
check_refused(const struct pair *pair)
{
	struct error err = {0};
	jv value;

	if (json_parse("document", pair->text, strlen(pair->text), &value, &err) == 0) {
		tap_ok(false, "%s is refused", pair->text);
		jv_free(value);
		return;
	}
	tap_ok(err.code == EX_DATAERR && strncmp(err.text, "document: ", 10) == 0 && strstr(err.text, pair->wanted),
	    "what is wrong is said: %s", err.text);
}

/* A value cut at any byte is either incomplete or already wrong, never whole. */
static void
check_cuts(void)
{
	const char *text = "{\"a\":[1,2.5e-3,true,null,\"\\ud83d\\ude00\xc3\xa9\"],\"b\":{}}";
	size_t length = strlen(text), incomplete = 0;
	struct error err;

	for (size_t n = 0; n < length; n++)
		incomplete += json_scan(text, n, false, &err) == 0;
	tap_ok(incomplete == length, "a value cut at any byte wants more");
	tap_ok(json_scan(text, length, false, &err) == (ssize_t)length, "a whole value ends where it ends");
}

static void
check_depth(void)
{
	struct error err;
	char text[2 * JSON_DEPTH + 3];

	memset(text, '[', JSON_DEPTH);
	memset(text + JSON_DEPTH, ']', JSON_DEPTH);
	tap_ok(json_scan(text, 2 * JSON_DEPTH, true, &err) == 2 * JSON_DEPTH, "%d levels are let through", JSON_DEPTH);
	memset(text, '[', sizeof text);
	tap_ok(json_scan(text, sizeof text, false, &err) == -1 && strstr(err.text, "128"), "one more is refused at once");
}

/* --- what we build and print ourselves, beside what libjq does --- */

enum { DOCUMENTS = 3000, DOCUMENT_DEPTH = 4 };

static void
make_string(struct buffer *out)
{
	static const char *const parts[] = {"a", "name", "\\n", "\\u00e9", "\\ud83d\\ude00", "\xc3\xa9", "\xf0\x9f\x98\x80", "\\\"", "\\\\",
	    "/", "\x7f", " ", "\\u001f", "zz", "0"};

	buffer_byte(out, '"');
	for (long left = random() % 5; left > 0; left--)
		buffer_text(out, parts[random() % (long)(sizeof parts / sizeof *parts)]);
	buffer_byte(out, '"');
}

static void
make_blank(struct buffer *out)
{
	static const char *const blanks[] = {"", "", "", " ", "\n\t", "\r "};

	buffer_text(out, blanks[random() % 6]);
}

static void
make_value(int depth, struct buffer *out)
{
	static const char *const scalars[] = {"true", "false", "null", "0", "-0", "-1", "17", "999999999999999", "-999999999999999",
	    "1000000000000000", "9007199254740992", "1.5", "1e3", "-2.25E-7", "1E+2", "0.1", "100000000000000000000", "10.0"};
	long kind = random() % (depth > 0 ? 4 : 2);

	make_blank(out);
	if (kind == 0) {
		buffer_text(out, scalars[random() % (long)(sizeof scalars / sizeof *scalars)]);
	} else if (kind == 1) {
		make_string(out);
	} else {
		buffer_byte(out, kind == 2 ? '[' : '{');
		for (long left = random() % 12, i = 0; i < left; i++) {
			buffer_text(out, i > 0 ? "," : "");
			if (kind == 3) {
				make_blank(out);
				make_string(out);
				/* No two the same. */
				out->data[out->length - 1] = '_';
				buffer_printf(out, "%ld\"", i);
				make_blank(out);
				buffer_byte(out, ':');
			}
			make_value(depth - 1, out);
		}
		make_blank(out);
		buffer_byte(out, kind == 2 ? ']' : '}');
	}
	make_blank(out);
}

static bool
is_as_libjq(const struct buffer *text)
{
	jv theirs = jv_parse_sized(text->data, (int)text->length), ours = jv_invalid(), printed;
	struct buffer out = {0};
	struct error err;
	bool same = json_parse("document", text->data, text->length, &ours, &err) == 0 &&
	    jv_equal(jv_copy(ours), jv_copy(theirs)) != 0;

	printed = jv_dump_string(theirs, JV_PRINT_SORTED);
	json_dump(ours, &out);
	same = same && out.length == strlen(jv_string_value(printed)) && memcmp(out.data, jv_string_value(printed), out.length) == 0;
	if (!same)
		printf("# %.*s\n# libjq: %s\n# ours:  %.*s\n", (int)text->length, text->data, jv_string_value(printed),
		    (int)out.length, out.data);
	jv_free(ours);
	jv_free(printed);
	buffer_release(&out);
	return same;
}

static void
check_against_libjq(void)
{
	size_t same = 0;

	srandom(1);
	for (int i = 0; i < DOCUMENTS; i++) {
		struct buffer text = {0};

		make_value(DOCUMENT_DEPTH, &text);
		same += is_as_libjq(&text);
		buffer_release(&text);
	}
	tap_is_number((long)same, DOCUMENTS, "documents made at random are read and printed as libjq does");
}

static void
check_quote(void)
{
	char text[256];
	struct buffer ours = {0}, theirs = {0};
	jv value;

	for (int i = 1; i < 128; i++)
		text[i - 1] = (char)i;
	strcpy(text + 127, "\xc3\xa9\xf0\x9f\x98\x80");
	value = jv_string(text);
	json_dump(value, &theirs);
	json_quote(text, &ours);
	tap_ok(strcmp(ours.data, theirs.data) == 0, "json_quote writes what json_dump writes");
	jv_free(value);
	buffer_release(&ours);
	buffer_release(&theirs);
}

static void
check_number(void)
{
	static const double numbers[] = {0, -0.0, 1, -1, 0.1, 1e15, 1e17, 9007199254740992, 1e18, 1.5e300, 123456.789, -42};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct buffer ours = {0}, theirs = {0};
		jv value = jv_number(numbers[i]);

		json_dump(value, &theirs);
		json_number(numbers[i], &ours);
		tap_ok(strcmp(ours.data, theirs.data) == 0, "json_number writes %s", theirs.data);
		jv_free(value);
		buffer_release(&ours);
		buffer_release(&theirs);
	}
}

/* Returns whether a document is kept whose first list, in the member name, has so many elements, where is inside of it before the list. */
static bool
keeps_list(const char *name, const char *where, size_t count)
{
	struct buffer text = {0};
	struct error err;
	ssize_t used;

	buffer_printf(&text, "{\"kind\":\"request\",%s\"%s\":[0", where, name);
	for (size_t i = 1; i < count; i++)
		buffer_text(&text, ",0");
	buffer_text(&text, *where ? "]}}" : "]}");
	used = json_scan(text.data, text.length, true, &err);
	buffer_release(&text);
	return used > 0;
}

static void
check_lists(void)
{
	static const char *const names[] = {"services", "definitions", "hardwaretypes", "imagetypes", "nodes"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t most = i < 4 ? 16384 : 1000000;

		tap_ok(keeps_list(names[i], "", most) && !keeps_list(names[i], "", most + 1), "a document has at most %zu %s", most, names[i]);
		tap_ok(keeps_list(names[i], "\"config\":{", most + 1), "what is not the document's own list has any number of %s", names[i]);
	}
	tap_ok(keeps_list("numbers", "", 1000001), "other lists have any number of elements");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		check_kept(&kept[i]);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		check_refused(&refused[i]);
	check_cuts();
	check_depth();
	check_lists();
	check_against_libjq();
	check_quote();
	check_number();
	return tap_end();
}
