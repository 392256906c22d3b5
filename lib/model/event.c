/* SPDX-License-Identifier: Apache-2.0 */
#include "model/event.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/action.h"
#include "model/document.h"
#include "model/print.h"
#include "model/result.h"

enum { /* what some kinds of events tell beside what all do */
	EVENT_OF_JOB = 1,      /* the job, as it came */
	EVENT_OF_ATTEMPT = 2,  /* an attempt at a task, and what follows */
	EVENT_WITH_RESULT = 4, /* how it ended */
	EVENT_OF_TASK = 8,     /* a task without an attempt */
};

/* The kinds of events, each in one row. */
static const struct {
	const char *name;
	unsigned tells;
} kinds[EVENT_KIND_COUNT + 1] = {
	[EVENT_PUT] = {"put", EVENT_OF_JOB},
	[EVENT_BOOT] = {"boot", 0},
	[EVENT_TAKE] = {"take", EVENT_OF_ATTEMPT},
	[EVENT_DONE] = {"done", EVENT_OF_ATTEMPT | EVENT_WITH_RESULT},
	[EVENT_FAIL] = {"fail", EVENT_OF_ATTEMPT | EVENT_WITH_RESULT},
	[EVENT_LOST] = {"lost", EVENT_OF_ATTEMPT},
	[EVENT_PAUSE] = {"pause", 0},
	[EVENT_RESUME] = {"resume", 0},
	[EVENT_CANCEL] = {"cancel", 0},
	[EVENT_RETRY] = {"retry", 0},
	[EVENT_SKIP] = {"skip", EVENT_OF_TASK},
	[EVENT_FINISH] = {"finish", 0},
	[EVENT_KIND_COUNT] = {"unknown", 0},
};

static const char *const nexts[EVENT_NEXT_COUNT] = {NULL, "retry", "undo", "failed"};

const char *
event_name(enum event_kind kind)
{
	return kinds[kind < EVENT_KIND_COUNT ? kind : EVENT_KIND_COUNT].name;
}

static unsigned
event_tells(const void *from)
{
	return kinds[((const struct event *)from)->kind].tells;
}

static void
event_parse_kind(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	enum event_kind *kind = &((struct event *)to)->kind;
	const char *name = json_string(place->value);

	(void)member;
	(void)arena;
	*kind = EVENT_KIND_COUNT;
	if (!place_text(place, NEED_REQUIRED))
		return;
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		if (strcmp(kinds[i].name, name) == 0)
			*kind = (enum event_kind)i;
	if (*kind == EVENT_KIND_COUNT)
		place_problem(place, "there is no event \"%s\"", name);
}

static void
event_print_kind(const struct member *member, const void *from, struct print *print)
{
	print_string(print, member->name, event_name(((const struct event *)from)->kind));
}

static bool
event_is_action(const char *text)
{
	return action_of_name(text) != ACTION_NONE;
}

static int
event_find_next(const char *name)
{
	for (int i = EVENT_NEXT_NONE + 1; i < EVENT_NEXT_COUNT; i++)
		if (strcmp(nexts[i], name) == 0)
			return i;
	return -1;
}

static const char *
event_next_name(int next)
{
	return nexts[next];
}

static bool
event_waits(const void *from)
{
	const struct event *event = from;

	return event->next == EVENT_NEXT_RETRY || event->next == EVENT_NEXT_UNDO;
}

static const struct member result_members[] = {
	{"message", MEMBER_STRING(struct event, message), 0},
	{"status", MEMBER_INTEGER(struct event, status), MEMBER_REQUIRED, .integer = {INT32_MIN, INT64_MAX, 0}},
};
static const struct document result_kept = {DOCUMENT_MEMBERS(result_members)};

/* The result is kept as it came; the queue looks into it only for how it ended. */
static void
event_parse_result(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct event *event = to;
	struct buffer text = {0};

	if (!place_object(place, NEED_REQUIRED))
		return;
	document_parse(member->inner, place, arena, to);
	json_dump(place->value, &text);
	event->result = arena_substring(arena, text.data, text.length);
	buffer_release(&text);
}

static void
event_print_result(const struct member *member, const void *from, struct print *print)
{
	print_json(print, member->name, ((const struct event *)from)->result);
}

