/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "history/report-path.h"
#include "queue/read.h"

const struct step *
report_step(const struct report *report, const struct attempt *attempt)
{
	return &report->attempts.plan.steps[attempt->step];
}

const char *
report_worker(const struct report *report, const struct attempt *attempt)
{
	return attempt->worker == NAMES_NONE ? "" : report->attempts.workers.list[attempt->worker];
}

const char *
report_status(const struct report *report)
{
	return report->attempts.outcome ? report->attempts.outcome : report->job.id[0] ? queue_status_name(report->job.status)
	                                                                           : "running";
}

const char *
report_why_name(enum report_why why)
{
	static const char *const names[REPORT_WHY_COUNT] = {"", "dependency", "node", "slot", "retry"};

	return names[why];
}

void
report_say_why(const struct report_link *link, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];

	if (link->why == REPORT_NODE)
		buffer_printf(out, "its node was busy for %s", clock_duration(link->held_ms, text));
	else if (link->why == REPORT_SLOT)
		buffer_printf(out, "no slot for %s", clock_duration(link->held_ms, text));
	else if (link->why == REPORT_RETRY)
		buffer_printf(out, "%s after the attempt before", clock_duration(link->waited_ms, text));
	else if (link->waited_ms > 0)
		buffer_printf(out, "%s after %s", clock_duration(link->waited_ms, text),
		    link->why == REPORT_FIRST ? "the start" : "it could");
}

double
report_utilisation(const struct report *report)
{
	double offered = (double)report->duration_ms * report->peak;

	return offered > 0 ? (double)report->work_ms / offered : 0;
}

const char *
report_output(struct queue *queue, const struct report *report, const struct attempt *attempt,
    struct arena *arena)
{
	if (!queue || !report->job.id[0])
		return NULL;
	return queue_log_tail(queue, report->job.id, report_step(report, attempt)->id, attempt->number, arena);
}

void
report_say_end(const struct attempt *attempt, struct buffer *out)
{
	static const char *const follows[EVENT_NEXT_COUNT] = {"", ", tried again", ", undone and tried again", ", cancelled"};

	switch (attempt->end) {
	case ATTEMPT_RUNNING:
		buffer_text(out, "running");
		return;
	case ATTEMPT_DONE:
		buffer_text(out, "done");
		return;
	case ATTEMPT_FAILED:
		buffer_printf(out, "failed with %lld", (long long)attempt->status);
		break;
	default:
		buffer_text(out, "lost");
		break;
	}
	buffer_text(out, follows[attempt->next]);
}

static void
report_count_attempt(struct report *report, uint32_t number)
{
	const struct attempt *attempt = &report->attempts.list[number];

	report->work_ms += attempt_took_ms(attempt);
	report->done += attempt->end == ATTEMPT_DONE;
	report->failed += attempt->end == ATTEMPT_FAILED;
	report->lost += attempt->end == ATTEMPT_LOST;
	report->running += attempt->end == ATTEMPT_RUNNING;
	report->retried += attempt->next == EVENT_NEXT_RETRY || attempt->next == EVENT_NEXT_UNDO;
	report->undone += attempt->next == EVENT_NEXT_UNDO;
	if (attempt->end == ATTEMPT_FAILED || attempt->end == ATTEMPT_LOST)
		report->trouble[report->trouble_count++] = number;
}

static int
report_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the largest number of attempts that ran at once. One that ends at an instant makes room for one that begins then. */
static uint32_t
report_find_peak(const struct attempts *attempts)
{
	size_t count = attempts->count, ended = 0;
	int64_t *starts = memory_zeroed(count, sizeof *starts), *ends = memory_zeroed(count, sizeof *ends);
	uint32_t peak = 0;

	for (size_t i = 0; i < count; i++) {
		starts[i] = attempts->list[i].start_ms;
		ends[i] = attempts->list[i].end_ms;
	}
	if (count > 0) {
		qsort(starts, count, sizeof *starts, report_compare_times);
		qsort(ends, count, sizeof *ends, report_compare_times);
	}
	for (size_t i = 0; i < count; i++) {
		while (ended < i && ends[ended] <= starts[i])
			ended++;
		if (i + 1 - ended > peak)
			peak = (uint32_t)(i + 1 - ended);
	}
	free(starts);
	free(ends);
	return peak;
}

void
report_make(struct report *report, struct attempts *attempts)
{
	size_t count = attempts->count;
	uint32_t *last_on_node;

	*report = (struct report){.attempts = *attempts, .start_ms = attempts->put_ms};
	*attempts = (struct attempts){0};
	report->duration_ms = report->attempts.last_ms > report->start_ms ? report->attempts.last_ms - report->start_ms : 0;
	report->trouble = memory_zeroed(count, sizeof *report->trouble);
	report->critical = memory_zeroed(count, sizeof *report->critical);
	report->before_on_node = memory_zeroed(count, sizeof *report->before_on_node);
	for (size_t i = 0; i < report->attempts.plan.count; i++)
		report->tasks += !report->attempts.plan.steps[i].is_milestone;
	for (size_t i = 0; i < count; i++)
		report_count_attempt(report, (uint32_t)i);
	report->peak = report_find_peak(&report->attempts);
	last_on_node = memory_zeroed(report->attempts.plan.layout.node_count, sizeof *last_on_node);
	for (size_t i = 0; i < count; i++) {
		uint32_t node = report->attempts.node_of[report->attempts.list[i].step];

		report->before_on_node[i] = last_on_node[node];
		last_on_node[node] = (uint32_t)i + 1;
	}
	free(last_on_node);
	report_find_path(report);
	history_add(&report->history, &report->attempts);
	history_sort(&report->history);
}

void
report_release(struct report *report)
{
	attempts_release(&report->attempts);
	history_release(&report->history);
	free(report->path);
	free(report->trouble);
	free(report->critical);
	free(report->before_on_node);
	*report = (struct report){0};
}
