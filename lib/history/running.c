/* SPDX-License-Identifier: Apache-2.0 */
#include "history/running.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "history/forecast.h"
#include "queue/read.h"

enum { DETAILS_MAX = 64 }; /* of more tasks than these no events and outputs are read: nobody could follow them */

struct tasks {
	const struct queue_task_status *list;
	size_t count;
};

struct page {
	struct arena *arena;
	const struct forecast *forecast;
	const char **lines;
	size_t count;
	const char *cluster; /* whose name nodes begin with */
	bool waiting;        /* for the first of the tasks */
	int64_t now_ms;
};

/* Returns the node's number if its id has the usual form, else the id. */
static const char *
running_node_of(const struct page *page, const char *id)
{
	size_t length = strlen(page->cluster);

	return strncmp(id, page->cluster, length) == 0 && id[length] == '-' ? id + length + 1 : id;
}

/* Returns the last line that is not blank; "" if there is none. */
static const char *
running_last_line(const char *output, struct arena *arena)
{
	size_t end = output ? strlen(output) : 0, start;

	while (end && strchr(" \t\r\n", output[end - 1]))
		end--;
	for (start = end; start && output[start - 1] != '\n' && output[start - 1] != '\r'; start--)
		;
	return end ? arena_substring(arena, output + start, end - start) : "";
}

/* Returns ", 31 s of about 45 s: Unpacking nginx (1.22.1)". */
static const char *
running_state_of(const struct page *page, const struct queue_task_status *task)
{
	char time[CLOCK_RFC3339_SIZE] = "";
	const char *why = task->message ? task->message : task->reason ? task->reason : "", *said;

	if (task->status == STEP_FAILED)
		return arena_printf(page->arena, " failed%s%s", *why ? ": " : "", why);
	if (task->status == STEP_DELAYED)
		return arena_printf(page->arena, ", again in %s%s%s", clock_duration(task->due_ms, time), *why ? ": " : "", why);
	if (!task->at_ms)
		return "";
	said = running_last_line(task->output, page->arena);
	return arena_printf(page->arena, ", %s%s%s", forecast_say(page->forecast, task, page->now_ms, page->arena), *said ? ": " : "",
	    said);
}

/* Adds a line for a task; that of the one that is waited for says so. */
static void
running_add_line(struct page *page, const struct queue_task_status *task, bool waited_for)
{
	char attempt[32] = "";

	if (task->attempt > 1)
		snprintf(attempt, sizeof attempt, ", attempt %" PRId64, task->attempt);
	page->lines[page->count++] = arena_printf(page->arena, "%s %s %s%son %s%s%s", waited_for ? "waiting for:" : " ", task->action,
	    task->service, *task->service ? " " : "", running_node_of(page, task->node), attempt, running_state_of(page, task));
}

/* Puts the running task that the end of the job depends on most before all others, and returns whether there is one. */
static bool
running_put_waited_for_first(const struct page *page, struct queue_task_status *list, size_t count)
{
	size_t first = count;
	struct queue_task_status task;

	for (size_t i = 0; i < count; i++)
		if (list[i].status == STEP_RUNNING && (first == count ||
		    forecast_way_ms(page->forecast, &list[i], page->now_ms) > forecast_way_ms(page->forecast, &list[first], page->now_ms)))
			first = i;
	if (first == count)
		return false;
	task = list[first];
	memmove(list + 1, list, first * sizeof *list);
	list[0] = task;
	return true;
}

static void
running_add_lines(struct page *page, const struct tasks *tasks, unsigned wanted, size_t end)
{
	for (size_t i = 0; i < tasks->count && page->count < end; i++)
		if (wanted & 1u << tasks->list[i].status)
			running_add_line(page, &tasks->list[i], i == 0 && page->waiting && tasks->list[i].status == STEP_RUNNING);
}

const char **
running_lines(struct queue *queue, const struct queue_job *job, const struct forecast *forecast, size_t room, struct arena *arena,
    struct error *err)
{
	struct page page = {.arena = arena, .forecast = forecast, .cluster = job->cluster, .now_ms = clock_wall_ms()};
	bool details = job->running + job->failed + job->delayed <= DETAILS_MAX;
	const struct queue_filter filter = {.statuses = 1u << STEP_RUNNING | 1u << STEP_FAILED | 1u << STEP_DELAYED, .details = details};
	size_t wrong = job->failed + job->delayed, lines;
	struct queue_task_status *list;
	struct tasks tasks;

	if (queue_tasks(queue, job->id, &filter, arena, &list, &tasks.count, err) < 0)
		return NULL;
	page.waiting = running_put_waited_for_first(&page, list, tasks.count);
	tasks.list = list;
	page.lines = arena_alloc(arena, room + 1, sizeof *page.lines);
	if (room == 0)
		return page.lines;
	/* The tasks that run come before those that went wrong, with room for some of both; the last line counts those left out. */
	lines = tasks.count > room ? room - 1 : room;
	running_add_lines(&page, &tasks, 1u << STEP_RUNNING, wrong > lines / 2 ? lines - lines / 2 : lines - wrong);
	running_add_lines(&page, &tasks, 1u << STEP_FAILED | 1u << STEP_DELAYED, lines);
	if (page.count < tasks.count)
		page.lines[page.count] = arena_printf(arena, "  and %zu more", tasks.count - page.count);
	return page.lines;
}
