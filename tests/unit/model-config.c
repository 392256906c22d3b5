/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/config.h"

#include "model.h"

static const struct {
	const char *config, *assignment, *result; /* result without a brace: the error */
} cases[] = {
	{"{}", "a=1", "{'a':1}"},
	{"{}", "a.b.c=x", "{'a':{'b':{'c':'x'}}}"},
	{"{'a':{'b':1,'c':2}}", "a.b=[1,2]", "{'a':{'b':[1,2],'c':2}}"},
	{"{}", "a=true", "{'a':true}"},
	{"{}", "a=", "{'a':''}"},
	{"{}", "a='7'", "{'a':'7'}"},
	{"{}", "a=64M", "{'a':'64M'}"},
	{"{}", "a=b=c", "{'a':'b=c'}"},
	{"{}", "a=99999999999999999999", "{'a':'99999999999999999999'}"},
	{"{}", "/site/fs.defaultFS=hdfs://%host.service.nn%", "{'site':{'fs.defaultFS':'hdfs://%host.service.nn%'}}"},
	{"{}", "/a~1b/c~0d=1", "{'a/b':{'c~d':1}}"},
	{"{'a':[1,{'b':2}]}", "a.1.b=3", "{'a':[1,{'b':3}]}"},
	{"{'a':[1]}", "/a/1=2", "{'a':[1,2]}"},
	{"{'a':[1]}", "/a/2=2", "/a/2: there is no \"2\" in this array"},
	{"{'a':[1]}", "a.x=2", "a.x: there is no \"x\" in this array"},
	{"{'a':null}", "a.b=2", "{'a':{'b':2}}"},
	{"{'a':'text'}", "a.b=2", "a.b: there is no \"b\" in this string"},
	{"{}", "a", "a: expected PATH=VALUE"},
	{"{}", "=1", "=1: expected PATH=VALUE"},
};

static void
check_set(const char *config, const char *assignment, const char *expected)
{
	jv value = document_of(config);
	char *text = memory_string(assignment), *wanted = memory_string(expected), *found;
	struct error err;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	for (char *p = wanted; *wanted == '{' && *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (config_set(&value, text, &err) < 0) {
		found = memory_string(err.text);
		jv_free(value);
	} else {
		found = dumped(value);
	}
	tap_is_text(found, wanted, "%s: %s", config, assignment);
	free(found);
	free(wanted);
	free(text);
}

static void
check_template(const char *template, const char *expected, const char *title)
{
	jv value = document_of(template), wanted = document_of(expected);
	char *found = dumped(config_of_template(value)), *text = dumped(wanted);

	tap_is_text(found, text, "%s", title);
	free(found);
	free(text);
	jv_free(value);
}

int
main(void)
{
	struct buffer deep = {0};
	struct error err = {0};
	jv value = jv_object();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_set(cases[i].config, cases[i].assignment, cases[i].result);
	for (int i = 0; i < 100000; i++)
		buffer_text(&deep, "a.");
	buffer_text(&deep, "a=1");
	tap_ok(config_set(&value, deep.data, &err) < 0 && err.code == EX_USAGE, "a path of 100,000 names is refused");
	buffer_release(&deep);
	jv_free(value);

	check_template("{}", "{}", "a template without defaults has an empty config");
	check_template("{'defaults':{'config':{'a':1},'services':['x',{'name':'y'},{'name':'z','config':{'k':1}}]}}",
	    "{'a':1,'z':{'k':1}}", "the config of a default service stands below its name");
	check_template("{'defaults':{'config':{'z':{'j':1,'k':0}},'services':[{'name':'z','config':{'k':1}}]}}", "{'z':{'j':1,'k':1}}",
	    "and is laid over what stands there");
	return tap_end();
}
