/* SPDX-License-Identifier: Apache-2.0
 *
 * watch: what happens, as it happens, a line each.
 */
#include "verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/table.h"
#include "model/name.h"
#include "model/show/output.h"
#include "queue/read.h"

static const char *spool, *format, *colour, *since;
static bool only_past;
static struct option_list nodes, services;

static const struct option_spec options[] = {
	OPTION_STRING(0, "since", &since, "WHEN", "begin at: start, 90s, 10m, 2h or 1d ago, or a time (default: now)"),
	OPTION_FLAG(0, "no-follow", &only_past, "show the events up to now, and exit with 0"),
	OPTION_LIST('N', "node", &nodes, "NODE", "only tasks on the node with this id; may be repeated"),
	OPTION_LIST('s', "service", &services, "SERVICE", "only tasks of this service; may be repeated"),
	OPTION_STRING('o', "output", &format, OUTPUT_TEXT, "output format (default: text)"),
	OPTION_COLOUR(&colour),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue watch", "[OPTION]... [JOB]...",
	"Show what happens as it happens, until the jobs named are finished (1: one is not complete).", options,
	"  coopr-queue watch\n"
	"  coopr-queue watch --since start 00000042-001\n"
	"  coopr-queue watch -o json | jq -r 'select(.event==\"fail\").task'\n"};

struct start { /* of an attempt that runs */
	char *task; /* "JOB TASK ATTEMPT" */
	int64_t at_ms;
};

struct watching {
	struct queue *queue;
	struct output output;
	bool one; /* job, which need not be named */
	struct start *starts;
	size_t count, capacity;
};

/* The wall clock at --since; exits where it is none. */
static int64_t
watch_verb_since_ms(void)
{
	static const char units[] = "smhd";
	static const int64_t unit_s[] = {1, 60, 60 * 60, 24 * 60 * 60};
	size_t digits = since ? strspn(since, "0123456789") : 0;
	const char *unit = digits && digits < 9 ? strchr(units, since[digits]) : NULL;
	int64_t at;

	if (!since)
		return QUEUE_NOW;
	if (strcmp(since, "start") == 0)
		return 0;
	if (unit && *unit && !since[digits + 1])
		return clock_wall_ms() - atoll(since) * unit_s[unit - units] * 1000;
	at = clock_parse_rfc3339(since);
	if (at < 0)
		exit(option_misuse(&command, "--since %s: expected start, a time as 90s, 10m, 2h, 1d, or 2026-11-21T10:00:00Z",
		    since));
	return at;
}

static void
watch_verb_print_record(const struct queue_event *next, struct output *output)
{
	struct buffer line = {0};

	queue_event_record(next, &line);
	output_lines(output, &line);
	buffer_release(&line);
}

/* Returns the task that an event is about, in the arena; NULL where it is about none, or the job cannot be asked. */
static const struct queue_task_status *
watch_verb_task(struct watching *watching, const struct queue_event *next, struct arena *arena)
{
	const struct queue_filter filter = {.task = next->event.task};
	struct queue_task_status *task;
	struct error ignored;
	size_t count = 0;

	if (!next->event.task || queue_tasks(watching->queue, next->job, &filter, arena, &task, &count, &ignored) < 0)
		return NULL;
	return count > 0 ? task : NULL;
}

/* Returns whether an event is about a task on one of the nodes, and of one of the services, that were named. */
static bool
watch_verb_is_meant(struct watching *watching, const struct queue_event *next)
{
	const struct queue_task_status *task;
	struct arena arena = {0};
	bool meant;

	if (nodes.count == 0 && services.count == 0)
		return true;
	task = watch_verb_task(watching, next, &arena);
	meant = task && (nodes.count == 0 || name_list_has(&(struct string_list){nodes.list, nodes.count}, task->node)) &&
	    (services.count == 0 || name_list_has(&(struct string_list){services.list, services.count}, task->service));
	arena_release(&arena);
	return meant;
}

/* "install zk on 00000042-1000", as far as the job can be asked. */
static void
watch_verb_say_what(struct watching *watching, const struct queue_event *next, struct buffer *line)
{
	struct arena arena = {0};
	const struct queue_task_status *task = watch_verb_task(watching, next, &arena);

	buffer_printf(line, " %s", next->event.task);
	if (task)
		buffer_printf(line, " %s%s%s on %s", next->event.action ? next->event.action : action_name(task->planned),
		    *task->service ? " " : "", task->service, task->node);
	arena_release(&arena);
}

static char *
watch_verb_name_of(const struct queue_event *next)
{
	return memory_printf("%s %s %" PRId64, next->job, next->event.task, next->event.attempt);
}

/* Appends how long the attempt took, if its start was seen. */
static void
watch_verb_say_took(struct watching *watching, const struct queue_event *next, struct buffer *line)
{
	char *name = watch_verb_name_of(next), took[CLOCK_RFC3339_SIZE];
	size_t i = 0;

	while (i < watching->count && strcmp(watching->starts[i].task, name) != 0)
		i++;
	free(name);
	if (i == watching->count)
		return;
	if (next->event.at_ms >= watching->starts[i].at_ms)
		buffer_printf(line, " in %s", clock_duration(next->event.at_ms - watching->starts[i].at_ms, took));
	free(watching->starts[i].task);
	watching->starts[i] = watching->starts[--watching->count];
}

