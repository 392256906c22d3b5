/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/record.h"
#include "model/print.h"
#include "queue/history.h"

static void
history_read_runs(const struct place *record, struct history_group *group)
{
	struct place list = place_member(record, "recent");

	if (!place_array(&list, NEED_REQUIRED))
		return;
	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place run = place_element(&list, i), ended, took;

		if (!place_array(&run, NEED_REQUIRED) || json_length(run.value) != 2) {
			place_problem(&run, "expected two numbers");
			continue;
		}
		ended = place_element(&run, 0);
		took = place_element(&run, 1);
		if (jv_get_kind(ended.value) != JV_KIND_NUMBER || jv_get_kind(took.value) != JV_KIND_NUMBER)
			place_problem(&run, "expected two numbers");
		else
			history_add_run(group, (int64_t)jv_number_value(ended.value), (int64_t)jv_number_value(took.value));
	}
}

static void
history_read_group(const struct place *record, struct history *history)
{
	struct arena *arena = &history->arena;
	const char *action = place_string(record, "action", NEED_REQUIRED, arena);
	const struct history_group kind = {.action = action ? action_of_name(action) : ACTION_NONE,
	    .service = history_text_of(place_string(record, "service", NEED_OPTIONAL, arena)),
	    .type = history_text_of(place_string(record, "type", NEED_REQUIRED, arena)),
	    .provider = history_text_of(place_string(record, "provider", NEED_OPTIONAL, arena)),
	    .imagetype = history_text_of(place_string(record, "imagetype", NEED_OPTIONAL, arena)),
	    .hardwaretype = history_text_of(place_string(record, "hardwaretype", NEED_OPTIONAL, arena))};
	struct history_group *group;

	if (kind.action == ACTION_NONE) {
		place_problem(record, "no action is named");
		return;
	}
	group = history_group(history, &kind);
	group->done += (size_t)place_integer(record, "done", 0, 0, INT64_MAX);
	group->failed += (size_t)place_integer(record, "failed", 0, 0, INT64_MAX);
	group->lost += (size_t)place_integer(record, "lost", 0, 0, INT64_MAX);
	group->retried += (size_t)place_integer(record, "retried", 0, 0, INT64_MAX);
	group->waited += (size_t)place_integer(record, "waited", 0, 0, INT64_MAX);
	history_read_runs(record, group);
}

static void
history_add_folded(struct history *history, const char *job, int64_t put_ms)
{
	ARRAY_ROOM(history->folded, history->folded_count, history->folded_capacity);
	history->folded[history->folded_count++] = (struct history_job){job, put_ms};
}

void
history_fold(struct history *history, const struct attempts *attempts)
{
	history_add_folded(history, arena_string(&history->arena, attempts->job), attempts->put_ms);
}

static void
history_read_folded(const struct place *record, struct history *history)
{
	const char *job = place_string(record, "job", NEED_REQUIRED, &history->arena);
	const char *put_at = place_string(record, "put_at", NEED_REQUIRED, &history->arena);

	if (job && put_at)
		history_add_folded(history, job, clock_parse_rfc3339(put_at));
}

int
history_read(struct history *history, struct record_reader *reader, struct error *err)
{
	struct problems problems = {0};
	struct place stream = place_root((jv){0}, &problems);
	int got;
	jv value;

	while ((got = record_read(reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = &problems};

		if (strcmp(record_kind(value), "folded") == 0)
			history_read_folded(&record, history);
		else if (strcmp(record_kind(value), "history") == 0)
			history_read_group(&record, history);
		jv_free(value);
	}
	if (got == 0)
		got = problems_error(&problems, reader->name, EX_DATAERR, err);
	problems_release(&problems);
	return got;
}

static void
history_print_group(const struct history_group *group, struct buffer *out)
{
	size_t first = group->run_count > HISTORY_RECENT ? group->run_count - HISTORY_RECENT : 0;
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(group->action));
	print_integer(&print, "done", (int64_t)group->done);
	print_integer(&print, "failed", (int64_t)group->failed);
	print_string(&print, "hardwaretype", *group->hardwaretype ? group->hardwaretype : NULL);
	print_string(&print, "imagetype", *group->imagetype ? group->imagetype : NULL);
	print_string(&print, "kind", "history");
	print_integer(&print, "lost", (int64_t)group->lost);
	print_name(&print, "recent");
	buffer_byte(out, '[');
	for (size_t i = first; i < group->run_count; i++)
		buffer_printf(out, "%s[%lld,%lld]", i > first ? "," : "", (long long)group->runs[i].ended_ms,
		    (long long)group->runs[i].took_ms);
	buffer_byte(out, ']');
	print_string(&print, "provider", *group->provider ? group->provider : NULL);
	print_integer(&print, "retried", (int64_t)group->retried);
	print_string(&print, "service", *group->service ? group->service : NULL);
	print_string(&print, "type", group->type);
	if (group->waited)
		print_integer(&print, "waited", (int64_t)group->waited);
	print_end(&print);
}

static void
history_print_folded(const struct history_job *folded, struct buffer *out)
{
	char at[CLOCK_RFC3339_SIZE];
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "job", folded->job);
	print_string(&print, "kind", "folded");
	print_string(&print, "put_at", clock_rfc3339(folded->put_ms, at));
	print_end(&print);
}

void
history_print(struct history *history, struct buffer *out)
{
	for (size_t i = 0; i < history->folded_count; i++)
		history_print_folded(&history->folded[i], out);
	for (size_t i = 0; i < history->keys.count; i++) {
		history_sort_runs(&history->groups[i]);
		history_print_group(&history->groups[i], out);
	}
}
