/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

#include <sysexits.h>

#include "model/document.h"
#include "model/name.h"

static const struct member members[] = {
	{"attempt", MEMBER_INTEGER(struct result, attempt), 0, .integer = {1, INT32_MAX, 1}},
	{"class", MEMBER_PASSED, 0},
	{"hostname", MEMBER_STRING(struct result, hostname), MEMBER_OMITTED, .is_valid = name_is_host, .what = "not a host name"},
	{"ipaddresses", MEMBER_VALUE(struct result, ipaddresses), 0, .check = name_check_addresses},
	{"job", MEMBER_NAME(struct result, job), MEMBER_OMITTED},
	{"kind", MEMBER_KIND("result")},
	{"message", MEMBER_STRING(struct result, message), MEMBER_OMITTED},
	{"result", MEMBER_VALUE(struct result, result), 0},
	{"status", MEMBER_INTEGER(struct result, status), MEMBER_REQUIRED, .integer = {INT32_MIN, INT32_MAX, 0}},
	{"stderr", MEMBER_PASSED, 0},
	{"stdout", MEMBER_PASSED, 0},
	{"task", MEMBER_NAME(struct result, task), MEMBER_OMITTED},
};

const struct document result_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct result),
	DOCUMENT_SOURCE(struct result, source)};

void
result_parse(const struct place *place, struct result *result)
{
	document_parse(&result_table, place, &result->arena, result);
}

void
result_print(const struct result *result, struct buffer *out)
{
	document_print(&result_table, result, out);
}

void
result_release(struct result *result)
{
	struct arena arena = result->arena;

	document_release(&result_table, result);
	arena_release(&arena);
}

bool
result_is_permanent(int64_t status)
{
	return status == EX_DATAERR || status == EX_NOPERM || status == EX_CONFIG;
}
