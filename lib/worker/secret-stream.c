/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/secret-stream.h"

#include <string.h>

#include "base/buffer.h"
#include "exec/redaction.h"
#include "json/json.h"
#include "json/members.h"
#include "worker/secrets.h"

enum { ROOM = 4 * 1024 * 1024 }; /* for what secrets are longer than their names, so that the text never moves */

char *
secret_stream_scope(const char *record, size_t length)
{
	const struct json_range whole = {record, length};
	struct json_range cluster, tenant, provider;
	struct buffer scope = {0};

	if (!json_range_find(&whole, "cluster", &cluster) || !json_range_find(&cluster, "tenant", &tenant) ||
	    !json_range_find(&cluster, "provider", &provider))
		return NULL;
	buffer_append(&scope, tenant.text, tenant.length);
	buffer_append(&scope, provider.text, provider.length);
	return buffer_take(&scope);
}

/* Wipes all strings of a value that nobody else has. */
static void
secret_stream_wipe_value(jv value)
{
	jv_kind kind = jv_get_kind(value);

	if (kind == JV_KIND_STRING) {
		explicit_bzero((char *)(uintptr_t)jv_string_value(value), (size_t)jv_string_length_bytes(jv_copy(value)));
	} else if (kind == JV_KIND_OBJECT) {
		jv_object_foreach(value, name, member) {
			secret_stream_wipe_value(member);
			jv_free(name);
			jv_free(member);
		}
	} else if (kind == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(value); i++) {
			jv element = json_element(value, i);

			secret_stream_wipe_value(element);
			jv_free(element);
		}
	}
}

int
secret_stream_fill(const char *record, size_t length, struct buffer *handed, struct error *err)
{
	struct redaction values = {0};
	int result;
	jv parsed;

	if (json_parse("the task", record, length, &parsed, err) < 0)
		return -1;
	result = secrets_fill(&parsed, &values, err);
	if (result == 0) {
		buffer_room(handed, length + ROOM);
		json_dump(parsed, handed);
		buffer_byte(handed, '\n');
	}
	secret_stream_wipe_value(parsed);
	jv_free(parsed);
	redaction_release(&values);
	return result;
}

void
secret_stream_wipe(struct buffer *handed)
{
	if (handed->data)
		explicit_bzero(handed->data, handed->length);
	buffer_release(handed);
}
