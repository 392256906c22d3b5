/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/history.h"

#include <stdlib.h>
#include <string.h>

struct history_group *
history_group(struct history *history, const struct history_group *kind)
{
	struct arena *arena = &history->arena;
	/* None of them has a blank in its name. */
	char *key = memory_printf("%s %s %s %s %s %s", action_name(kind->action), kind->service, kind->type, kind->provider,
	    kind->imagetype, kind->hardwaretype);
	int number = names_find(&history->keys, key);

	if (number == NAMES_NONE) {
		number = names_intern(&history->keys, arena_string(arena, key));
		if (history->keys.count > history->group_capacity) {
			history->group_capacity = history->keys.capacity;
			history->groups = memory_resize(history->groups, history->group_capacity, sizeof *history->groups);
		}
		history->groups[number] = (struct history_group){.action = kind->action,
		    .service = arena_string(arena, kind->service), .type = arena_string(arena, kind->type),
		    .provider = arena_string(arena, kind->provider), .imagetype = arena_string(arena, kind->imagetype),
		    .hardwaretype = arena_string(arena, kind->hardwaretype)};
	}
	free(key);
	return &history->groups[number];
}

void
history_add_run(struct history_group *group, int64_t ended_ms, int64_t took_ms)
{
	ARRAY_ROOM(group->runs, group->run_count, group->run_capacity);
	group->runs[group->run_count++] = (struct history_run){ended_ms, took_ms};
}

const char *
history_text_of(const char *text)
{
	return text ? text : "";
}

/* Returns how long a task took that is done: its last attempt; of a check also those before, which said that the service is not
 * healthy yet. */
static int64_t
history_took_ms(const struct attempts *attempts, const struct attempt *attempt)
{
	const struct attempt *first = attempt;

	while (action_table[attempt->action].is_check && first->previous &&
	    attempts->list[first->previous - 1].next == EVENT_NEXT_RETRY)
		first = &attempts->list[first->previous - 1];
	return attempt->end_ms > first->start_ms ? attempt->end_ms - first->start_ms : 0;
}

static void
history_add_attempt(struct history *history, const struct attempts *attempts, const struct attempt *attempt)
{
	const struct step *step = &attempts->plan.steps[attempt->step];
	const struct layout *layout = &attempts->plan.layout;
	const struct node *node = &layout->nodes[attempts->node_of[attempt->step]];
	const struct history_group kind = {.action = attempt->action,
	    .service = action_is_hardware(attempt->action) ? "" : history_text_of(step->service), .type = step->type,
	    .provider = history_text_of(layout->cluster.provider.name), .imagetype = history_text_of(node->imagetype),
	    .hardwaretype = history_text_of(node->hardwaretype)};
	struct history_group *group = history_group(history, &kind);

	group->done += attempt->end == ATTEMPT_DONE;
	group->failed += attempt->end == ATTEMPT_FAILED && !attempt_is_wait(attempt);
	group->lost += attempt->end == ATTEMPT_LOST;
	group->retried += !attempt_is_wait(attempt) && (attempt->next == EVENT_NEXT_RETRY || attempt->next == EVENT_NEXT_UNDO);
	group->waited += attempt_is_wait(attempt);
	if (attempt->end == ATTEMPT_DONE)
		history_add_run(group, attempt->end_ms, history_took_ms(attempts, attempt));
}

bool
history_add(struct history *history, const struct attempts *attempts)
{
	for (size_t i = 0; i < history->folded_count; i++)
		if (history->folded[i].put_ms == attempts->put_ms && strcmp(history->folded[i].job, attempts->job) == 0)
			return false;
	for (size_t i = 0; i < attempts->count; i++)
		if (attempts->list[i].end != ATTEMPT_RUNNING)
			history_add_attempt(history, attempts, &attempts->list[i]);
	return true;
}

static int
history_compare_groups(const void *a, const void *b)
{
	const struct history_group *x = a, *y = b;
	int order = (int)x->action - (int)y->action;

	if (order == 0)
		order = strcmp(x->service, y->service);
	if (order == 0)
		order = strcmp(x->type, y->type);
	if (order == 0)
		order = strcmp(x->provider, y->provider);
	if (order == 0)
		order = strcmp(x->imagetype, y->imagetype);
	return order ? order : strcmp(x->hardwaretype, y->hardwaretype);
}

static int
history_compare_times(const void *a, const void *b)
{
	const struct history_run *x = a, *y = b;

	if (x->ended_ms != y->ended_ms)
		return (x->ended_ms > y->ended_ms) - (x->ended_ms < y->ended_ms);
	return (x->took_ms > y->took_ms) - (x->took_ms < y->took_ms);
}

void
history_sort_runs(struct history_group *group)
{
	if (group->run_count)
		qsort(group->runs, group->run_count, sizeof *group->runs, history_compare_times);
}

void
history_sort(struct history *history)
{
	if (history->keys.count)
		qsort(history->groups, history->keys.count, sizeof *history->groups, history_compare_groups);
	for (size_t i = 0; i < history->keys.count; i++)
		history_sort_runs(&history->groups[i]);
}

static bool
history_is_same_task(const struct history_group *a, const struct history_group *b)
{
	return a->action == b->action && strcmp(a->service, b->service) == 0 && strcmp(a->type, b->type) == 0;
}

void
history_merge(const struct history *history, size_t *next, struct history_group *merged)
{
	const struct history_group *first = &history->groups[*next];

	*merged = (struct history_group){.action = first->action, .service = first->service, .type = first->type,
	    .provider = "", .imagetype = "", .hardwaretype = ""};
	for (; *next < history->keys.count && history_is_same_task(first, &history->groups[*next]); ++*next) {
		const struct history_group *one = &history->groups[*next];

		merged->done += one->done;
		merged->failed += one->failed;
		merged->lost += one->lost;
		merged->retried += one->retried;
		merged->waited += one->waited;
		for (size_t i = 0; i < one->run_count; i++)
			history_add_run(merged, one->runs[i].ended_ms, one->runs[i].took_ms);
	}
	history_sort_runs(merged);
}

void
history_group_release(struct history_group *group)
{
	free(group->runs);
	*group = (struct history_group){0};
}

static int
history_compare_integers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t
history_quantile_ms(const struct history_group *group, double q)
{
	int64_t *took, value;

	if (group->run_count == 0)
		return -1;
	took = memory_zeroed(group->run_count, sizeof *took);
	for (size_t i = 0; i < group->run_count; i++)
		took[i] = group->runs[i].took_ms;
	qsort(took, group->run_count, sizeof *took, history_compare_integers);
	value = took[(size_t)(q * (double)(group->run_count - 1) + 0.5)];
	free(took);
	return value;
}

void
history_release(struct history *history)
{
	for (size_t i = 0; i < history->keys.count; i++)
		free(history->groups[i].runs);
	free(history->groups);
	free(history->folded);
	names_release(&history->keys);
	arena_release(&history->arena);
	*history = (struct history){0};
}
