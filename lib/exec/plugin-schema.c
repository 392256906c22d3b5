/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/plugin-schema.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/location.h"
#include "confine/confine.h"
#include "json/json.h"
#include "model/take/origin.h"
#include "model/take/task.h"

enum { SCHEMA_BYTES = 1 << 20 };

jv
plugin_schema(const char *kind, const char *type)
{
	char *path = location_plugin(kind, type);
	char *argv[] = {path, (char *)"describe", NULL};
	struct buffer text = {0}, log = {0};
	jv schema = jv_invalid();
	struct error ignored;

	if (!path || confine_run(argv, &text, &log, SCHEMA_BYTES, &ignored) != 0 || !text.length ||
	    json_parse("describe", text.data, text.length, &schema, &ignored) < 0)
		schema = jv_invalid();
	buffer_release(&text);
	buffer_release(&log);
	free(path);
	return schema;
}

int
plugin_schema_check_task(const struct task *task, struct error *err)
{
	jv schema;
	int result;

	if (!origin_is_tenants(task))
		return 0;
	schema = plugin_schema(task_plugin_kind(task->action), task->type);
	result = origin_check_task(task, schema, err);
	jv_free(schema);
	return result;
}
