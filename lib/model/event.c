/* SPDX-License-Identifier: Apache-2.0 */
#include "model/event.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "model/action.h"
#include "model/document.h"
#include "model/name.h"
#include "model/result.h"

static const char *const kinds[EVENT_KIND_COUNT] = {"put", "boot", "take", "done", "fail", "lost", "pause", "resume",
    "cancel", "retry", "skip", "finish"};
static const char *const nexts[EVENT_NEXT_COUNT] = {"", "retry", "undo", "failed"};

/* 2^53: above it a JSON number would not be kept exactly. */
static const int64_t EXACT_MAX = INT64_C(1) << 53;

const char *
event_name(enum event_kind kind)
{
	return kind < EVENT_KIND_COUNT ? kinds[kind] : "unknown";
}

static void
event_print_text(const char *name, const char *text, struct buffer *out)
{
	if (!text)
		return;
	buffer_printf(out, ",\"%s\":", name);
	json_quote(text, out);
}

static void
event_print_number(const char *name, bool wanted, int64_t number, struct buffer *out)
{
	if (wanted)
		buffer_printf(out, ",\"%s\":%" PRId64, name, number);
}

static bool
event_is_of_attempt(enum event_kind kind)
{
	return kind == EVENT_TAKE || kind == EVENT_DONE || kind == EVENT_FAIL || kind == EVENT_LOST;
}

/* The members stand in the order of their names, as in every record. */
void
event_print(const struct event *event, struct buffer *out)
{
	bool waits = event->next == EVENT_NEXT_RETRY || event->next == EVENT_NEXT_UNDO;
	char at[CLOCK_RFC3339_SIZE];
	size_t start = out->length;

	event_print_text("action", event->action, out);
	event_print_text("at", clock_rfc3339(event->at_ms, at), out);
	event_print_number("attempt", event_is_of_attempt(event->kind), event->attempt, out);
	event_print_number("backoff_ms", event->kind == EVENT_PUT, event->backoff_ms, out);
	event_print_text("boot", event->boot, out);
	event_print_text("by", event->by, out);
	event_print_text("cluster", event->cluster, out);
	event_print_text("event", kinds[event->kind], out);
	event_print_text("job", event->job, out);
	event_print_text("kind", "event", out);
	event_print_text("next", event->next == EVENT_NEXT_NONE ? NULL : nexts[event->next], out);
	event_print_number("order", event->kind == EVENT_PUT, (int64_t)event->order, out);
	event_print_text("provider", event->provider, out);
	event_print_number("ready_boottime_ms", waits, event->ready_ms, out);
	event_print_text("reason", event->reason, out);
	if (event->result)
		buffer_printf(out, ",\"result\":%s", event->result);
	event_print_number("seq", true, (int64_t)event->seq, out);
	event_print_number("synced", event->synced != 0, (int64_t)event->synced, out);
	event_print_text("task", event->task, out);
	event_print_text("tenant", event->tenant, out);
	event_print_number("until_boottime_ms", event->leased, event->until_ms, out);
	out->data[start] = '{';
	buffer_text(out, "}\n");
}

