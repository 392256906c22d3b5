/* SPDX-License-Identifier: Apache-2.0
 *
 * A take record is the same whether its task's line is copied or parsed.
 */
#include "model/take/take-record.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/members.h"
#include "tap.h"

static struct take_record taken = {.job = "c-001", .task = "t1", .attempt = 3, .action = ACTION_INSTALL, .worker = "w\"1",
    .cluster = "{\"config\":{}}", .machine = "{\"id\":\"n\"}", .nodes = "/s/nodes", .log = "/s/log", .token = "c-001:t1"};

static char *
print(const char *line, struct arena *arena, struct step *step)
{
	struct buffer out = {0};
	struct error err;

	if (take_record_print(&taken, line, strlen(line), arena, step, &out, &err) < 0)
		tap_ok(false, "%s", err.text);
	return buffer_take(&out);
}

/* A blank in front of the line keeps it from being copied. */
static void
test_same(const char *line, const char *what)
{
	char *blank = memory_printf(" %s", line), *copied, *parsed;
	struct arena arena = {0};
	struct step quick, slow;

	copied = print(line, &arena, &quick);
	parsed = print(blank, &arena, &slow);
	tap_is_text(copied, parsed, "%s: the same record", what);
	tap_ok(strcmp(quick.id, slow.id) == 0 && strcmp(quick.node, slow.node) == 0 && strcmp(quick.type, slow.type) == 0 &&
	    quick.timeout_s == slow.timeout_s && quick.expect_s == slow.expect_s && quick.action == slow.action &&
	    !quick.service == !slow.service && (!quick.service || strcmp(quick.service, slow.service) == 0),
	    "%s: the same step", what);
	free(copied);
	free(parsed);
	free(blank);
	arena_release(&arena);
}

static int
count(const char *text, int max)
{
	struct json_member list[8];

	return json_members(text, strlen(text), list, max);
}

int
main(void)
{
	test_same("{\"action\":\"install\",\"after\":[\"t0\"],\"expect_s\":2.5,\"fields\":{\"a\":\"}\\\",\"},\"id\":\"t1\",\"kind\":\"task\","
	    "\"node\":\"n\",\"rank\":1,\"retries\":2,\"service\":\"zk\",\"timeout_s\":60,\"type\":\"shell\"}", "a task");
	test_same("{\"action\":\"create\",\"after\":[],\"expect_s\":1,\"fields\":{},\"id\":\"t1\",\"kind\":\"task\",\"log\":\"old\","
	    "\"node\":\"n\",\"service\":null,\"timeout_s\":60,\"type\":\"dummy\",\"zebra\":[1,{\"a\":[]}]}", "unknown members");
	test_same("{\"action\":\"create\",\"expect_s\":1,\"id\":\"t1\",\"kind\":\"task\",\"node\":\"n\",\"timeout_s\":60,\"type\":\"d\"}",
	    "no service");
	test_same("{\"action\":\"create\",\"expect_s\":\"1\",\"id\":\"t1\",\"kind\":\"task\",\"node\":\"n\",\"timeout_s\":\"60\",\"type\":\"d\"}",
	    "numbers as strings");
	test_same("{\"kind\":\"task\",\"id\":\"t1\",\"action\":\"create\",\"node\":\"n\",\"type\":\"d\",\"timeout_s\":60}", "not in order");

	taken.log = taken.worker = NULL;
	test_same("{\"action\":\"status\",\"expect_s\":1,\"id\":\"t1\",\"kind\":\"task\",\"node\":\"n\",\"service\":null,"
	    "\"timeout_s\":60,\"type\":\"d\"}", "of no queue");

	tap_is_number(count("{\"a\":1,\"b\":[\"]\",{\"c\":\"\\\\\"}]}", 8), 2, "members are counted");
	tap_is_number(count("{\"a\":1,\"b\":2,\"c\":3}", 2), -1, "more than there is room for");
	tap_is_number(count("{\"b\":1,\"a\":2}", 8), -1, "not in order");
	tap_is_number(count("{\"a\":1,\"a\":2}", 8), -1, "twice the same");
	tap_is_number(count("{\"a\": 1}", 8), -1, "a blank");
	tap_is_number(count("{\"a\\u0000\":1}", 8), -1, "an escape in a name");
	tap_is_number(count("{}", 8), -1, "none at all");
	tap_is_number(count("{\"a\":1}x", 8), -1, "something behind it");
	tap_is_number(count("{\"a\":1", 8), -1, "cut off");
	tap_is_number(count("{\"a\":\"x", 8), -1, "cut off in a string");
	tap_is_number(count("{\"a", 8), -1, "cut off in a name");
	return tap_end();
}
