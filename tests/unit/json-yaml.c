/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML for people: what is printed has the type that it had, whoever reads it; what is read has the types of JSON, and what
 * could be another is refused.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/yaml.h"
#include "json/yaml-read.h"
#include "tap.h"

struct pair {
	const char *json, *yaml;
};

struct refusal {
	const char *yaml, *reason;
};

static const struct pair printed[] = {
	{"null", "null\n"},
	{"[]", "[]\n"},
	{"{}", "{}\n"},
	{"\"a\\nb\"", "|-\n  a\n  b\n"},
	{"{\"b\":[],\"a\":{\"d\":null,\"c\":true}}", "a:\n  c: true\n  d: null\nb: []\n"},
	{"{\"list\":[1,\"a\",{\"x\":1,\"z\":[2,3]},[[4],5],{}]}",
	    "list:\n  - 1\n  - a\n  - x: 1\n    z:\n      - 2\n      - 3\n  - - - 4\n    - 5\n  - {}\n"},
	{"[\"node 1\",\"a:b\",\"/usr/bin\",\"nginx-lb\",\"key=value\",\"a@b\",\"half (50 %)\"]",
	    "- node 1\n- a:b\n- /usr/bin\n- nginx-lb\n- key=value\n- a@b\n- half (50 %)\n"},
	{"[\"\",\" a\",\"a \",\"a: b\",\"a:\",\"a #b\",\"- a\",\"*a\",\"&a\",\"!a\",\"?\",\"|\",\"{}\",\"a\\tb\"]",
	    "- \"\"\n- \" a\"\n- \"a \"\n- \"a: b\"\n- \"a:\"\n- \"a #b\"\n- \"- a\"\n- \"*a\"\n- \"&a\"\n- \"!a\"\n- \"?\"\n- \"|\"\n"
	    "- \"{}\"\n- \"a\\tb\"\n"},
	{"[\"yes\",\"No\",\"ON\",\"off\",\"y\",\"N\",\"true\",\"null\",\"~\",\"<<\",\"=\",\"yesterday\"]",
	    "- \"yes\"\n- \"No\"\n- \"ON\"\n- \"off\"\n- \"y\"\n- \"N\"\n- \"true\"\n- \"null\"\n- \"~\"\n- \"<<\"\n- \"=\"\n- yesterday\n"},
	{"[\"1\",\"0x1f\",\"1_000\",\"1:30\",\"2026-11-22\",\"10.0.0.1\",\".5\",\"-1\",\".inf\",\"1e3\",\"0o17\"]",
	    "- \"1\"\n- \"0x1f\"\n- \"1_000\"\n- \"1:30\"\n- \"2026-11-22\"\n- \"10.0.0.1\"\n- \".5\"\n- \"-1\"\n- \".inf\"\n"
	    "- \"1e3\"\n- \"0o17\"\n"},
	{"{\"yes\":1,\"1\":2,\"a b\":3,\"\":4}", "\"\": 4\n\"1\": 2\na b: 3\n\"yes\": 1\n"},
	{"{\"script\":\"#!/bin/sh\\n\\n\\techo a  \\n\",\"x\":1}", "script: |\n  #!/bin/sh\n\n  \techo a  \nx: 1\n"},
	{"[\"a\\nb\\n\\n\",\"\\na\",\" a\\nb\",\"a\\r\\nb\",\"a\\u2028\\nb\"]",
	    "- \"a\\nb\\n\\n\"\n- \"\\na\"\n- \" a\\nb\"\n- \"a\\r\\nb\"\n- \"a\\u2028\\nb\"\n"},
	{"[\"\\u0001\\u007f\\u0085\\ufeff\\uffff\",\"\\u00e9\\u20ac\\ud83d\\ude00\"]",
	    "- \"\\u0001\\u007f\\u0085\\ufeff\\uffff\"\n- \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n"},
	{"[0,-1,1.5,9007199254740991,1e30,1e-7,1.5e300]",
	    "- 0\n- -1\n- 1.5\n- 9007199254740991\n- 1.0e+30\n- 1.0e-07\n- 1.5e+300\n"},
};

static void
test_print(const struct pair *pair)
{
	struct buffer out = {0};
	struct error err;
	jv value;

	if (json_parse("test", pair->json, strlen(pair->json), &value, &err) < 0) {
		tap_ok(false, "%s", err.text);
		return;
	}
	yaml_print(value, &out);
	tap_is_text(out.data, pair->yaml, "%s is printed as YAML", pair->json);
	buffer_release(&out);
	jv_free(value);
}

