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
	{"[10000000000000000,9900719925474099305.5]", "[1e+16,9900719925474100000]"},
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

int
main(void)
{
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		check_kept(&kept[i]);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		check_refused(&refused[i]);
	check_cuts();
	check_depth();
	check_quote();
	check_number();
	return tap_end();
}
