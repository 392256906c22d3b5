/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-path.h"

#include <stdlib.h>

enum { PASSES_MAX = 100, SOON_MS = 100 };

struct ended {
	int64_t end_ms;
	uint32_t attempt;
};

struct walk {
	struct report *report;
	uint32_t *freed_by;  /* by step: link to the attempt with whose end all that it comes after was done; 0: none */
	bool *is_free;       /* by step: all that it comes after is done */
	struct ended *by_end; /* attempts in the order they ended */
	int64_t soon_ms;     /* what begins so soon after something did not wait for anything else */
};

/* Tells if a step is done, and by which attempt: of a milestone, that of the last step before it. */
static bool
report_is_done(const struct walk *walk, uint32_t step, uint32_t *by)
{
	const struct attempts *attempts = &walk->report->attempts;
	uint32_t link = attempts->last[step];

	if (attempts->plan.steps[step].is_milestone) {
		*by = walk->freed_by[step];
		return walk->is_free[step];
	}
	*by = link;
	if (attempts->skipped[step])
		return true;
	return link && attempts->list[link - 1].end == ATTEMPT_DONE && !attempts->list[link - 1].undoing;
}

/* Looks whether all before a step is done by now. */
static bool
report_find_freed(const struct walk *walk, uint32_t number)
{
	const struct attempts *attempts = &walk->report->attempts;
	const struct step *step = &attempts->plan.steps[number];

	for (size_t i = 0; i < step->after.count; i++) {
		int before = names_find(&attempts->steps, step->after.list[i]);
		uint32_t by = 0, *last = &walk->freed_by[number];

		if (before == NAMES_NONE || !report_is_done(walk, (uint32_t)before, &by))
			return false;
		if (by && (*last == 0 || attempts->list[by - 1].end_ms > attempts->list[*last - 1].end_ms))
			*last = by;
	}
	return true;
}

/* Steps stand behind what they come after, so that one pass does; where they do not, some more. */
static void
report_find_all_freed(const struct walk *walk)
{
	bool changed = true;

	for (int pass = 0; changed && pass < PASSES_MAX; pass++) {
		changed = false;
		for (uint32_t i = 0; i < walk->report->attempts.plan.count; i++)
			if (!walk->is_free[i] && report_find_freed(walk, i))
				changed = walk->is_free[i] = true;
	}
}

static int
report_compare_ends(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->end_ms != y->end_ms)
		return (x->end_ms > y->end_ms) - (x->end_ms < y->end_ms);
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* The attempt that ended last before an instant, among those that had begun before attempt; a link, 0: none behind from_ms. */
static uint32_t
report_ended_before(const struct walk *walk, uint32_t attempt, int64_t from_ms, int64_t until_ms)
{
	size_t low = 0, high = walk->report->attempts.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (walk->by_end[middle].end_ms <= until_ms)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && walk->by_end[low - 1].end_ms > from_ms; low--)
		if (walk->by_end[low - 1].attempt < attempt)
			return walk->by_end[low - 1].attempt + 1;
	return 0;
}

