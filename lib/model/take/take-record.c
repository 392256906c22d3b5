/* SPDX-License-Identifier: Apache-2.0
 *
 * A task's line is, nearly always, printed as this project prints it: then its members are copied as they stand, and nothing is
 * parsed but what the queue itself wants to know. Any other line goes through the parser, with the same outcome.
 */
#include "model/take/take-record.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/members.h"
#include "model/document.h"
#include "model/node.h"
#include "model/print.h"
#include "model/request.h"

enum { MEMBERS_MAX = 48 };

static void
take_record_print_action(const struct member *member, const void *from, struct print *print)
{
	print_string(print, member->name, action_name(((const struct take_record *)from)->action));
}

struct unexpanded {
	const char *pointer, *text;
};

static const struct member unexpanded_members[] = {
	{"pointer", MEMBER_STRING(struct unexpanded, pointer), MEMBER_REQUIRED},
	{"text", MEMBER_STRING(struct unexpanded, text), MEMBER_REQUIRED},
};
static const struct document unexpanded = {DOCUMENT_MEMBERS(unexpanded_members), .size = sizeof(struct unexpanded)};

struct take_cluster { /* what setting_print prints; installation is added for providers */
	const char *catalogue, *id, *installation, *name, *tenant;
	struct string_list asked;
	bool strict;
	jv config;
	struct provider provider;
	struct unexpanded *unexpanded;
	size_t unexpanded_count;
};

static const struct member cluster_members[] = {
	{"asked", MEMBER_NAMES(struct take_cluster, asked), 0},
	{"catalogue", MEMBER_STRING(struct take_cluster, catalogue), 0},
	{"config", MEMBER_VALUE(struct take_cluster, config), 0},
	{"id", MEMBER_STRING(struct take_cluster, id), MEMBER_REQUIRED, .is_valid = cluster_id_is_valid, .what = "not a cluster id"},
	{"installation", MEMBER_NAME(struct take_cluster, installation), 0},
	{"name", MEMBER_NAME(struct take_cluster, name), MEMBER_REQUIRED},
	{"provider", MEMBER_OBJECT(struct take_cluster, provider), MEMBER_REQUIRED, .inner = &provider_table},
	{"strict", MEMBER_BOOLEAN(struct take_cluster, strict), 0},
	{"tenant", MEMBER_NAME(struct take_cluster, tenant), 0},
	{"unexpanded", MEMBER_LIST(struct take_cluster, unexpanded, struct unexpanded, unexpanded_count), 0, .inner = &unexpanded},
};
static const struct document take_cluster = {DOCUMENT_MEMBERS(cluster_members), .size = sizeof(struct take_cluster)};

/* The members that stand beside those of the task, or in place of them: "id" and "action" are checked as the task's. */
static const struct member members[] = {
	{"action", MEMBER_CUSTOM, MEMBER_REQUIRED, .print = take_record_print_action},
	{"attempt", MEMBER_INTEGER(struct take_record, attempt), MEMBER_REQUIRED, .integer = {1, INT64_MAX, 1}},
	{"cluster", MEMBER_TEXT(struct take_record, cluster), MEMBER_REQUIRED, .inner = &take_cluster},
	{"id", MEMBER_NAME(struct take_record, task), MEMBER_UNCHECKED},
	{"job", MEMBER_NAME(struct take_record, job), MEMBER_REQUIRED},
	{"log", MEMBER_STRING(struct take_record, log), 0},
	{"machine", MEMBER_TEXT(struct take_record, machine), MEMBER_REQUIRED, .inner = &node_table},
	{"nodes", MEMBER_STRING(struct take_record, nodes), 0},
	{"token", MEMBER_STRING(struct take_record, token), 0},
	{"worker", MEMBER_STRING(struct take_record, worker), 0},
};
const struct document take_record_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct take_record),
	DOCUMENT_SOURCE(struct take_record, source)};

static int
take_record_compare(const struct json_range *name, const char *own)
{
	size_t length = strlen(own), shorter = name->length < length ? name->length : length;
	int order = memcmp(name->text, own, shorter);

	return order ? order : (name->length > length) - (name->length < length);
}

static void
take_record_copy(const struct json_member *member, struct print *print)
{
	if (!print->empty)
		buffer_byte(print->out, ',');
	print->empty = false;
	buffer_append(print->out, member->name.text - 1, member->name.length + 2);
	buffer_byte(print->out, ':');
	buffer_append(print->out, member->value.text, member->value.length);
}

static const struct json_range *
take_record_find(const struct json_member *list, int count, const char *name)
{
	for (int m = 0; m < count; m++)
		if (take_record_compare(&list[m].name, name) == 0)
			return &list[m].value;
	return NULL;
}

