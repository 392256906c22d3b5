/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "json/record.h"
#include "model/event.h"
#include "model/plan.h"

struct track { /* a step of the plan, by its number in the names */
	int64_t taken_ms; /* its attempt that is not over began then; 0: there is none */
	int64_t took_ms;  /* all attempts together */
	int64_t end_ms;   /* took_ms and the longest way that leads to it */
};

struct tracks {
	struct arena arena; /* holds the names */
	struct names names;
	struct track *list;
	size_t capacity;
	int64_t put_ms, last_ms;
};

/* Returns the track of a step, which is valid until the next is added. */
static struct track *
efficiency_track_of(struct tracks *tracks, const char *id)
{
	int known = names_find(&tracks->names, id);
	size_t number = known != NAMES_NONE ? (size_t)known
	                                    : (size_t)names_intern(&tracks->names, arena_string(&tracks->arena, id));

	while (number >= tracks->capacity) {
		size_t before = tracks->capacity;

		tracks->capacity = before ? 2 * before : 64;
		tracks->list = memory_resize(tracks->list, tracks->capacity, sizeof *tracks->list);
		memset(tracks->list + before, 0, (tracks->capacity - before) * sizeof *tracks->list);
	}
	return &tracks->list[number];
}

static void
efficiency_take_event(struct tracks *tracks, const struct place *record)
{
	struct arena arena = {0};
	struct event event;
	struct track *track;

	event_parse(record, &arena, &event);
	track = event.task ? efficiency_track_of(tracks, event.task) : NULL;
	switch (event.kind) {
	case EVENT_PUT:
		tracks->put_ms = event.at_ms;
		break;
	case EVENT_TAKE:
		if (track)
			track->taken_ms = event.at_ms;
		break;
	case EVENT_DONE:
	case EVENT_FAIL:
	case EVENT_LOST:
		if (track && track->taken_ms) {
			track->took_ms += event.at_ms - track->taken_ms;
			track->taken_ms = 0;
		}
		tracks->last_ms = event.at_ms;
		break;
	default:
		break;
	}
	arena_release(&arena);
}

/* Takes a step of the plan. All that it waits for stands before it, in a topological order, and is measured already. */
static void
efficiency_take_step(struct tracks *tracks, const struct place *record)
{
	struct arena arena = {0};
	int64_t longest = 0;
	struct step step;

	step_parse(record, &arena, &step);
	for (size_t i = 0; step.id && i < step.after.count; i++) {
		const struct track *before = efficiency_track_of(tracks, step.after.list[i]);

		if (before->end_ms > longest)
			longest = before->end_ms;
	}
	if (step.id) {
		struct track *track = efficiency_track_of(tracks, step.id);

		track->end_ms = longest + track->took_ms;
	}
	arena_release(&arena);
}

/* Hands each record of the file that has this kind, or the other, to take. */
static int
efficiency_each_record(const char *path, const char *kind, const char *other, struct tracks *tracks,
    void (*take)(struct tracks *, const struct place *), struct error *err)
{
	struct problems problems = {0}; /* the queue has checked these records when it took or wrote them */
	struct record_reader reader;
	int got = record_reader_open(&reader, path, err);
	jv record;

	while (got == 0 && (got = record_read(&reader, &record, err)) > 0) {
		struct place place = place_root(record, &problems);

		if (strcmp(record_kind(record), kind) == 0 || strcmp(record_kind(record), other) == 0)
			take(tracks, &place);
		jv_free(record);
		got = 0;
	}
	record_reader_release(&reader);
	problems_release(&problems);
	return got;
}

int
efficiency_measure(const char *plan, const char *events, struct efficiency *efficiency, struct error *err)
{
	struct tracks tracks = {0};
	int result = efficiency_each_record(events, "event", "event", &tracks, efficiency_take_event, err);

	if (result == 0)
		result = efficiency_each_record(plan, "task", "milestone", &tracks, efficiency_take_step, err);
	*efficiency = (struct efficiency){.passed_ms = tracks.last_ms ? tracks.last_ms - tracks.put_ms : 0}; /* without tasks nothing has ended */
	for (size_t i = 0; i < tracks.names.count; i++)
		if (tracks.list[i].end_ms > efficiency->path_ms)
			efficiency->path_ms = tracks.list[i].end_ms;
	names_release(&tracks.names);
	arena_release(&tracks.arena);
	free(tracks.list);
	return result;
}