static const struct member members[] = {
	{"action", MEMBER_STRING(struct event, action), MEMBER_OMITTED, .variants = EVENT_OF_ATTEMPT,
	    .is_valid = event_is_action, .what = "not an action"},
	{"at", MEMBER_TIME(struct event, at_ms), MEMBER_REQUIRED},
	{"attempt", MEMBER_INTEGER(struct event, attempt), MEMBER_REQUIRED, .variants = EVENT_OF_ATTEMPT,
	    .integer = {1, INT64_MAX, 0}},
	{"backoff_ms", MEMBER_INTEGER(struct event, backoff_ms), 0, .variants = EVENT_OF_JOB},
	{"boot", MEMBER_STRING(struct event, boot), MEMBER_OMITTED},
	{"by", MEMBER_STRING(struct event, by), MEMBER_OMITTED},
	{"clock_set_ms", MEMBER_INTEGER(struct event, clock_set_ms), MEMBER_OMITTED, .integer = {-9007199254740991, INT64_MAX, 0}},
	{"cluster", MEMBER_NAME(struct event, cluster), MEMBER_REQUIRED, .variants = EVENT_OF_JOB},
	{"event", MEMBER_CUSTOM, MEMBER_REQUIRED | MEMBER_FIRST, .parse = event_parse_kind, .print = event_print_kind},
	{"job", MEMBER_NAME(struct event, job), MEMBER_REQUIRED, .variants = EVENT_OF_JOB},
	{"kind", MEMBER_KIND("event")},
	{"next", MEMBER_WORD(struct event, next, enum event_next), MEMBER_OMITTED, .variants = EVENT_OF_ATTEMPT,
	    .word_find = event_find_next, .word_name = event_next_name, .what = "not one of \"retry\", \"undo\", \"failed\""},
	{"order", MEMBER_INTEGER(struct event, order), 0, .variants = EVENT_OF_JOB},
	{"plan_sum", MEMBER_STRING(struct event, plan_sum), MEMBER_OMITTED, .variants = EVENT_OF_JOB},
	{"provider", MEMBER_NAME(struct event, provider), MEMBER_OMITTED, .variants = EVENT_OF_JOB},
	{"ready_boottime_ms", MEMBER_INTEGER(struct event, ready_ms), 0, .variants = EVENT_OF_ATTEMPT,
	    .is_printed = event_waits},
	{"reason", MEMBER_STRING(struct event, reason), MEMBER_OMITTED},
	{"result", MEMBER_CUSTOM, MEMBER_REQUIRED, .variants = EVENT_WITH_RESULT, .inner = &result_kept,
	    .parse = event_parse_result, .print = event_print_result},
	{"seq", MEMBER_INTEGER(struct event, seq), MEMBER_REQUIRED, .integer = {1, INT64_MAX, 0}},
	{"since_boottime_ms", MEMBER_INTEGER(struct event, since_ms), MEMBER_OMITTED, .variants = EVENT_WITH_RESULT},
	{"synced", MEMBER_INTEGER(struct event, synced), MEMBER_OMITTED},
	{"task", MEMBER_NAME(struct event, task), MEMBER_OMITTED, .required = EVENT_OF_ATTEMPT | EVENT_OF_TASK},
	{"tenant", MEMBER_NAME(struct event, tenant), MEMBER_REQUIRED, .variants = EVENT_OF_JOB},
	{"until_boottime_ms", MEMBER_INTEGER(struct event, until_ms), 0, .variants = EVENT_OF_ATTEMPT,
	    MEMBER_PRESENT(struct event, leased)},
};

const struct document event_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct event), .variant = event_tells};

void
event_parse(const struct place *place, struct arena *arena, struct event *event)
{
	document_parse(&event_table, place, arena, event);
}

void
event_print(const struct event *event, struct buffer *out)
{
	document_print(&event_table, event, out);
}

void
event_result(const struct result *result, struct buffer *out)
{
	static const char *const elsewhere[] = {"kind", "job", "task", "attempt", "stdout", "stderr"};
	jv kept = jv_copy(result->source);

	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
		kept = jv_object_delete(kept, jv_string(elsewhere[i]));
	json_set_number(&kept, "status", (double)result->status);
	json_dump(kept, out);
	jv_free(kept);
}