/* Prints a member of the table, and notes where what is not known yet belongs. */
static void
take_record_print_own(const struct member *own, const struct take_record *record, struct print *print)
{
	struct take_places *places = record->places;

	document_print_member(own, record, print);
	if (places && !record->log && strcmp(own->name, "log") == 0)
		places->log = print->out->length - strlen("null");
	else if (places && !record->nodes && strcmp(own->name, "nodes") == 0)
		places->nodes = print->out->length - strlen("null");
}

/* Finds the same in a record that was printed from a value. */
static void
take_record_find_places(struct take_places *places, const char *record, size_t length)
{
	struct json_member list[MEMBERS_MAX];
	int count = json_members(record, length, list, MEMBERS_MAX);
	const struct json_range *log = take_record_find(list, count, "log"), *nodes = take_record_find(list, count, "nodes");

	places->log = log ? (size_t)(log->text - record) : 0;
	places->nodes = nodes ? (size_t)(nodes->text - record) : 0;
}

/* Prints as document_print does, but from the text of the task: its members are copied, and those of the table stand in their
 * place or between them. Both are sorted. */
static void
take_record_merge(const struct take_record *record, const struct json_member *list, int count, struct buffer *out)
{
	const struct member *own = members, *end = members + sizeof members / sizeof *members;
	struct print print;

	print_begin(&print, (jv){0}, out);
	for (int i = 0; i < count; i++) {
		int order = -1;

		while (own < end && (order = take_record_compare(&list[i].name, own->name)) > 0)
			take_record_print_own(own++, record, &print);
		if (own == end || order != 0)
			take_record_copy(&list[i], &print);
	}
	while (own < end)
		take_record_print_own(own++, record, &print);
	print_end(&print);
}

static bool
take_record_read_string(const struct json_range *value, struct arena *arena, const char **to)
{
	struct json_range string;

	if (!value || !json_range_string(value, &string))
		return false;
	*to = arena_substring(arena, string.text, string.length);
	return true;
}

static bool
take_record_read_number(const struct json_range *value, double *to)
{
	char text[32], *end;

	if (!value || value->length >= sizeof text)
		return false;
	memcpy(text, value->text, value->length);
	text[value->length] = '\0';
	*to = strtod(text, &end);
	return *end == '\0';
}

/* Reads the members of the step that the queue uses; false if they are not as plain as they nearly always are. */
static bool
take_record_read_step(const struct json_member *list, int count, struct arena *arena, struct step *step)
{
	const struct json_range *service = take_record_find(list, count, "service");
	double timeout_s = 0;
	const char *kind;

	*step = (struct step){0};
	if (!take_record_read_string(take_record_find(list, count, "kind"), arena, &kind) || strcmp(kind, "task") != 0 ||
	    !take_record_read_string(take_record_find(list, count, "id"), arena, &step->id) ||
	    !take_record_read_string(take_record_find(list, count, "node"), arena, &step->node) ||
	    !take_record_read_string(take_record_find(list, count, "type"), arena, &step->type) ||
	    !take_record_read_number(take_record_find(list, count, "timeout_s"), &timeout_s) ||
	    !take_record_read_number(take_record_find(list, count, "expect_s"), &step->expect_s))
		return false;
	step->timeout_s = (int64_t)timeout_s;
	return !service || (service->length == 4 && memcmp(service->text, "null", 4) == 0) ||
	    take_record_read_string(service, arena, &step->service);
}

/* Parses the task; its jv is the caller's where this succeeds. */
static int
take_record_parse_step(const char *text, size_t length, struct arena *arena, struct step *step, jv *task, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	int result;

	if (json_parse("plan.ndjson", text, length, task, err) < 0)
		return -1;
	place = place_root(*task, &problems);
	step_parse(&place, arena, step);
	result = problems_error(&problems, step->id ? step->id : "a task", EX_DATAERR, err);
	if (result < 0) {
		error_prefix(err, "plan.ndjson");
		jv_free(*task);
	}
	problems_release(&problems);
	return result;
}

int
take_record_step(const char *text, size_t length, struct arena *arena, struct step *step, struct error *err)
{
	jv task;

	if (take_record_parse_step(text, length, arena, step, &task, err) < 0)
		return -1;
	jv_free(task);
	return 0;
}

int
take_record_print(const struct take_record *record, const char *text, size_t length, struct arena *arena, struct step *step,
    struct buffer *out, struct error *err)
{
	struct json_member list[MEMBERS_MAX];
	int count = json_members(text, length, list, MEMBERS_MAX);
	size_t start = out->length;

	if (count > 0 && take_record_read_step(list, count, arena, step)) {
		take_record_merge(record, list, count, out);
	} else {
		struct take_record whole = *record;

		if (take_record_parse_step(text, length, arena, step, &whole.source, err) < 0)
			return -1;
		document_print(&take_record_table, &whole, out);
		if (record->places)
			take_record_find_places(record->places, out->data + start, out->length - start - 1);
		jv_free(whole.source);
	}
	step->action = record->action;
	return 0;
}
