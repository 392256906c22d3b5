/* SPDX-License-Identifier: Apache-2.0 */
#include "history/stats.h"

#include <stdlib.h>

#include "base/error.h"
#include "queue/read.h"

int
stats_add_queue(struct stats *stats, struct queue *queue, struct error *err)
{
	size_t fit;

	if (queue_workers(queue, NULL, &stats->workers, &fit, err) < 0)
		return -1;
	return queue_history(queue, &stats->history, err);
}

int
stats_add_job(struct stats *stats, struct queue *queue, const struct queue_job *job, struct error *err)
{
	struct attempts attempts = {0};
	int result = attempts_of_job(queue, job->id, &attempts, err);

	if (result == 0) {
		stats->jobs[job->status]++;
		stats->tasks.tasks += job->tasks;
		stats->tasks.blocked += job->blocked;
		stats->tasks.ready += job->ready;
		stats->tasks.delayed += job->delayed;
		stats->tasks.running += job->running;
		stats->tasks.done += job->done;
		stats->tasks.failed += job->failed;
		stats->tasks.skipped += job->skipped;
		history_add(&stats->history, &attempts);
	}
	for (size_t i = 0; result == 0 && i < attempts.count; i++) {
		const struct attempt *attempt = &attempts.list[i];

		stats->running += attempt->end == ATTEMPT_RUNNING;
		if (attempt->end != ATTEMPT_DONE)
			continue;
		ARRAY_ROOM(stats->spans, stats->span_count, stats->span_capacity);
		stats->spans[stats->span_count++] = (struct stats_span){attempt->start_ms, attempt->end_ms};
	}
	attempts_release(&attempts);
	return result;
}

static int
stats_compare_spans(const void *a, const void *b)
{
	const struct stats_span *x = a, *y = b;

	return (x->start_ms > y->start_ms) - (x->start_ms < y->start_ms);
}

int64_t
stats_busy_ms(const struct stats *stats)
{
	int64_t busy_ms = 0, until = INT64_MIN;

	if (stats->span_count)
		qsort(stats->spans, stats->span_count, sizeof *stats->spans, stats_compare_spans);
	for (size_t i = 0; i < stats->span_count; i++) {
		const struct stats_span *span = &stats->spans[i];
		int64_t start = span->start_ms > until ? span->start_ms : until;

		if (span->end_ms > start) {
			busy_ms += span->end_ms - start;
			until = span->end_ms;
		}
	}
	return busy_ms;
}

size_t
stats_done_within(const struct stats *stats, int64_t now_ms, int64_t within_ms)
{
	size_t count = 0;

	for (size_t i = 0; i < stats->span_count; i++)
		count += stats->spans[i].end_ms > now_ms - within_ms;
	return count;
}

void
stats_release(struct stats *stats)
{
	history_release(&stats->history);
	free(stats->spans);
	*stats = (struct stats){0};
}
