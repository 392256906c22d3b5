/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"

enum { LIST_SHOWN = 6 };

static const struct view_column cluster[] = {
	{.heading = "CLUSTER", .path = "id"},
	{.heading = "NAME", .path = "name"},
	{.heading = "TENANT", .path = "tenant"},
	{.heading = "SERVICES", .path = "services", .format = VIEW_LIST},
	{.heading = "LAYOUT", .path = "solution.status"},
	{.heading = "PROVIDER", .path = "provider.name", .wide = true},
	{.heading = "TEMPLATE", .path = "template.name", .wide = true},
	{.heading = "OBJECTIVE", .path = "solution.objective", .wide = true},
	{0},
};

static const struct view_column node[] = {
	{.heading = "NODE", .path = "id"},
	{.heading = "HOSTNAME", .path = "hostname"},
	{.heading = "ADDRESS", .path = "ipaddresses.access_v4"},
	{.heading = "INTERNAL", .path = "ipaddresses.bind_v4", .wide = true},
	{.heading = "HARDWARE", .path = "hardwaretype"},
	{.heading = "FLAVOR", .path = "flavor", .wide = true},
	{.heading = "IMAGE", .path = "imagetype"},
	{.heading = "IMAGE ID", .path = "image", .wide = true},
	{.heading = "USER", .path = "sshuser", .wide = true},
	{.heading = "ZONE", .path = "zone"},
	{.heading = "SERVICES", .path = "services", .format = VIEW_LIST, .null = "(to be removed)"},
	{.heading = "PREVIOUS", .path = "was", .format = VIEW_LIST, .null = "(new)"},
	{0},
};

static const struct view_column job[] = {
	{.heading = "JOB", .path = "id"},
	{.heading = "CLUSTER", .path = "cluster"},
	{.heading = "TENANT", .path = "tenant"},
	{.heading = "ACTION", .path = "action"},
	{.heading = "STATUS", .path = "status"},
	{.heading = "TASKS", .path = "tasks"},
	{.heading = "EXPECTED", .path = "expected_s", .format = VIEW_SECONDS},
	{0},
};

/* Tasks and milestones of a plan, and tasks as they are handed to workers. */
static const struct view_column step[] = {
	{.heading = "STEP", .path = "id"},
	{.heading = "JOB", .path = "job"},
	{.heading = "ATTEMPT", .path = "attempt"},
	{.heading = "WHAT", .path = "", .format = VIEW_STEP},
	{.heading = "NODE", .path = "node"},
	{.heading = "TYPE", .path = "type"},
	{.heading = "EXPECTED", .path = "", .format = VIEW_MEASURED},
	{.heading = "RANK", .path = "rank", .wide = true},
	{.heading = "TIMEOUT", .path = "timeout_s", .format = VIEW_SECONDS, .wide = true},
	{.heading = "RETRIES", .path = "retries", .wide = true},
	{.heading = "UNDO", .path = "undo", .format = VIEW_LIST, .wide = true},
	{.heading = "WORKER", .path = "worker"},
	{.heading = "AFTER", .path = "after", .format = VIEW_LIST},
	{.heading = "FIELDS", .path = "fields", .wide = true},
	{0},
};

static const struct view_column event[] = {
	{.heading = "EVENT", .path = "seq"},
	{.heading = "TIME", .path = "at"},
	{.heading = "WHAT", .path = "event"},
	{.heading = "TASK", .path = "task"},
	{.heading = "ATTEMPT", .path = "attempt"},
	{.heading = "USER", .path = "by"},
	{.heading = "STATUS", .path = "result.status", .format = VIEW_STATUS},
	{.heading = "MESSAGE", .path = "result.message"},
	{0},
};

static const struct view_column result[] = {
	{.heading = "TASK", .path = "task"},
	{.heading = "JOB", .path = "job"},
	{.heading = "ATTEMPT", .path = "attempt"},
	{.heading = "STATUS", .path = "status", .format = VIEW_STATUS},
	{.heading = "HOSTNAME", .path = "hostname"},
	{.heading = "ADDRESS", .path = "ipaddresses.access_v4"},
	{.heading = "INTERNAL", .path = "ipaddresses.bind_v4", .wide = true},
	{.heading = "MESSAGE", .path = "message"},
	{.heading = "FACTS", .path = "result", .wide = true},
	{0},
};