/* Readers look for the colon within 1024 characters. */
static void
test_long_key(void)
{
	char name[2001];
	jv object = jv_object();
	struct buffer out = {0};

	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	json_set(&object, name, JV_ARRAY(jv_number(1)));
	yaml_print(object, &out);
	tap_ok(strncmp(out.data, "? \"aaa", 6) == 0 && strstr(out.data, "a\"\n:\n  - 1\n"), "a long name is an explicit key");
	buffer_release(&out);
	jv_free(object);
}

static const struct pair read_as[] = {
	{"{\"a\":1,\"b\":[\"x\",true,null,1.5]}\n", "a: 1\nb:\n- x\n- true\n- null\n- 1.5\n"},
	{"{\"a\":null,\"b\":[null]}\n", "a:\nb:\n-\n"},
	{"{\"yes\":1,\"1\":2,\"0x1f\":3,\"null\":4,\"<<\":5}\n", "yes: 1\n1: 2\n0x1f: 3\nnull: 4\n\"<<\": 5\n"},
	{"[\"2026-11-22\",\"10.0.0.1\",\"1:30\",\"64M\",\"1.2.3\",\"5m\",\"-\",\"e5\",\".\",\"a:b\",\"=\",\"a#b\"]\n",
	    "[2026-11-22, 10.0.0.1, 1:30, 64M, 1.2.3, 5m, \"-\", e5, ., a:b, =, a#b]\n"},
	{"[\"yes\",\"0x1f\",\"1\",\"~\",\"a\\nb\"]\n", "['yes', \"0x1f\", '1', \"~\", \"a\\nb\"]"},
	{"{\"a\":\"x\\n y\\n\",\"b\":\"x y\\n\",\"c\":\"x y\"}\n", "a: |\n  x\n   y\nb: >\n  x\n  y\nc: x\n  y\n"},
	{"{\"kind\":1}\n{\"kind\":2}\n", "# one\n---\nkind: 1\n---\n# nothing\n---\nkind: 2\n...\n"},
	{"", "# nothing\n"},
	{"[1e3,-0,1.10,0.5e-7]\n", "- 1e3\n- -0\n- 1.10\n- 0.5e-7\n"},
	{"{\"a\":1}\n", "\xef\xbb\xbf" "a: 1\r\n"},
	{"{\"a\":\"\xc3\xa9\xf0\x9f\x98\x80\"}\n", "a: \"\\u00e9\\U0001F600\"\n"},
	{"{\"a\":\"\\u0001\"}\n", "a: \"\\x01\"\n"},
	{" {\"a\":\"\\ud83d\\ude00\\/\",\t\"b\":1.0}", " {\"a\":\"\\ud83d\\ude00\\/\",\t\"b\":1.0}"},
	{"{\"a\":{\"b\":1,\"c\":[{\"d\":2}]}}\n", "%YAML 1.2\n---\n{a: {\"b\":1, c: [d: 2]}, }\n"},
};

static const struct refusal refused[] = {
	{"a: &x 1\n", "line 1, column 4: the anchor &x is not supported"},
	{"a: 1\nb: *a\n", "line 2, column 4: the alias *a is not supported"},
	{"&x a: 1\n", "anchor"},
	{"&x [1]\n", "anchor"},
	{"a: !!str 1\n", "line 1, column 4: tags"},
	{"a: !x {}\n", "tags"},
	{"a: ! 1\n", "tags"},
	{"%TAG ! tag:x,2000:\n---\na: 1\n", "%TAG is not supported"},
	{"%YAML 2.0\n---\na: 1\n", "line 1, column 1: "},
	{"<<: {a: 1}\n", "line 1, column 1: the merge key <<"},
	{"a: 1\nb: {c: 1}\n'a': 2\n", "line 3, column 1: the member \"a\" is there already, in line 1"},
	{"{a: 1, \"a\": 2}\n", "line 1, column 8: the member \"a\""},
	{"? [a]\n: 1\n", "line 1, column 3: a list or mapping cannot be the name"},
	{"a: 1\n: 1\n", "line 2, column 1: a name"},
	{"{a:1}\n", "a value is missing here; a colon is followed by a blank"},
	{"a: yes\n", "line 1, column 4: yes is a boolean to some readers of YAML and text to others; write true, or \"yes\""},
	{"- Off\n", "write false, or \"Off\""},
	{"- TRUE\n", "write true"},
	{"- n\n", "write false"},
	{"- ~\n", "write null"},
	{"- Null\n", "write null"},
	{"- 0x1f\n", "0x1f is a number to some readers"},
	{"- 0o17\n", "is a number to some"},
	{"- 007\n", "is a number to some"},
	{"- 1_000\n", "is a number to some"},
	{"- +1\n", "is a number to some"},
	{"- .5\n", "is a number to some"},
	{"- 1.\n", "is a number to some"},
	{"- -.inf\n", "is a number to some"},
	{"- .NaN\n", "is a number to some"},
	{"- 0b101\n", "is a number to some"},
	{"- 9007199254740993\n", "line 1, column 3: the integer would not be kept exactly"},
	{"- 1e400\n", "the number is out of range"},
	{"a: \"\\0\"\n", "line 1, column 4: the text contains NUL"},
	{"a: b\x01\n", "line 1, column 5: a control character"},
	{"a: \xff\n", "line 1, column 4: invalid UTF-8"},
	{"a: \xed\xa0\x80\n", "invalid UTF-8"},
	{"a: \xed\n", "line 1, column 4: invalid UTF-8"},
	{"a: \xc0\x80\n", "invalid UTF-8"},
	{"a: b # c\xc2\x85" "d: 1\n", "line 1, column 9: this character ends a line to some"},
	{"a: b\rc: d\n", "a carriage return without"},
	{"a: \"\\ud800\"\n", "line 1, column 7: no such character"},
	{"a:\n\tb: 1\n", "line 2, column 1: a tab cannot indent"},
	{"a: b: c\n", "line 1, column 5: a mapping cannot begin here"},
	{"a:\n- b\n  - c\n", "line 3, column 3: this line goes on with the text before it"},
	{"a:\n    b: 1\n  c: 2\n", "line 3, column 3: a name with ':' is missing here; lines of one mapping begin in the same column (the "
	    "mapping begins in line 1)"},
	{"a: [1, 2\n", "',' or ']' is missing"},
	{"b: 1\na: \"x\ny: 1\n", "line 4, column 1: the text ends inside quotes (the quoted text begins in line 2)"},
	{"a: @b\n", "line 1, column 4: text cannot begin"},
	{"a: *.txt\n", "text cannot begin with '*'"},
	{"a: 1\n...\nb: 2\n", "line 3, column 1: \"---\" is missing"},
};

