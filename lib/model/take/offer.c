/* SPDX-License-Identifier: Apache-2.0
 *
 * A task's line is, nearly always, printed as this project prints it: then its members are copied as they stand, and nothing is
 * parsed but what the queue itself wants to know. Any other line goes through the parser, with the same outcome.
 */
#include "model/take/offer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/members.h"
#include "model/print.h"

enum { MEMBERS_MAX = 48 };

struct own { /* a member that the offer brings */
	const char *name;
	const char *string, *json; /* one of them; neither: the attempt, or what is not said */
};

enum { OWN_COUNT = 10 };

static void
offer_fill_own(const struct offer *offer, struct own own[OWN_COUNT])
{
	const struct own list[OWN_COUNT] = {
		{"action", action_name(offer->action), NULL}, {"attempt", NULL, NULL}, {"cluster", NULL, offer->cluster},
		{"id", offer->task, NULL}, {"job", offer->job, NULL}, {"log", offer->log, NULL},
		{"machine", NULL, offer->machine}, {"nodes", offer->nodes, NULL}, {"token", offer->token, NULL},
		{"worker", offer->worker, NULL},
	};

	memcpy(own, list, sizeof list);
}

static void
offer_print_own(const struct offer *offer, const struct own *own, struct buffer *out)
{
	buffer_byte(out, '"');
	buffer_text(out, own->name);
	buffer_text(out, "\":");
	if (own->string)
		json_quote(own->string, out);
	else if (own->json)
		buffer_text(out, own->json);
	else if (strcmp(own->name, "attempt") == 0)
		buffer_printf(out, "%jd", (intmax_t)offer->attempt);
	else
		buffer_text(out, "null");
	buffer_byte(out, ',');
}

static int
offer_compare(const struct json_range *name, const char *own)
{
	size_t length = strlen(own), shorter = name->length < length ? name->length : length;
	int order = memcmp(name->text, own, shorter);

	return order ? order : (name->length > length) - (name->length < length);
}

/* Both sorted: the task's members, and the offer's in their place or between them. */
static void
offer_merge(const struct offer *offer, const struct json_member *members, int count, struct buffer *out)
{
	struct own own[OWN_COUNT];
	int o = 0;

	offer_fill_own(offer, own);
	buffer_byte(out, '{');
	for (int m = 0; m < count; m++) {
		const struct json_member *member = &members[m];
		int order = -1;

		while (o < OWN_COUNT && (order = offer_compare(&member->name, own[o].name)) > 0)
			offer_print_own(offer, &own[o++], out);
		if (o < OWN_COUNT && order == 0)
			continue;
		buffer_append(out, member->name.text - 1, member->name.length + 2);
		buffer_byte(out, ':');
		buffer_append(out, member->value.text, member->value.length);
		buffer_byte(out, ',');
	}
	while (o < OWN_COUNT)
		offer_print_own(offer, &own[o++], out);
	out->data[out->length - 1] = '}';
	buffer_byte(out, '\n');
}

static const struct json_range *
offer_find(const struct json_member *members, int count, const char *name)
{
	for (int m = 0; m < count; m++)
		if (offer_compare(&members[m].name, name) == 0)
			return &members[m].value;
	return NULL;
}

static bool
offer_read_string(const struct json_range *value, struct arena *arena, const char **to)
{
	struct json_range string;

	if (!value || !json_range_string(value, &string))
		return false;
	*to = arena_substring(arena, string.text, string.length);
	return true;
}

static bool
offer_read_number(const struct json_range *value, double *to)
{
	char text[32], *end;

	if (!value || value->length >= sizeof text)
		return false;
	memcpy(text, value->text, value->length);
	text[value->length] = '\0';
	*to = strtod(text, &end);
	return *end == '\0';
}

/* What the queue wants to know of the step; false where that is not as plain as it nearly always is. */
static bool
offer_read_step(const struct json_member *members, int count, struct arena *arena, struct step *step)
{
	const struct json_range *service = offer_find(members, count, "service");
	double timeout_s = 0;
	const char *kind;

	*step = (struct step){0};
	if (!offer_read_string(offer_find(members, count, "kind"), arena, &kind) || strcmp(kind, "task") != 0 ||
	    !offer_read_string(offer_find(members, count, "id"), arena, &step->id) ||
	    !offer_read_string(offer_find(members, count, "node"), arena, &step->node) ||
	    !offer_read_string(offer_find(members, count, "type"), arena, &step->type) ||
	    !offer_read_number(offer_find(members, count, "timeout_s"), &timeout_s) ||
	    !offer_read_number(offer_find(members, count, "expect_s"), &step->expect_s))
		return false;
	step->timeout_s = (int64_t)timeout_s;
	return !service || (service->length == 4 && memcmp(service->text, "null", 4) == 0) ||
	    offer_read_string(service, arena, &step->service);
}

static void
offer_print_members(const struct offer *offer, jv task, struct buffer *out)
{
	struct print print;

	print_begin(&print, task, out);
	print_string(&print, "action", action_name(offer->action));
	print_integer(&print, "attempt", offer->attempt);
	print_json(&print, "cluster", offer->cluster);
	print_string(&print, "id", offer->task);
	print_string(&print, "job", offer->job);
	print_string(&print, "log", offer->log);
	print_json(&print, "machine", offer->machine);
	print_string(&print, "nodes", offer->nodes);
	print_string(&print, "token", offer->token);
	print_string(&print, "worker", offer->worker);
	print_end(&print);
}

/* Parses the task; its jv is the caller's where this succeeds. */
static int
offer_parse(const char *text, size_t length, struct arena *arena, struct step *step, jv *task, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	int result = 0;

	if (json_parse("plan.ndjson", text, length, task, err) < 0)
		return -1;
	place = place_root(*task, &problems);
	step_parse(&place, arena, step);
	if (problems.total > 0) {
		result = error_set(err, EX_DATAERR, "plan.ndjson: task %s: %s: %s", step->id ? step->id : "?",
		    problems.list[0].pointer, problems.list[0].text);
		jv_free(*task);
	}
	problems_release(&problems);
	return result;
}

int
offer_step(const char *text, size_t length, struct arena *arena, struct step *step, struct error *err)
{
	jv task;

	if (offer_parse(text, length, arena, step, &task, err) < 0)
		return -1;
	jv_free(task);
	return 0;
}

int
offer_print(const struct offer *offer, const char *text, size_t length, struct arena *arena, struct step *step,
    struct buffer *out, struct error *err)
{
	struct json_member members[MEMBERS_MAX];
	int count = json_members(text, length, members, MEMBERS_MAX);
	jv task;

	if (count > 0 && offer_read_step(members, count, arena, step)) {
		offer_merge(offer, members, count, out);
	} else {
		if (offer_parse(text, length, arena, step, &task, err) < 0)
			return -1;
		offer_print_members(offer, task, out);
		jv_free(task);
	}
	step->action = offer->action;
	return 0;
}
