/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "history/report-path.h"
#include "model/expectation.h"
#include "queue/read.h"

enum { LOG_BYTES = 512 * 1024 }; /* of a log that is embedded in a page */

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

const char *
report_cluster(const struct report *report)
{
	const char *name = report->attempts.plan.layout.cluster.name;

	return name ? name : report->attempts.plan.job.cluster;
}

const char *
report_node(const struct report *report, const struct attempt *attempt)
{
	const struct node *node = &report->attempts.plan.layout.nodes[report->attempts.node_of[attempt->step]];

	return node->hostname ? node->hostname : node->id;
}

void
report_say_action(const struct report *report, struct buffer *out)
{
	const char *action = report->operation ? report->operation : report->attempts.plan.job.action;

	for (const char *p = strncmp(action, "cluster_", 8) == 0 ? action + 8 : action; *p; p++)
		buffer_byte(out, *p == '_' ? ' ' : *p);
}

void
report_say_what(const struct report *report, const struct attempt *attempt, struct buffer *out)
{
	const struct step *step = report_step(report, attempt);

	buffer_printf(out, "%s %s%son %s", action_name(attempt->action), step->service ? step->service : "",
	    step->service ? " " : "", report_node(report, attempt));
	if (attempt->number > 1)
		buffer_printf(out, ", attempt %lld", (long long)attempt->number);
}

void
report_say_expected(const struct report *report, struct buffer *out)
{
	const struct job *job = &report->attempts.plan.job;
	char median[CLOCK_RFC3339_SIZE], p90[CLOCK_RFC3339_SIZE];

	if (job->runs > 0 && job->runs < EXPECTATION_RUNS)
		buffer_text(out, clock_duration((int64_t)(job->expected_s * 1000), median));
	else if (job->runs > 0)
		buffer_printf(out, "%s (90th percentile: %s)", clock_duration((int64_t)(job->expected_s * 1000), median),
		    clock_duration((int64_t)(job->expected_p90_s * 1000), p90));
	else
		buffer_text(out, "unknown");
}

void
report_say_why(const struct report_link *link, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];

	if (link->why == REPORT_NODE)
		buffer_printf(out, "its machine, which was busy for %s", clock_duration(link->held_ms, text));
	else if (link->why == REPORT_SLOT)
		buffer_printf(out, "a free worker, for %s", clock_duration(link->held_ms, text));
	else if (link->why == REPORT_RETRY)
		buffer_printf(out, "the next attempt, for %s", clock_duration(link->waited_ms, text));
	else if (link->waited_ms > 0)
		buffer_printf(out, "%s, for %s", link->why == REPORT_FIRST ? "the first worker" : "the task before",
		    clock_duration(link->waited_ms, text));
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

bool
report_whole_log(struct queue *queue, const struct report *report, const struct attempt *attempt, struct buffer *out)
{
	const char *task = report_step(report, attempt)->id;
	struct error ignored; /* then it has no log, or no more of it */
	char *bytes;
	ssize_t n;

	if (!queue || !report->job.id[0])
		return false;
	bytes = buffer_room(out, LOG_BYTES);
	n = queue_log_read(queue, report->job.id, task, attempt->number, -LOG_BYTES, bytes, LOG_BYTES, &ignored);
	for (ssize_t i = 0; i < n; i++) /* any byte may have been printed */
		bytes[i] = bytes[i] ? bytes[i] : '?';
	out->length += n > 0 ? (size_t)n : 0;
	out->data[out->length] = '\0';
	return n == LOG_BYTES;
}

void
report_say_end(const struct attempt *attempt, struct buffer *out)
{
	static const char *const follows[EVENT_NEXT_COUNT] = {"", ", retried", ", undone and retried", ""};

	switch (attempt->end) {
	case ATTEMPT_RUNNING:
		buffer_text(out, "running");
		return;
	case ATTEMPT_DONE:
		buffer_text(out, "done");
		return;
	case ATTEMPT_FAILED:
		buffer_printf(out, "failed with exit code %lld", (long long)attempt->status);
		break;
	default:
		buffer_text(out, "lost");
		break;
	}
	buffer_text(out, follows[attempt->next]);
}

/* Finds the first attempt with which a task failed for good, and neither was skipped nor tried again since. */
static void
report_find_cause(struct report *report)
{
	const struct attempts *attempts = &report->attempts;

	for (uint32_t i = 0; i < report->trouble_count && !report->cause; i++) {
		const struct attempt *attempt = &attempts->list[report->trouble[i]];

		if (attempt->next == EVENT_NEXT_FAILED && !attempts->skipped[attempt->step] &&
		    attempts->last[attempt->step] == report->trouble[i] + 1)
			report->cause = report->trouble[i] + 1;
	}
}

static void
report_count_attempt(struct report *report, uint32_t number)
{
	const struct attempt *attempt = &report->attempts.list[number];
	const bool waits = attempt_is_wait(attempt);

	report->work_ms += attempt_took_ms(attempt);
	report->done += attempt->end == ATTEMPT_DONE;
	report->waited += waits;
	report->failed += attempt->end == ATTEMPT_FAILED && !waits;
	report->lost += attempt->end == ATTEMPT_LOST;
	report->running += attempt->end == ATTEMPT_RUNNING;
	report->retried += !waits && (attempt->next == EVENT_NEXT_RETRY || attempt->next == EVENT_NEXT_UNDO);
	report->undone += attempt->next == EVENT_NEXT_UNDO;
	if (!waits && (attempt->end == ATTEMPT_FAILED || attempt->end == ATTEMPT_LOST))
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
	report_find_cause(report);
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