static void
test_read(const struct pair *pair, size_t number)
{
	struct buffer json = {0};
	struct error err = {0};
	int result = yaml_read("test", pair->yaml, strlen(pair->yaml), YAML_MANY, &json, &err);

	tap_is_text(result < 0 ? err.text : json.data ? json.data : "", pair->json, "text %zu is read with the types of JSON", number);
	buffer_release(&json);
}

static void
test_refusal(const struct refusal *refusal, size_t number)
{
	struct buffer json = {0};
	struct error err = {0};
	int result = yaml_read("test", refusal->yaml, strlen(refusal->yaml), YAML_ONE, &json, &err);
	bool told = result < 0 && err.code == EX_DATAERR && strncmp(err.text, "test: line ", 11) == 0 &&
	    strstr(err.text, refusal->reason);

	if (!tap_ok(told, "text %zu is refused with line, column and reason (%.60s)", number, refusal->reason))
		printf("#   found \"%s\"\n", result < 0 ? err.text : json.data);
	buffer_release(&json);
}

static void
test_documents(void)
{
	static const char none[] = "# nothing\n", two[] = "a: 1\n---\nb: 1\n";
	struct buffer json = {0};
	struct error err = {0};

	tap_ok(yaml_read("test", none, strlen(none), YAML_ONE, &json, &err) < 0 && strstr(err.text, "test: the file is empty"),
	    "one document is required");
	tap_ok(yaml_read("test", two, strlen(two), YAML_ONE, &json, &err) < 0 && strstr(err.text, "line 2, column 1: a second document"),
	    "a second document is refused where one is required");
	buffer_release(&json);
}

static void
test_depth(int depth, bool in_brackets, bool fits)
{
	struct buffer yaml = {0}, json = {0};
	struct error err = {0};
	int result;

	for (int i = 0; i < depth; i++)
		buffer_text(&yaml, in_brackets ? "[" : "- ");
	buffer_text(&yaml, "a");
	for (int i = 0; i < depth && in_brackets; i++)
		buffer_text(&yaml, "]");
	result = yaml_read("test", yaml.data, yaml.length, YAML_ONE, &json, &err);
	tap_ok(fits ? result == 0 : result < 0 && strstr(err.text, "more than 128 lists"), "%d %s inside one another are %s", depth,
	    in_brackets ? "brackets" : "lists", fits ? "read" : "refused");
	buffer_release(&yaml);
	buffer_release(&json);
}

static void
test_locate(const char *text, size_t document, const char *pointer, size_t line, size_t column)
{
	struct yaml_source source = {0};
	size_t found_line = 0, found_column = 0;

	yaml_source_set(&source, text, strlen(text));
	source.document = document;
	tap_ok(yaml_locate(&source, pointer, &found_line, &found_column), "\"%s\" of document %zu has a place", pointer, document);
	tap_is_number(found_line * 1000 + found_column, line * 1000 + column, "it is line %zu, column %zu", line, column);
	yaml_source_release(&source);
}

