/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job-status.h"

#include <stdio.h>

#include "base/error.h"
#include "queue/spool/shared/scheduler-table.h"

static enum queue_status
job_status_of(struct scheduler_table *table, const struct open_job *job)
{
	const struct state_header *header = job->state.header;
	uint32_t link;

	if (header->finished)
		return (enum queue_status)header->finished;
	if (header->cancelled)
		return QUEUE_CANCELLING;
	if (header->paused)
		return QUEUE_PAUSED;
	link = scheduler_find(table, job->id, header->slot);
	return link && scheduler_slot(table, link)->behind ? QUEUE_WAITING : QUEUE_RUNNING;
}

int
job_status_record(struct open_job *job, struct arena *arena, struct job *plan, struct error *err)
{
	const struct state_header *header = job->state.header;
	struct problems problems = {0};
	struct buffer line = {0};
	struct place place;
	jv record;
	int result = job_plan(job, header->job_offset, header->job_length, &line, err);

	if (result == 0)
		result = json_parse("plan.ndjson", line.data, line.length, &record, err);
	if (result == 0) {
		place = place_root(record, &problems);
		job_parse(&place, arena, plan);
		plan->id = arena_string(arena, job->id);
		jv_free(record);
	}
	problems_release(&problems);
	buffer_release(&line);
	return result;
}

int
job_status(struct scheduler_table *table, struct open_job *job, struct queue_job *out, struct error *err)
{
	const struct state_header *header = job->state.header;
	const uint32_t *count = header->count;
	struct arena arena = {0};
	struct job plan = {0};
	int result = job_status_record(job, &arena, &plan, err);

	*out = (struct queue_job){.status = job_status_of(table, job), .blocked = count[STEP_BLOCKED],
	    .ready = count[STEP_READY], .delayed = count[STEP_DELAYED], .running = count[STEP_RUNNING],
	    .done = count[STEP_DONE], .failed = count[STEP_FAILED], .skipped = count[STEP_SKIPPED], .put_ms = header->put_ms,
	    .finished_ms = header->finished_ms, .critical_path_s = plan.critical_path_s};
	for (int i = 0; i < STEP_STATUS_COUNT; i++)
		out->tasks += count[i];
	snprintf(out->id, sizeof out->id, "%s", job->id);
	snprintf(out->cluster, sizeof out->cluster, "%s", header->cluster);
	snprintf(out->tenant, sizeof out->tenant, "%s", header->tenant);
	snprintf(out->provider, sizeof out->provider, "%s", header->provider);
	snprintf(out->action, sizeof out->action, "%s", plan.action ? plan.action : "");
	arena_release(&arena);
	return result;
}