static const struct view_column unsatisfiable[] = {
	{.heading = "BECAUSE", .path = "because"},
	{.heading = "CONFLICT", .path = "conflict", .format = VIEW_LIST},
	{0},
};

static const struct view_column request[] = {
	{.heading = "REQUEST", .path = "cluster.name"},
	{.heading = "TENANT", .path = "cluster.tenant"},
	{.heading = "MACHINES", .path = "cluster.numMachines"},
	{.heading = "TEMPLATE", .path = "template.name"},
	{.heading = "PROVIDER", .path = "provider.name"},
	{.heading = "SERVICES", .path = "cluster.services", .format = VIEW_LIST},
	{0},
};

static const struct view_column provider[] = {
	{.heading = "PROVIDER", .path = "name"},
	{.heading = "TYPE", .path = "providertype"},
	{.heading = "ZONES", .path = "zones", .format = VIEW_LIST},
	{.heading = "DESCRIPTION", .path = "description"},
	{0},
};

static const struct view_column hardwaretype[] = {
	{.heading = "HARDWARE TYPE", .path = "name"},
	{.heading = "PROVIDERS", .path = "providermap", .format = VIEW_LIST},
	{.heading = "DESCRIPTION", .path = "description"},
	{0},
};

static const struct view_column imagetype[] = {
	{.heading = "IMAGE TYPE", .path = "name"},
	{.heading = "PROVIDERS", .path = "providermap", .format = VIEW_LIST},
	{.heading = "DESCRIPTION", .path = "description"},
	{0},
};

static const struct view_column service[] = {
	{.heading = "SERVICE", .path = "name"},
	{.heading = "ACTIONS", .path = "provisioner.actions", .format = VIEW_LIST},
	{.heading = "INSTALL NEEDS", .path = "dependencies.install", .format = VIEW_NEEDS},
	{.heading = "RUNTIME NEEDS", .path = "dependencies.runtime", .format = VIEW_NEEDS},
	{.heading = "PROVIDES", .path = "dependencies.provides", .format = VIEW_LIST},
	{.heading = "CONFLICTS", .path = "dependencies.conflicts", .format = VIEW_LIST},
	{.heading = "DESCRIPTION", .path = "description", .wide = true},
	{0},
};

static const struct view_column template[] = {
	{.heading = "TEMPLATE", .path = "name"},
	{.heading = "IMMUTABLE", .path = "immutable"},
	{.heading = "PROVIDER", .path = "defaults.provider"},
	{.heading = "HARDWARE", .path = "defaults.hardwaretype"},
	{.heading = "IMAGE", .path = "defaults.imagetype"},
	{.heading = "MIN", .path = "constraints.size.min"},
	{.heading = "MAX", .path = "constraints.size.max"},
	{.heading = "SERVICES", .path = "defaults.services", .format = VIEW_LIST},
	{.heading = "COMPATIBLE", .path = "compatibility.services", .format = VIEW_LIST, .wide = true},
	{.heading = "DESCRIPTION", .path = "description", .wide = true},
	{0},
};

static const struct view_column tenant[] = {
	{.heading = "TENANT", .path = "name"},
	{.heading = "MAX CLUSTERS", .path = "maxClusters"},
	{.heading = "MAX NODES", .path = "maxNodes"},
	{.heading = "DESCRIPTION", .path = "description"},
	{0},
};

static const struct {
	const char *kind;
	const struct view_column *columns;
} views[] = {
	{"cluster", cluster},
	{"node", node},
	{"job", job},
	{"task", step},
	{"milestone", step},
	{"event", event},
	{"result", result},
	{"unsatisfiable", unsatisfiable},
	{"request", request},
	{"provider", provider},
	{"hardwaretype", hardwaretype},
	{"imagetype", imagetype},
	{"service", service},
	{"clustertemplate", template},
	{"partialtemplate", template},
	{"tenant", tenant},
};

const struct view_column *
view_columns(const char *kind)
{
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (strcmp(views[i].kind, kind) == 0)
			return views[i].columns;
	return NULL;
}

/* The member of record at the end of path, owned; invalid where there is none. */
static jv
view_member(jv record, const char *path)
{
	jv value = jv_copy(record);

	while (*path) {
		size_t length = strcspn(path, ".");
		char *name = memory_substring(path, length);
		jv member = json_get(value, name);

		jv_free(value);
		free(name);
		value = member;
		path += length + (path[length] == '.');
	}
	return value;
}

