/* SPDX-License-Identifier: Apache-2.0
 *
 * catalogue/follow.h: what the template gave, what the user has set, and what the template gives now. The table is every triple of
 * some values, alone and below a member; the judge knows values as lists of leaves, and shares nothing with what it judges.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "catalogue/follow.h"
#include "json/json.h"
#include "tap.h"

static const char *const values[] = {"", "null", "1", "2", "[1]", "[2]", "\"a\"", "{}", "{\"x\":1}", "{\"x\":2}", "{\"y\":1}",
	"{\"x\":1,\"y\":1}", "{\"x\":2,\"y\":[1]}", "{\"x\":{\"z\":1}}", "{\"x\":{\"z\":2},\"y\":null}", "{\"x\":{\"z\":1,\"w\":1}}"};
enum { VALUES = sizeof values / sizeof *values };

/* Parses a value; "" is absent. */
static jv
value_of(const char *text)
{
	return *text ? jv_parse(text) : jv_invalid();
}

static bool
is_object(const char *text)
{
	return *text == '{';
}

/* Returns {"k":VALUE}, or {} for an absent one. */
static jv
below(const char *text)
{
	jv object = jv_object();

	return *text ? jv_object_set(object, jv_string("k"), value_of(text)) : object;
}

/* Judges a triple: each value is found in the result by the path of a member, as deep as both sides are objects. */
static jv
judge(jv was, jv own, jv is)
{
	jv result, names;

	if (jv_get_kind(own) == JV_KIND_OBJECT && jv_get_kind(is) == JV_KIND_OBJECT &&
	    (!jv_is_valid(was) || jv_get_kind(was) == JV_KIND_OBJECT)) {
		/* All three have members: each is decided alone. */
		result = jv_object();
		names = jv_parse("[\"k\",\"x\",\"y\",\"z\",\"w\"]");
		for (int i = 0; i < 5; i++) {
			jv name = jv_array_get(jv_copy(names), i);
			jv a = jv_is_valid(was) ? jv_object_get(jv_copy(was), jv_copy(name)) : jv_invalid();
			jv member = judge(a, jv_object_get(jv_copy(own), jv_copy(name)), jv_object_get(jv_copy(is), jv_copy(name)));

			if (jv_is_valid(member))
				result = jv_object_set(result, jv_copy(name), member);
			jv_free(name);
		}
		jv_free(names);
		jv_free(was);
		jv_free(own);
		jv_free(is);
		return result;
	}
	if (jv_is_valid(was) ? jv_is_valid(own) && jv_equal(jv_copy(was), jv_copy(own)) : !jv_is_valid(own)) {
		jv_free(was);
		jv_free(own);
		return is; /* it was left as it was given */
	}
	jv_free(was);
	jv_free(is);
	return own;
}

static bool
is_same(jv a, jv b)
{
	return jv_is_valid(a) && jv_is_valid(b) ? jv_equal(jv_copy(a), jv_copy(b)) : jv_is_valid(a) == jv_is_valid(b);
}

/* Merges one triple below a member, and judges the result and what is said. */
static bool
holds(const char *was, const char *own, const char *is)
{
	jv a = below(was), b = below(own), c = below(is), expected = judge(jv_copy(a), jv_copy(b), jv_copy(c)), found, again;
	struct buffer lines = {0}, more = {0};
	bool good;

	found = follow_config(a, b, c, &lines);
	again = follow_config(c, found, c, &more); /* the next time nothing has changed */
	good = is_same(found, expected) && is_same(again, found) && more.length == 0;
	if (strcmp(was, is) == 0)
		good = good && is_same(found, b) && lines.length == 0;
	if (strcmp(own, is) == 0)
		good = good && is_same(found, b) && lines.length == 0;
	if (strcmp(was, own) == 0)
		good = good && is_same(found, c) && !buffer_contains(&lines, "stays");
	if (!is_object(was) && !is_object(own) && strcmp(was, own) != 0)
		good = good && is_same(found, b) && !buffer_contains(&lines, "follows");
	if (!good)
		printf("# was %s, own %s, is %s: %s\n", was, own, is, buffer_string(&lines));
	jv_free(again);
	jv_free(found);
	jv_free(expected);
	jv_free(a);
	jv_free(b);
	jv_free(c);
	buffer_release(&lines);
	buffer_release(&more);
	return good;
}

static void
test_table(void)
{
	int wrong = 0, count = 0;

	for (int i = 0; i < VALUES * VALUES * VALUES; i++, count++)
		wrong += !holds(values[i / VALUES / VALUES], values[i / VALUES % VALUES], values[i % VALUES]);
	tap_is_number(wrong, 0, "of %d triples what was set stays, what was left follows, and a second time nothing changes", count);
}

