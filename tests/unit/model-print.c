/* SPDX-License-Identifier: Apache-2.0
 *
 * Records printed from structs are byte for byte what json_dump prints of the same content, and what is unknown is
 * passed on.
 */
#include "model/print.h"

#include "model.h"
#include "model/layout.h"
#include "model/node.h"
#include "model/plan.h"
#include "model/result.h"

/* A line is canonical where parsing and dumping it gives it back. */
static void
check_canonical(const struct buffer *line, const char *title)
{
	struct error err;
	char *text = NULL;
	jv value;

	if (json_parse(title, line->data, line->length, &value, &err) == 0) {
		char *dump = dumped(value);

		text = memory_printf("%s\n", dump);
		free(dump);
	}
	tap_is_text(line->data, text, "%s is canonical", title);
	free(text);
}

static void
check_merge(void)
{
	jv source = document_of("{'a':1,'c':{'z':1,'b':[2.5,null]},'e':'old','g':true,'\\u00e9':'x'}");
	struct print print;
	struct buffer out = {0};

	print_begin(&print, source, &out);
	print_integer(&print, "b", 2);
	print_absent(&print, "d");
	print_string(&print, "e", "new \"\\\n\x7f\x01\xc3\xa9");
	print_string(&print, "f", NULL);
	print_absent(&print, "g");
	print_end(&print);
	tap_is_text(out.data, "{\"a\":1,\"b\":2,\"c\":{\"b\":[2.5,null],\"z\":1},\"e\":\"new \\\"\\\\\\n\\u007f\\u0001\xc3\xa9\","
	    "\"f\":null,\"\xc3\xa9\":\"x\"}\n", "known and unknown members are merged in sorted order");
	check_canonical(&out, "what is merged");
	buffer_release(&out);
	jv_free(source);
}

static void
check_numbers(void)
{
	static const double numbers[] = {0, 1, -1, 0.1, 1e15, 9007199254740991.0, -9007199254740991.0, 1e-7, 123456.789, 1e100,
	    3.0000000000000004, 212.5};
	struct buffer out = {0};
	struct print print;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		buffer_clear(&out);
		print_begin(&print, (jv){0}, &out);
		print_number(&print, "n", numbers[i]);
		print_end(&print);
		check_canonical(&out, "a number");
	}
	buffer_release(&out);
}

static void
check_node(void)
{
	const char *both[] = {"db", "web"};
	struct node made = {.id = "1-1000", .nodenum = 1000, .hostname = "a1-1000.local", .flavor = "m1", .is_new = true,
	    .services = {both, 2}};
	jv document = document_of("{'kind':'node','id':'1-1000','nodenum':'1000','hostname':'h','services':['web','db'],'was':['x'],"
	    "'facts':{'providerid':'i-1'},'ipaddresses':{'access_v4':'1.1.1.1'},'more':{'b':1,'a':2}}");
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	struct arena arena = {0};
	struct buffer out = {0};
	struct node read;

	node_print(&made, &out);
	check_canonical(&out, "a node that was made here");
	buffer_clear(&out);
	node_parse(&root, &arena, &read);
	jv_free(document);
	no_problems(&problems, "a node is read");
	node_print(&read, &out);
	tap_is_text(out.data, "{\"facts\":{\"providerid\":\"i-1\"},\"flavor\":null,\"hardwaretype\":null,\"hostname\":\"h\","
	    "\"id\":\"1-1000\",\"image\":null,\"imagetype\":null,\"ipaddresses\":{\"access_v4\":\"1.1.1.1\"},\"kind\":\"node\","
	    "\"more\":{\"a\":2,\"b\":1},\"nodenum\":1000,\"services\":[\"db\",\"web\"],\"sshuser\":null,\"was\":[\"x\"],"
	    "\"zone\":null}\n", "and printed with what is unknown here");
	jv_free(read.source);
	arena_release(&arena);
	buffer_release(&out);
}

static void
check_steps(void)
{
	const char *after[] = {"t3", "m2"}, *undo[] = {"delete", "create"};
	struct step task = {.id = "t17", .node = "00000042-1000", .action = ACTION_INSTALL, .service = "zk", .type = "shell",
	    .fields = "{\"args\":\"install\",\"script\":\"zk.sh\"}", .after = {after, 2}, .timeout_s = 1800, .retries = 3, .patience_s = 300,
	    .expect_s = 40, .rank = 180.25};
	struct step confirm = {.id = "t2", .node = "n", .action = ACTION_CONFIRM, .type = "sandbox", .undo = {undo, 2}};
	struct step milestone = {.id = "m2", .is_milestone = true, .name = "started: zk", .after = {after, 1}};
	struct job job = {.cluster = "00000042", .tenant = "qa", .action = "cluster_create", .tasks = 41, .critical_path_s = 212};
	struct buffer out = {0};

	step_print(&task, &out);
	tap_is_text(out.data, "{\"action\":\"install\",\"after\":[\"t3\",\"m2\"],\"expect_s\":40,\"fields\":{\"args\":\"install\","
	    "\"script\":\"zk.sh\"},\"id\":\"t17\",\"kind\":\"task\",\"node\":\"00000042-1000\",\"patience_s\":300,\"rank\":180.25,\"retries\":3,"
	    "\"service\":\"zk\",\"timeout_s\":1800,\"type\":\"shell\"}\n", "a task");
	check_canonical(&out, "a task");
	buffer_clear(&out);
	step_print(&confirm, &out);
	check_canonical(&out, "a task with an undo");
	tap_ok(strstr(out.data, "\"service\":null") && strstr(out.data, "\"undo\":[\"delete\",\"create\"]"),
	    "a task on a node has no service, and may be undone");
	buffer_clear(&out);
	step_print(&milestone, &out);
	check_canonical(&out, "a milestone");
	buffer_clear(&out);
	job_print(&job, &out);
	check_canonical(&out, "a job");
	buffer_release(&out);
}

int
main(void)
{
	check_merge();
	check_numbers();
	check_node();
	check_steps();
	return tap_end();
}