static int
event_find(const char *name, const char *const *list, int count)
{
	for (int i = 0; name && i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return i;
	return -1;
}

static void
event_parse_kind(const struct place *place, struct arena *arena, struct event *event)
{
	const char *name = place_string(place, "event", NEED_REQUIRED, arena);
	int kind = event_find(name, kinds, EVENT_KIND_COUNT);
	struct place at = place_member(place, "event");

	if (name && kind < 0)
		place_problem(&at, "there is no event \"%s\"", name);
	event->kind = kind < 0 ? EVENT_KIND_COUNT : (enum event_kind)kind;
}

/* Whole numbers that have to be there. */
static int64_t
event_parse_number(const struct place *place, const char *name, int64_t min)
{
	struct place member = place_member(place, name);

	if (!place_present(&member))
		place_problem(&member, "expected number, found %s", json_kind_name(member.value));
	return place_integer(place, name, 0, min, EXACT_MAX);
}

static enum event_next
event_parse_next(const struct place *place, struct arena *arena)
{
	const char *name = place_string(place, "next", NEED_OPTIONAL, arena);
	struct place member = place_member(place, "next");
	int next = event_find(name, nexts, EVENT_NEXT_COUNT);

	if (name && next <= EVENT_NEXT_NONE)
		place_problem(&member, "\"%.80s\" is none of \"retry\", \"undo\", \"failed\"", name);
	return next < 0 ? EVENT_NEXT_NONE : (enum event_next)next;
}

static void
event_parse_attempt(const struct place *place, struct arena *arena, struct event *event)
{
	struct place until = place_member(place, "until_boottime_ms"), action = place_member(place, "action");

	event->attempt = event_parse_number(place, "attempt", 1);
	event->action = place_string(place, "action", NEED_OPTIONAL, arena);
	if (event->action && action_of_name(event->action) == ACTION_NONE)
		place_problem(&action, "\"%.80s\" is no action", event->action);
	event->leased = place_present(&until);
	event->until_ms = place_integer(place, "until_boottime_ms", 0, 0, EXACT_MAX);
	event->next = event_parse_next(place, arena);
	event->ready_ms = place_integer(place, "ready_boottime_ms", 0, 0, EXACT_MAX);
}

static void
event_parse_result(const struct place *place, struct arena *arena, struct event *event)
{
	struct place result = place_member(place, "result");
	struct buffer text = {0};

	if (!place_object(&result, NEED_REQUIRED))
		return;
	event->status = event_parse_number(&result, "status", INT32_MIN);
	event->message = place_string(&result, "message", NEED_OPTIONAL, arena);
	json_dump(result.value, &text);
	event->result = arena_substring(arena, text.data, text.length);
	buffer_release(&text);
}

static void
event_parse_put(const struct place *place, struct arena *arena, struct event *event)
{
	event->job = name_parse(place, "job", NEED_REQUIRED, arena);
	event->cluster = name_parse(place, "cluster", NEED_REQUIRED, arena);
	event->tenant = name_parse(place, "tenant", NEED_REQUIRED, arena);
	event->provider = name_parse(place, "provider", NEED_OPTIONAL, arena);
	event->order = (uint64_t)place_integer(place, "order", 0, 0, EXACT_MAX);
	event->backoff_ms = place_integer(place, "backoff_ms", 0, 0, EXACT_MAX);
}

void
event_parse(const struct place *place, struct arena *arena, struct event *event)
{
	struct place time = place_member(place, "at");
	const char *at;
	bool attempt;

	*event = (struct event){.kind = EVENT_KIND_COUNT};
	if (!place_object(place, NEED_REQUIRED))
		return;
	document_check_kind(place, "event", NEED_REQUIRED);
	event_parse_kind(place, arena, event);
	event->seq = (uint64_t)event_parse_number(place, "seq", 1);
	event->synced = (uint64_t)place_integer(place, "synced", 0, 0, EXACT_MAX);
	at = place_string(place, "at", NEED_REQUIRED, arena);
	event->at_ms = at ? clock_parse_rfc3339(at) : 0;
	if (event->at_ms < 0)
		place_problem(&time, "\"%.80s\" is no time as \"2026-11-21T10:00:00.123Z\"", at);
	event->by = place_string(place, "by", NEED_OPTIONAL, arena);
	event->boot = place_string(place, "boot", NEED_OPTIONAL, arena);
	event->reason = place_string(place, "reason", NEED_OPTIONAL, arena);
	attempt = event_is_of_attempt(event->kind);
	event->task = name_parse(place, "task", attempt || event->kind == EVENT_SKIP ? NEED_REQUIRED : NEED_OPTIONAL, arena);
	if (attempt)
		event_parse_attempt(place, arena, event);
	if (event->kind == EVENT_DONE || event->kind == EVENT_FAIL)
		event_parse_result(place, arena, event);
	if (event->kind == EVENT_PUT)
		event_parse_put(place, arena, event);
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
