/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

#include <string.h>
#include <sysexits.h>

#include "model/document.h"
#include "model/name.h"
#include "model/print.h"

void
result_parse(const struct place *place, struct result *result)
{
	struct place status = place_member(place, "status"), facts;

	*result = (struct result){.attempt = 1};
	if (!place_object(place, NEED_REQUIRED))
		return;
	result->source = jv_copy(place->value);
	document_check_kind(place, "result", NEED_REQUIRED);
	result->job = name_parse(place, "job", NEED_OPTIONAL, &result->arena);
	result->task = name_parse(place, "task", NEED_OPTIONAL, &result->arena);
	result->attempt = place_integer(place, "attempt", 1, 1, INT32_MAX);
	result->status = place_integer(place, "status", 0, INT32_MIN, INT32_MAX);
	if (!place_present(&status))
		place_problem(&status, "expected number, found %s", json_kind_name(status.value));
	result->message = place_string(place, "message", NEED_OPTIONAL, &result->arena);
	result->hostname = name_parse_as(place, "hostname", NEED_OPTIONAL, name_is_host, "host name", &result->arena);
	result->ipaddresses = name_addresses(place);
	facts = place_member(place, "result");
	if (place_object(&facts, NEED_OPTIONAL))
		result->result = facts.value;
}

static void
result_print_optional(struct print *print, const char *name, const char *text)
{
	if (text)
		print_string(print, name, text);
	else
		print_absent(print, name);
}

void
result_print(const struct result *result, struct buffer *out)
{
	struct print print;

	print_begin(&print, result->source, out);
	print_integer(&print, "attempt", result->attempt);
	result_print_optional(&print, "hostname", result->hostname);
	print_value(&print, "ipaddresses", result->ipaddresses);
	result_print_optional(&print, "job", result->job);
	print_string(&print, "kind", "result");
	result_print_optional(&print, "message", result->message);
	print_value(&print, "result", result->result);
	print_integer(&print, "status", result->status);
	result_print_optional(&print, "task", result->task);
	print_end(&print);
}

void
result_release(struct result *result)
{
	arena_release(&result->arena);
	jv_free(result->source);
	*result = (struct result){0};
}

bool
result_is_permanent(int64_t status)
{
	return status == EX_DATAERR || status == EX_NOPERM || status == EX_CONFIG;
}
