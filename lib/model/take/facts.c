/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/json.h"
#include "model/node.h"
#include "model/result.h"

bool
facts_in_result(const char *result)
{
	/* Nearly all results say nothing but their status: those are not worth parsing. */
	return strstr(result, "\"ipaddresses\"") || strstr(result, "\"hostname\"") || strstr(result, "\"result\"");
}

int
facts_read(const char *text, size_t length, struct arena *arena, struct node *node, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv record;
	int result;

	if (json_parse("node record", text, length, &record, err) < 0)
		return -1;
	place = place_root(record, &problems);
	node_parse(&place, arena, node);
	jv_free(record);
	result = problems_error(&problems, "node record", EX_DATAERR, err);
	if (result < 0)
		jv_free(node->source);
	problems_release(&problems);
	return result;
}

static int
facts_read_result(const char *text, struct result *result, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv record;
	int failed;

	if (json_parse("result", text, strlen(text), &record, err) < 0)
		return -1;
	json_set_string(&record, "kind", "result");
	place = place_root(record, &problems);
	result_parse(&place, result);
	jv_free(record);
	failed = problems_error(&problems, "result", EX_DATAERR, err);
	problems_release(&problems);
	return failed;
}

int
facts_merge(const char *text, size_t length, const char *result_text, struct buffer *out, struct error *err)
{
	struct result result = {0};
	struct arena arena = {0};
	struct node node;
	int failed;

	failed = facts_read_result(result_text, &result, err);
	if (failed == 0 && (failed = facts_read(text, length, &arena, &node, err)) == 0) {
		node_learn(&node, result.hostname, result.ipaddresses, result.result, &arena);
		node_print(&node, out);
		jv_free(node.source);
	}
	result_release(&result);
	arena_release(&arena);
	return failed;
}

int
facts_clear(const char *text, size_t length, struct buffer *out, struct error *err)
{
	struct arena arena = {0};
	struct node node;
	int failed = facts_read(text, length, &arena, &node, err);

	if (failed == 0) {
		node.source = jv_object_delete(node.source, jv_string("ipaddresses"));
		node.source = jv_object_delete(node.source, jv_string("facts"));
		node.ipaddresses = node.facts = (jv){0};
		node_print(&node, out);
		jv_free(node.source);
	}
	arena_release(&arena);
	return failed;
}

bool
facts_addressed(const char *text, size_t length)
{
	struct arena arena = {0};
	struct error err;
	struct node node;
	bool addressed = false;

	if (memmem(text, length, "\"ipaddresses\"", 13) && facts_read(text, length, &arena, &node, &err) == 0) {
		addressed = json_length(node.ipaddresses) > 0;
		jv_free(node.source);
	}
	arena_release(&arena);
	return addressed;
}