/* Returns the link to the attempt that another one waited for last, 0 if it waited for none. */
static uint32_t
report_path_find_cause(const struct walk *walk, struct report_link *link)
{
	const struct report *report = walk->report;
	const struct attempt *attempts = report->attempts.list, *attempt = &attempts[link->attempt];
	uint32_t cause = attempt->previous, node = report->before_on_node[link->attempt], slot;
	int64_t since_ms, free_ms;

	link->why = cause ? REPORT_RETRY : REPORT_AFTER;
	if (!cause)
		cause = walk->freed_by[attempt->step];
	if (!cause)
		link->why = REPORT_FIRST;
	since_ms = free_ms = cause ? attempts[cause - 1].end_ms : report->start_ms;
	if (link->why != REPORT_RETRY && node && attempts[node - 1].end_ms > since_ms &&
	    attempt->start_ms - since_ms > walk->soon_ms) {
		cause = node;
		link->why = REPORT_NODE;
		since_ms = attempts[node - 1].end_ms;
	}
	if (link->why != REPORT_RETRY && attempt->start_ms - since_ms > walk->soon_ms &&
	    (slot = report_ended_before(walk, link->attempt, since_ms, attempt->start_ms)) != 0) {
		cause = slot;
		link->why = REPORT_SLOT;
		since_ms = attempts[slot - 1].end_ms;
	}
	link->waited_ms = attempt->start_ms > since_ms ? attempt->start_ms - since_ms : 0;
	if ((link->why == REPORT_NODE || link->why == REPORT_SLOT) && attempt->start_ms > free_ms)
		link->held_ms = attempt->start_ms - free_ms;
	/* A clock that was set back must not lead in a circle. */
	return cause - 1 < link->attempt ? cause : 0;
}

static void
report_walk_back(const struct walk *walk)
{
	struct report *report = walk->report;
	uint32_t link = report->attempts.count ? walk->by_end[report->attempts.count - 1].attempt + 1 : 0, capacity = 0;

	while (link) {
		struct report_link *last;

		ARRAY_ROOM(report->path, report->path_count, capacity);
		last = &report->path[report->path_count++];
		*last = (struct report_link){.attempt = link - 1};
		report->critical[link - 1] = true;
		link = report_path_find_cause(walk, last);
		report->path_work_ms += attempt_took_ms(&report->attempts.list[last->attempt]);
		report->path_wait_ms[last->why] += last->waited_ms;
	}
	/* The first one comes first. */
	for (uint32_t i = 0; i < report->path_count / 2; i++) {
		struct report_link swap = report->path[i];

		report->path[i] = report->path[report->path_count - 1 - i];
		report->path[report->path_count - 1 - i] = swap;
	}
}

/* From when it could have begun to when it did: as long as its node was busy, for that; then for a slot. */
static void
report_sum_up_waiting(const struct walk *walk)
{
	struct report *report = walk->report;
	const struct attempts *attempts = &report->attempts;

	for (size_t i = 0; i < attempts->count; i++) {
		const struct attempt *attempt = &attempts->list[i];
		uint32_t freed = walk->freed_by[attempt->step], node = report->before_on_node[i];
		int64_t since_ms = freed ? attempts->list[freed - 1].end_ms : report->start_ms;
		int64_t node_ms = node ? attempts->list[node - 1].end_ms : since_ms;

		if (attempt->previous)
			continue;
		if (node_ms > attempt->start_ms)
			node_ms = attempt->start_ms;
		if (node_ms > since_ms)
			report->node_wait_ms += node_ms - since_ms;
		if (node_ms > since_ms)
			since_ms = node_ms;
		if (attempt->start_ms > since_ms)
			report->slot_wait_ms += attempt->start_ms - since_ms;
	}
}

void
report_find_path(struct report *report)
{
	const struct attempts *attempts = &report->attempts;
	size_t steps = attempts->plan.count;
	struct walk walk = {.report = report, .freed_by = memory_zeroed(steps, sizeof *walk.freed_by),
	    .is_free = memory_zeroed(steps, sizeof *walk.is_free),
	    .by_end = memory_zeroed(attempts->count, sizeof *walk.by_end),
	    .soon_ms = report->duration_ms / 100 < SOON_MS ? report->duration_ms / 100 : SOON_MS};

	report_find_all_freed(&walk);
	for (size_t i = 0; i < attempts->count; i++)
		walk.by_end[i] = (struct ended){attempts->list[i].end_ms, (uint32_t)i};
	if (attempts->count)
		qsort(walk.by_end, attempts->count, sizeof *walk.by_end, report_compare_ends);
	report_walk_back(&walk);
	report_sum_up_waiting(&walk);
	free(walk.freed_by);
	free(walk.is_free);
	free(walk.by_end);
}
