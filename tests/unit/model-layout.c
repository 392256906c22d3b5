/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layout.h"

#include <unistd.h>

#include "base/file.h"
#include "json/record.h"
#include "model.h"

#define CLUSTER "{'kind':'cluster','id':'1','name':'c','provider':{'name':'p','providertype':'x'}"
#define NODE(id, num) "{'kind':'node','id':'" id "','nodenum':" num ",'hostname':'" id "','services':['b','a'],'was':null}\n"

/* Reads a stream; ' stands for ". Returns what layout_read does. */
static int
read_layout(const char *text, struct layout *layout, struct problems *problems, struct error *err)
{
	char *json = memory_string(text);
	FILE *file = tmpfile();
	struct record_reader reader;
	int result;

	for (char *p = json; *p; p++)
		if (*p == '\'')
			*p = '"';
	fputs(json, file);
	rewind(file);
	free(json);
	record_reader_init(&reader, fileno(file), "layout");
	result = layout_read(&reader, layout, problems, err);
	record_reader_release(&reader);
	fclose(file);
	return result;
}

static void
check_problems(const char *title, const char *text, const char *expected)
{
	struct problems problems = {0};
	struct layout layout;
	struct error err = {0};
	char *found;

	read_layout(text, &layout, &problems, &err);
	found = *err.text ? memory_string(err.text) : listed(&problems);
	tap_is_text(found, expected, "%s", title);
	free(found);
	problems_release(&problems);
	layout_release(&layout);
}

static void
check_read(void)
{
	struct problems problems = {0};
	struct buffer out = {0};
	struct layout layout;
	struct error err;

	read_layout("{'kind':'job','cluster':'1','action':'x'}\n" CLUSTER ",'services':['b','a'],'config':{'k':1},'more':2,"
	    "'definitions':[{'name':'b','x':1},{'name':'a'}]}\n" NODE("n2", "1001") NODE("n1", "1000") "{'kind':'task'}\n",
	    &layout, &problems, &err);
	no_problems(&problems, "a layout is read from a plan");
	tap_is_text(layout.cluster.tenant, "default", "a cluster has a tenant");
	tap_is_list(&layout.cluster.services, "a b", "its services, sorted");
	tap_is_text(layout.nodes[0].id, "n1", "its nodes, sorted by nodenum");
	tap_is_number(layout.node_count, 2, "and no more of them");
	tap_is_text(cluster_definition(&layout.cluster, "b")->name, "b", "definitions are found by name");
	tap_ok(!cluster_definition(&layout.cluster, "c"), "and those that are not there are not");
	cluster_print(&layout.cluster, &out);
	tap_is_text(out.data, "{\"config\":{\"k\":1},\"definitions\":[{\"name\":\"a\"},{\"name\":\"b\",\"x\":1}],\"id\":\"1\","
	    "\"kind\":\"cluster\",\"more\":2,\"name\":\"c\",\"provider\":{\"name\":\"p\",\"providertype\":\"x\"},"
	    "\"services\":[\"a\",\"b\"],\"tenant\":\"default\"}\n", "a cluster is printed with what is unknown here");
	buffer_release(&out);
	layout_release(&layout);
}

int
main(void)
{
	check_read();
	check_problems("an empty stream", "", ": there is no cluster record");
	check_problems("no cluster", NODE("n", "1"), ": there is no cluster record");
	check_problems("two clusters", CLUSTER "}\n" CLUSTER "}\n", "/1: a second cluster record");
	check_problems("nodes of one number", CLUSTER "}\n" NODE("a", "5") NODE("b", "5"),
	    "/2: nodenum 5 is another node's already");
	check_problems("nodes of one id", CLUSTER "}\n" NODE("a", "5") NODE("a", "6"), "/2: a second node with the id \"a\"");
	check_problems("problems in several records", CLUSTER ",'services':7}\n" "{'kind':'node','id':'a','hostname':'h','services':[1]}",
	    "/0/services: expected array, found number; /1/nodenum: expected number, found nothing; /1/services/0: expected string, "
	    "found number");
	check_problems("a service defined in two ways", CLUSTER ",'definitions':[{'name':'a'},{'name':'a','x':1}]}\n",
	    "/0/definitions: \"a\" is defined twice");
	check_problems("a provider that is none", "{'kind':'cluster','id':'1','name':'c'}\n", "/0/provider: expected object, found nothing");
	check_problems("a stream that is cut off", CLUSTER,
	    "layout: record 1: line 1, column 81: the text ends inside a value");
	return tap_end();
}
