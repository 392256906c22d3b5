/* SPDX-License-Identifier: Apache-2.0
 *
 * Every problem of a document is listed, each with the JSON Pointer of its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "json/place.h"
#include "tap.h"

static jv
parse(const char *text)
{
	struct error err;
	jv value = jv_invalid();

	if (json_parse("test", text, strlen(text), &value, &err) < 0)
		tap_ok(false, "%s", err.text);
	return value;
}

static void
check_problem(const struct problems *problems, size_t i, const char *pointer, const char *text)
{
	bool there = i < problems->count;

	tap_ok(there && strcmp(problems->list[i].pointer, pointer) == 0 && strstr(problems->list[i].text, text),
	    "%s: %s", there ? problems->list[i].pointer : "(none)", there ? problems->list[i].text : text);
}

static void
check_kinds(void)
{
	jv document = parse("{\"name\":7,\"list\":[\"a\",5,\"b\",null],\"a/b~c\":{\"n\":\"x\"},\"f\":1.5,\"neg\":-1,\"flag\":\"yes\"}");
	struct problems problems = {0};
	struct arena arena = {0};
	struct place root = place_root(document, &problems), odd = place_member(&root, "a/b~c");

	place_string(&root, "name", NEED_REQUIRED, &arena);
	place_string(&root, "missing", NEED_REQUIRED, &arena);
	tap_ok(place_string(&root, "missing", NEED_OPTIONAL, &arena) == NULL, "an optional member may be absent");
	tap_ok(place_strings(&root, "list", &arena).count == 2, "the strings of a list are kept");
	place_number(&odd, "n", 0, 0, 9);
	place_integer(&root, "f", 0, 0, 9);
	place_integer(&root, "neg", 0, 0, 9);
	place_boolean(&root, "flag", false);
	check_problem(&problems, 0, "/name", "expected string, found number");
	check_problem(&problems, 1, "/missing", "expected string, found nothing");
	check_problem(&problems, 2, "/list/1", "expected string, found number");
	check_problem(&problems, 3, "/list/3", "expected string, found null");
	check_problem(&problems, 4, "/a~1b~0c/n", "expected number, found string");
	check_problem(&problems, 5, "/f", "integer");
	check_problem(&problems, 6, "/neg", "less than 0");
	check_problem(&problems, 7, "/flag", "expected boolean");
	tap_ok(problems.total == 8, "and nothing else");
	problems_release(&problems);
	arena_release(&arena);
	jv_free(document);
}

static void
check_numbers(void)
{
	jv document = parse("{\"cost\":\"0.087\",\"n\":\"12\",\"hex\":\"0x10\",\"inf\":\"1e999\",\"space\":\" 1\",\"big\":9007199254740991}");
	struct problems problems = {0};
	struct place root = place_root(document, &problems);

	tap_ok(place_number(&root, "cost", 0, 0, 1) == 0.087, "a number may be given as a string");
	tap_ok(place_integer(&root, "n", 0, 0, INT64_MAX) == 12, "an integer too");
	tap_ok(place_integer(&root, "big", 0, 0, INT64_MAX) == 9007199254740991, "integers up to 2^53 - 1 are exact");
	tap_ok(problems.total == 0, "without a problem");
	place_number(&root, "hex", 0, 0, 99);
	place_number(&root, "inf", 0, 0, 99);
	place_number(&root, "space", 0, 0, 99);
	tap_ok(problems.total == 3, "but not hexadecimal, infinite or with blanks");
	problems_release(&problems);
	jv_free(document);
}

static void
check_limit(void)
{
	struct problems problems = {0};
	jv document = parse("{}");
	struct place root = place_root(document, &problems);

	for (int i = 0; i < 3 * PROBLEMS_KEPT; i++)
		place_problem(&root, "number %d", i);
	tap_ok(problems.count == PROBLEMS_KEPT && problems.total == 3 * PROBLEMS_KEPT, "a flood of problems is counted, not kept");
	problems_release(&problems);
	jv_free(document);
}

/* What others send may be of another kind than it ought to be. */
static void
check_elements(void)
{
	jv list = parse("[1]"), object = parse("{\"a\":1}"), values[] = {json_element(list, 0), json_element(list, 1), json_element(object, 0),
	    json_element(jv_invalid(), 0)};

	tap_ok(jv_get_kind(values[0]) == JV_KIND_NUMBER, "an array has its elements");
	tap_ok(!jv_is_valid(values[1]), "and none behind them");
	tap_ok(!jv_is_valid(values[2]) && !jv_is_valid(values[3]), "what is no array has none");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		jv_free(values[i]);
	jv_free(object);
	jv_free(list);
}

int
main(void)
{
	check_kinds();
	check_numbers();
	check_limit();
	check_elements();
	return tap_end();
}