static void
test_places(void)
{
	static const char text[] = "# two\n---\n---\nname: a\nlist:\n  - x: 1\n    y: {z: [1, 2]}\n  -\n  - 3\n"
	    "a/b~c: 1\nlast: {name: b}\n---\nb:\n  c: [1,\n    2]\n";
	size_t line, column;
	struct yaml_source none = {0};

	test_locate(text, 0, "", 4, 1);
	test_locate(text, 0, "/name", 4, 1);
	test_locate(text, 0, "/list", 5, 1);
	test_locate(text, 0, "/list/0/x", 6, 5);
	test_locate(text, 0, "/list/0/y/z/1", 7, 16);
	test_locate(text, 0, "/list/2", 9, 5);
	test_locate(text, 0, "/a~1b~0c", 10, 1);
	test_locate(text, 0, "/last/name", 11, 8);
	test_locate(text, 0, "/missing", 4, 1);
	test_locate(text, 0, "/list/0/missing", 6, 5);
	test_locate(text, 0, "/list/7", 5, 1);
	test_locate(text, 0, "/name/x", 4, 1);
	test_locate(text, 1, "/b/c/1", 15, 5);
	test_locate("\xef\xbb\xbf\xc3\xa9: {a: 1}\n", 0, "/\xc3\xa9/a", 1, 5);
	tap_ok(!yaml_locate(&none, "/a", &line, &column), "a document of JSON has no places");
}

/* A value of a pseudo-random kind; texts are made of what means something to YAML. */
static jv
random_value(unsigned *seed, int depth)
{
	static const char *const parts[] = {"a", "- ", ": ", " #", "\n", "\n\n", " ", "\t", "yes", "1", "0x", "'", "\"", "\\", "{", "]", "&", "*",
	    "!", "|", ">", "%", "---", "...", "\xc2\x85", "\xe2\x80\xa8", "\xc3\xa9", "~", "null", ",", "?", "<<", "\x01", "\x7f", "e5", ".", "_"};
	unsigned kind = (unsigned)rand_r(seed) % (depth > 4 ? 4 : 6), count = (unsigned)rand_r(seed) % 4;
	struct buffer text = {0};
	jv value;

	if (kind == 0)
		return rand_r(seed) % 2 ? jv_null() : jv_bool(rand_r(seed) % 2);
	if (kind == 1)
		return jv_number((rand_r(seed) - RAND_MAX / 2) / (double)(1 + rand_r(seed) % 1000) * (rand_r(seed) % 3 ? 1 : 1e20));
	if (kind == 4) {
		for (value = jv_array(); count-- > 0;)
			value = jv_array_append(value, random_value(seed, depth + 1));
		return value;
	}
	for (unsigned i = 0; i < count + 1; i++)
		buffer_text(&text, parts[(unsigned)rand_r(seed) % (sizeof parts / sizeof *parts)]);
	value = jv_string(text.data);
	buffer_release(&text);
	if (kind < 4)
		return value;
	return jv_object_set(jv_object_set(jv_object(), value, random_value(seed, depth + 1)), jv_string("b"),
	    random_value(seed, depth + 1));
}

/* Prints random values as YAML and reads them again. */
static void
test_round_trip(unsigned seed, int cases)
{
	bool same = true;

	printf("# seed %u\n", seed);
	for (int i = 0; i < cases && same; i++) {
		struct buffer yaml = {0}, json = {0}, again = {0};
		struct error err = {0};
		jv value = random_value(&seed, 0), back = jv_invalid();

		json_dump(value, &json);
		yaml_print(value, &yaml);
		same = yaml_read("test", yaml.data, yaml.length, YAML_ONE, &again, &err) == 0 &&
		    json_parse("test", again.data, again.length, &back, &err) == 0;
		buffer_clear(&again);
		if (same)
			json_dump(back, &again);
		same = same && strcmp(json.data, again.data) == 0;
		if (!same)
			printf("# %s\n# %s\n# %s\n", json.data, again.data ? again.data : "", err.text);
		jv_free(value);
		jv_free(back);
		buffer_release(&yaml);
		buffer_release(&json);
		buffer_release(&again);
	}
	tap_ok(same, "%d values are the same when they are printed and read", cases);
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof read_as / sizeof *read_as; i++)
		test_read(&read_as[i], i + 1);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		test_refusal(&refused[i], i + 1);
	test_documents();
	test_depth(128, true, true);
	test_depth(129, true, false);
	test_depth(128, false, true);
	test_depth(100000, false, false);
	test_depth(100000, true, false);
	test_places();
	test_round_trip(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1, 20000);
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
		test_print(&printed[i]);
	test_long_key();
	return tap_end();
}
