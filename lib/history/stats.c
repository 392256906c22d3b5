/* SPDX-License-Identifier: Apache-2.0 */
#include "history/stats.h"

#include <stdlib.h>

#include "base/error.h"
#include "queue/spool/engine.h"

int
stats_add_spool(struct stats *stats, struct queue *queue, struct error *err)
{
	DIR *stream = spool_list(spool_queue_of(queue)->spool.workers);
	const struct dirent *entry;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/workers", spool_queue_of(queue)->spool.path);
	while ((entry = readdir(stream)))
		stats->workers += spool_is_id(entry->d_name);
	closedir(stream);
	return history_load(&stats->history, &spool_queue_of(queue)->spool, err);
}

static void
stats_add_spans(struct stats *stats, const struct course *course)
{
	for (size_t i = 0; i < course->count; i++) {
		const struct course_attempt *attempt = &course->attempts[i];

		stats->running += attempt->end == COURSE_RUNNING;
		if (attempt->end != COURSE_DONE)
			continue;
		ARRAY_ROOM(stats->spans, stats->span_count, stats->span_capacity);
		stats->spans[stats->span_count++] = (struct stats_span){attempt->start_ms, attempt->end_ms};
	}
}

int
stats_add_job(struct stats *stats, struct queue *queue, const struct queue_job *job, struct error *err)
{
	struct course course = {0};
	int result = course_of_job(queue, job->id, &course, err);

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
		history_add(&stats->history, &course);
		stats_add_spans(stats, &course);
	}
	course_release(&course);
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