/* Checks what becomes of a configuration, and what is said. */
static void
merge(const char *was, const char *own, const char *is, const char *becomes, const char *says, const char *title)
{
	jv a = jv_parse(was), b = jv_parse(own), c = jv_parse(is), found;
	struct buffer lines = {0}, text = {0};

	found = follow_config(a, b, c, &lines);
	json_dump(found, &text);
	tap_is_text(buffer_string(&text), becomes, "%s", title);
	tap_is_text(buffer_string(&lines), says, "%s: it is said", title);
	jv_free(found);
	jv_free(a);
	jv_free(b);
	jv_free(c);
	buffer_release(&lines);
	buffer_release(&text);
}

static void
test_words(void)
{
	merge("{\"p\":{\"port\":80,\"n\":1}}", "{\"p\":{\"port\":8080,\"n\":1}}", "{\"p\":{\"port\":90,\"n\":2}}",
	    "{\"p\":{\"n\":2,\"port\":8080}}",
	    "config /p/n: follows the template's default: 1 -> 2\n"
	    "config /p/port: stays 8080, as it was set; the template's default: 80 -> 90\n", "members are merged one by one");
	merge("{\"a\":[1,2]}", "{\"a\":[1,3]}", "{\"a\":[1,2,4]}", "{\"a\":[1,3]}",
	    "config /a: stays [1,3], as it was set; the template's default: [1,2] -> [1,2,4]\n", "a list is one value");
	merge("{\"password\":\"a\"}", "{\"password\":\"a\"}", "{\"password\":\"b\"}", "{\"password\":\"b\"}",
	    "config /password: follows the template's default: [hidden] -> [hidden]\n", "a password in clear is not shown");
	merge("{\"a\":1,\"b\":1}", "{\"a\":1}", "{\"b\":2,\"c\":null}", "{\"c\":null}",
	    "config /a: follows the template's default: 1 -> absent\n"
	    "config /b: stays absent, as it was set; the template's default: 1 -> 2\n"
	    "config /c: follows the template's default: absent -> null\n", "what was taken out stays out, and null is a value");
}

/* Returns the services of the request after the template has changed from one list of defaults to another. */
static void
services(const char *was, const char *own, const char *is, const char *becomes, const char *title)
{
	struct buffer text = {0}, lines = {0}, found = {0};
	jv request, template, cluster, list;

	buffer_printf(&text, "{\"cluster\":{\"config\":{},\"services\":%s,\"instances\":{\"b\":2}},\"template\":{\"defaults\":{\"services\":%s}}}",
	    own, was);
	request = jv_parse(text.data);
	buffer_clear(&text);
	buffer_printf(&text, "{\"defaults\":{\"services\":%s}}", is);
	template = jv_parse(text.data);
	follow_template(&request, template, &lines);
	cluster = json_get(request, "cluster");
	list = json_get(cluster, "services");
	json_dump(list, &found);
	tap_is_text(buffer_string(&found), becomes, "%s", title);
	tap_ok((strcmp(was, is) == 0) == (lines.length == 0), "%s: it is said", title);
	jv_free(list);
	list = json_get(cluster, "instances");
	tap_is_number(json_length(list), strstr(becomes, "\"b\"") ? 1 : 0, "%s: as are its instances", title);
	jv_free(list);
	jv_free(cluster);
	jv_free(template);
	jv_free(request);
	buffer_release(&text);
	buffer_release(&lines);
	buffer_release(&found);
}

static void
test_services(void)
{
	services("[\"a\",\"b\"]", "[\"a\",\"b\"]", "[\"b\",{\"name\":\"c\"}]", "[\"b\",\"c\"]", "services that were left follow");
	services("[\"a\",\"b\"]", "[\"a\",\"b\",\"x\"]", "[\"a\",\"c\"]", "[\"a\",\"c\",\"x\"]", "a service that was added stays");
	services("[\"a\",\"b\"]", "[\"b\"]", "[\"a\",\"b\",\"c\"]", "[\"b\"]", "services that were chosen stay");
	services("[\"a\",\"b\"]", "[\"b\",\"x\"]", "[\"a\",\"b\"]", "[\"b\",\"x\"]", "nothing follows where nothing has changed");
}

static void
test_silence(void)
{
	jv request = jv_parse("{\"cluster\":{\"config\":{\"a\":1},\"services\":[\"a\"]}}"), before = jv_copy(request);
	jv template = jv_parse("{\"defaults\":{\"config\":{\"a\":2},\"services\":[\"b\"]}}");
	struct buffer lines = {0};

	follow_template(&request, template, &lines);
	tap_ok(jv_equal(request, before), "a request that does not say what its template gave stays");
	tap_is_text(buffer_string(&lines), "the cluster does not say what its template gave by default: its configuration and services stay\n",
	    "that is said");
	jv_free(template);
	buffer_release(&lines);
}

int
main(void)
{
	test_table();
	test_words();
	test_services();
	test_silence();
	return tap_end();
}