static enum terminal_style
watch_verb_say_attempt(struct watching *watching, const struct queue_event *next, struct buffer *line)
{
	static const char *const follows[EVENT_NEXT_COUNT] = {"", "; it is retried", "; it is undone, and then retried",
	    "; it has failed"};
	const struct event *event = &next->event;

	watch_verb_say_what(watching, next, line);
	switch (event->kind) {
	case EVENT_TAKE:
		ARRAY_ROOM(watching->starts, watching->count, watching->capacity);
		watching->starts[watching->count++] = (struct start){watch_verb_name_of(next), event->at_ms};
		buffer_printf(line, ": started by %s", event->by ? event->by : "?");
		if (event->attempt > 1)
			buffer_printf(line, ", attempt %" PRId64, event->attempt);
		return STYLE_PLAIN;
	case EVENT_DONE:
		buffer_text(line, ": done");
		watch_verb_say_took(watching, next, line);
		if (event->message)
			buffer_printf(line, ": %s", event->message);
		return event->message ? STYLE_WARN : STYLE_GOOD;
	case EVENT_FAIL:
		buffer_printf(line, ": failed with %" PRId64, event->status);
		watch_verb_say_took(watching, next, line);
		if (event->message)
			buffer_printf(line, ": %s", event->message);
		break;
	default:
		buffer_text(line, ": lost");
		watch_verb_say_took(watching, next, line);
		buffer_printf(line, ": %s", event->reason ? event->reason : "?");
		break;
	}
	buffer_text(line, follows[event->next]);
	return event->next == EVENT_NEXT_FAILED ? STYLE_BAD : STYLE_WARN;
}

static enum terminal_style
watch_verb_say(struct watching *watching, const struct queue_event *next, struct buffer *line)
{
	const struct event *event = &next->event;
	char at[CLOCK_RFC3339_SIZE];

	buffer_text(line, clock_seconds(event->at_ms, at));
	if (!watching->one)
		buffer_printf(line, " %s", next->job);
	if (event->task && event->kind != EVENT_RETRY && event->kind != EVENT_SKIP)
		return watch_verb_say_attempt(watching, next, line);
	buffer_printf(line, " %s", event_name(event->kind));
	if (event->task)
		buffer_printf(line, " %s", event->task);
	if (event->reason)
		buffer_printf(line, ": %s", event->reason);
	if (event->by)
		buffer_printf(line, " by %s", event->by);
	return STYLE_BOLD;
}

static void
watch_verb_print_text(struct watching *watching, const struct queue_event *next)
{
	static const char *const columns[] = {"", NULL};
	struct buffer line = {0};
	enum terminal_style style = watch_verb_say(watching, next, &line);
	struct table table = {0};

	table_columns(&table, columns);
	table_cell(&table, style, "%s", line.data);
	table_print(&table, stdout, watching->output.colour, false);
	table_release(&table);
	buffer_release(&line);
}

static int
watch_verb_watch(struct watching *watching, struct queue_follow *follow)
{
	struct queue_event next;
	struct error err;
	int got;

	while ((got = queue_follow_next(follow, &next, &err)) > 0) {
		if (!watch_verb_is_meant(watching, &next))
			continue;
		if (output_is_records(&watching->output))
			watch_verb_print_record(&next, &watching->output);
		else
			watch_verb_print_text(watching, &next);
		/* A reader waits for each line; when it leaves, there is nobody to watch for. */
		if (message_flush() < 0)
			exit(message_end(0));
	}
	if (got < 0 && message_reader_left())
		exit(0);
	return got < 0 ? message_error(&err) : 0;
}

/* 0 where all jobs named are complete. */
static int
watch_verb_outcome(struct queue *queue, char *const *jobs)
{
	struct queue_job job;
	struct error err;
	int code = 0;

	for (; *jobs; jobs++)
		if (queue_status_of(queue, *jobs, &job, &err) < 0 || job.status != QUEUE_COMPLETE)
			code = EX_NO;
	return code;
}

int
verb_watch(int argc, char **argv)
{
	struct watching watching = {0};
	struct queue_follow *follow;
	struct error err;
	int64_t from_ms;
	int code;

	argv += option_parse(&command, argc, argv);
	watching.one = argv[0] && !argv[1];
	watching.output = output_open(format, colour);
	from_ms = watch_verb_since_ms();
	watching.queue = verb_open(spool, QUEUE_READ);
	follow = queue_follow(watching.queue, &(struct queue_follow_options){.jobs = argv, .since_ms = from_ms, .past = only_past}, &err);

	code = follow ? watch_verb_watch(&watching, follow) : message_error(&err);
	if (code == 0 && !only_past)
		code = watch_verb_outcome(watching.queue, argv);

	queue_follow_close(follow);
	while (watching.count > 0)
		free(watching.starts[--watching.count].task);
	free(watching.starts);
	queue_close(watching.queue);
	return message_end(code);
}
