/* SPDX-License-Identifier: Apache-2.0 */
#include "json/pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/dump.h"
#include "json/json.h"

void
pick_members(const char *names, const char *text, size_t length, struct buffer *to)
{
	struct error ignored; /* then it is no object */
	jv value, picked;

	if (json_parse("the record", text, length, &value, &ignored) < 0) {
		buffer_append(to, text, length);
		return;
	}
	picked = jv_get_kind(value) == JV_KIND_OBJECT ? jv_object() : jv_copy(value);
	for (const char *at = names; jv_get_kind(value) == JV_KIND_OBJECT && *at; at += strcspn(at, ","), at += *at == ',') {
		char *name = memory_substring(at, strcspn(at, ","));
		jv member = json_get(value, name);

		if (jv_is_valid(member))
			json_set(&picked, name, member);
		else
			jv_free(member);
		free(name);
	}
	json_dump(picked, to);
	jv_free(picked);
	jv_free(value);
}
