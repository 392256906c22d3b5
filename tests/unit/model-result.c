/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

#include "model.h"

static void
check_read(void)
{
	jv document = document_of("{'kind':'result','status':'0','hostname':'h.local','ipaddresses':{'access_v4':'1.1.1.1'},"
	    "'result':{'providerid':'i-1'},'stdout':'x'}");
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	struct buffer out = {0};
	struct result result;

	result_parse(&root, &result);
	jv_free(document);
	no_problems(&problems, "a result as plugins print it");
	tap_ok(!result.job && !result.task && result.attempt == 1 && result.status == 0 && !result.message, "what it leaves open");
	tap_is_text(result.hostname, "h.local", "facts of the node");
	result.job = "1-001";
	result.task = "t1";
	result.attempt = 2;
	result_print(&result, &out);
	tap_is_text(out.data, "{\"attempt\":2,\"hostname\":\"h.local\",\"ipaddresses\":{\"access_v4\":\"1.1.1.1\"},\"job\":\"1-001\","
	    "\"kind\":\"result\",\"result\":{\"providerid\":\"i-1\"},\"status\":0,\"stdout\":\"x\",\"task\":\"t1\"}\n",
	    "is printed with what coopr-exec adds");
	buffer_release(&out);
	result_release(&result);
}

static void
check_made(void)
{
	struct result result = {.task = "t1", .attempt = 1, .status = 70, .message = "no such plugin"};
	struct buffer out = {0};

	result_print(&result, &out);
	tap_is_text(out.data, "{\"attempt\":1,\"kind\":\"result\",\"message\":\"no such plugin\",\"status\":70,\"task\":\"t1\"}\n",
	    "a result that was made here");
	buffer_release(&out);
}

int
main(void)
{
	check_read();
	check_made();
	tap_ok(result_is_permanent(65) && result_is_permanent(77) && result_is_permanent(78), "trying again cannot help");
	tap_ok(!result_is_permanent(0) && !result_is_permanent(1) && !result_is_permanent(75) && !result_is_permanent(137),
	    "and may help");
	return tap_end();
}