static void
view_append_text(jv value, struct buffer *out)
{
	if (json_string(value))
		buffer_text(out, json_string(value));
	else
		json_dump(value, out);
}

/* Appends the elements of a list by their names, or the names of an object's members; a few of them unless whole. */
static void
view_append_list(jv value, bool whole, struct buffer *out)
{
	jv list = jv_get_kind(value) == JV_KIND_OBJECT ? jv_keys(jv_copy(value)) : jv_copy(value);
	size_t count = json_length(list), shown = whole || count <= LIST_SHOWN ? count : LIST_SHOWN - 1;

	if (jv_get_kind(list) != JV_KIND_ARRAY)
		view_append_text(value, out);
	for (size_t i = 0; i < shown; i++) {
		jv element = json_element(list, i), name = json_get(element, "name");

		if (out->length)
			buffer_byte(out, ' ');
		view_append_text(json_string(name) ? name : element, out);
		jv_free(name);
		jv_free(element);
	}
	if (shown < count)
		buffer_printf(out, " and %zu more", count - shown);
	jv_free(list);
}

static void
view_append_needs(jv value, bool whole, struct buffer *out)
{
	jv needed = json_get(value, "requires"), used = json_get(value, "uses");

	if (jv_is_valid(needed))
		view_append_list(needed, whole, out);
	if (jv_is_valid(used))
		view_append_list(used, whole, out);
	jv_free(needed);
	jv_free(used);
}

static void
view_append_seconds(jv value, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];
	double seconds = jv_get_kind(value) == JV_KIND_NUMBER ? jv_number_value(value) : -1;

	if (seconds >= 0 && seconds < 1e12)
		buffer_text(out, clock_duration((int64_t)(seconds * 1000), text));
	else
		view_append_text(value, out);
}

/* "install zk", "bootstrap shell", "create", "started: zk". */
static void
view_append_measured(jv record, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];

	if (json_get_number(record, "runs", 0) > 0)
		buffer_text(out, clock_duration((int64_t)(json_get_number(record, "expect_s", 0) * 1000), text));
}

static void
view_append_step(jv record, struct buffer *out)
{
	jv name = json_get(record, "name"), action = json_get(record, "action");
	jv about = json_get(record, "service");

	if (!json_string(about) && json_string(action) && strcmp(json_string(action), "bootstrap") == 0) {
		jv_free(about);
		about = json_get(record, "type");
	}
	if (json_string(action))
		buffer_text(out, json_string(action));
	else if (json_string(name))
		buffer_text(out, json_string(name));
	if (json_string(action) && json_string(about))
		buffer_printf(out, " %s", json_string(about));
	jv_free(name);
	jv_free(action);
	jv_free(about);
}

static enum terminal_style
view_append_format(enum view_format format, jv value, bool whole, struct buffer *out)
{
	switch (format) {
	case VIEW_TEXT:
		view_append_text(value, out);
		break;
	case VIEW_LIST:
		view_append_list(value, whole, out);
		break;
	case VIEW_SECONDS:
		view_append_seconds(value, out);
		break;
	case VIEW_NEEDS:
		view_append_needs(value, whole, out);
		break;
	case VIEW_MEASURED:
		view_append_measured(value, out);
		break;
	case VIEW_STEP:
		view_append_step(value, out);
		break;
	case VIEW_STATUS:
		view_append_text(value, out);
		return jv_get_kind(value) == JV_KIND_NUMBER && jv_number_value(value) == 0 ? STYLE_GOOD : STYLE_BAD;
	}
	return STYLE_PLAIN;
}

enum terminal_style
view_cell(const struct view_column *column, jv record, bool whole, struct buffer *out)
{
	jv value = view_member(record, column->path);
	enum terminal_style style = STYLE_PLAIN;

	if (jv_get_kind(value) == JV_KIND_NULL && column->null) {
		buffer_text(out, column->null);
		style = STYLE_DIM;
	} else if (jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL) {
		style = view_append_format(column->format, value, whole, out);
	}
	jv_free(value);
	return style;
}

void
view_name(jv record, struct buffer *out)
{
	static const char *const members[] = {"id", "name", "seq", "task"};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		jv value = json_get(record, members[i]);
		bool is_named = jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL;

		if (is_named)
			view_append_text(value, out);
		jv_free(value);
		if (is_named)
			return;
	}
}
