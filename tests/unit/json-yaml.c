/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML for people: what is printed has the type that it had, whoever reads it.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/yaml.h"
#include "tap.h"

struct pair {
	const char *json, *yaml;
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

int
main(void)
{
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
		test_print(&printed[i]);
	test_long_key();
	return tap_end();
}
