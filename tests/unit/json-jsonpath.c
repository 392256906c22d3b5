/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates: what they print, and where they are wrong.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/jsonpath.h"
#include "tap.h"

static const char document[] = "{\"a\":{\"b\":\"text\",\"n\":1.5},\"list\":[{\"x\":1},{\"x\":2},{}],\"none\":null,\"no\":false,"
    "\"odd.name\":\"odd\",\"it's\":3,\"two\":[\"b\",\"a\"]}";

struct pair {
	const char *template, *printed;
};

static const struct pair good[] = {
	{"{.a.b}", "text"},
	{"<{.a.b}, {.a.n}>{\"\\n\"}", "<text, 1.5>\n"},
	{"{.list[0].x}{.list[1].x}", "12"},
	{"{.list[-1]}{.list[-2].x}", "{}2"},
	{"{.list[*].x}", "1 2"},
	{"{.list.*.x}", "1 2"},
	{"{.a.*}", "text 1.5"},
	{"{.a[*]}", "text 1.5"},
	{"{[\"odd.name\"]}{['odd.name']}{.odd\\.name}", "oddoddodd"},
	{"{['it\\'s']}{[\"it's\"]}", "33"},
	{"{.a['b']}{.a.[\"b\"]}", "texttext"},
	{"{$.a.b}{@.a.b}{ .a.b }", "texttexttext"},
	{"{.a}", "{\"b\":\"text\",\"n\":1.5}"},
	{"{.two}", "[\"b\",\"a\"]"},
	{"{.none}|{.nothing}|{.a.b.c}|{.list[9].x}|{.list[-9]}|{.a[0]}", "|||||"},
	{"{.no}", "false"},
	{"{'single'}{\"\\t\\\"\"}}", "single\t\"}"},
	{"\\n{.no}", "\\nfalse"},
	{"{\"\"}", ""},
};

static const struct pair bad[] = {
	{"", "it has no path in braces, such as {.name}"},
	{".name", "it has no path in braces, such as {.name}"},
	{"{}", "column 2: expected a path as .name, or text in quotes"},
	{"{name}", "column 2: expected a path as .name, or text in quotes"},
	{"{.a", "column 4: expected '}'"},
	{"ab{.a.b}{.c", "column 12: expected '}'"},
	{"{.a b}", "column 5: expected '}'"},
	{"{.a[}", "column 5: expected a number, * or a name in quotes"},
	{"{.a[1}", "column 6: expected ']'"},
	{"{.a[1:2]}", "column 6: expected ']'"},
	{"{.a[99999999999]}", "column 5: expected a number, * or a name in quotes"},
	{"{.a[\"b]}", "column 5: a quote that ends the name is missing"},
	{"{\"\\q\"}", "column 3: a backslash in quotes is followed by one of n t r \\ \" ' /"},
	{"{.a['\\q']}", "column 6: a backslash in quotes is followed by one of n t r \\ \" ' /"},
	{"{\"text}", "column 2: a quote that ends the text is missing"},
	{"{..a}", "column 3: '..' is not supported; use -o json and jq(1)"},
	{"{.a[?(@.x==1)]}", "column 5: filters are not supported; use -o json and jq(1)"},
	{"{range .list[*]}{.x}{end}", "column 2: range and end are not supported: the template is used for each record"},
	{"{.(a)}", "column 3: expected the name of a member"},
	{"{{.a}}", "column 2: expected a path as .name, or text in quotes"},
};

static void
test_good(const struct pair *pair, jv value)
{
	struct buffer out = {0};
	struct error err = {0};

	if (jsonpath_check(pair->template, &err) < 0)
		tap_ok(false, "%s: %s", pair->template, err.text);
	else {
		jsonpath_print(pair->template, value, &out);
		tap_is_text(buffer_string(&out), pair->printed, "%s", pair->template);
	}
	buffer_release(&out);
}

static void
test_bad(const struct pair *pair)
{
	struct error err = {0};

	tap_ok(jsonpath_check(pair->template, &err) < 0 && err.code == EX_USAGE, "%s is refused", pair->template);
	tap_is_text(err.text, pair->printed, "... with the place and the reason");
}

int
main(void)
{
	struct error err;
	jv value;

	if (json_parse("test", document, strlen(document), &value, &err) < 0)
		return tap_ok(false, "%s", err.text), tap_end();
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		test_good(&good[i], value);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		test_bad(&bad[i]);
	jv_free(value);
	return tap_end();
}
