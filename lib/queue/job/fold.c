/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "queue/job/id.h"
#include "queue/job/step.h"

static int
fold_misfit(const struct event *event, const char *why, struct error *err)
{
	return error_set(err, EX_DATAERR, "seq %" PRIu64 ": %s%s%s %s", event->seq, event_name(event->kind),
	    event->task ? " of " : "", event->task ? event->task : "", why);
}

/* The step that the event is about, as a link. */
static uint32_t
fold_step_of(struct job_state *state, const struct event *event)
{
	uint32_t link = event->task ? state_find(state, event->task) : 0;

	return link && state_step(state, link - 1)->is_milestone ? 0 : link;
}

static int
fold_take(struct job_state *state, const struct event *event, uint64_t offset, struct error *err)
{
	uint32_t link = fold_step_of(state, event), step = link - 1, node;
	struct state_live *live;

	if (!link)
		return fold_misfit(event, "is of no task of the plan", err);
	live = state_live(state, step);
	node = state_step(state, step)->node;
	if ((live->status != STEP_READY && live->status != STEP_DELAYED) || event->attempt <= live->attempt)
		return fold_misfit(event, "that is not ready", err);
	if (state_node(state, node)->busy)
		return fold_misfit(event, "while another task of its node runs", err);
	step_start(state, step, event->attempt, event->leased || !event->by ? 0 : id_hash(event->by),
	    event->leased ? event->until_ms : 0);
	live->event = offset;
	return 0;
}

static int
fold_end(struct job_state *state, const struct event *event, uint64_t offset, struct error *err)
{
	uint32_t link = fold_step_of(state, event);
	const struct state_live *live;
	enum step_failure failure;

	if (!link)
		return fold_misfit(event, "is of no task of the plan", err);
	live = state_live(state, link - 1);
	if (live->status != STEP_RUNNING || live->attempt != event->attempt)
		return fold_misfit(event, "that does not run", err);
	state_live(state, link - 1)->event = offset;
	failure = event->kind == EVENT_LOST ? STEP_LOSS : event->since_ms || event->status == EX_TEMPFAIL ? STEP_SETBACK
	    : STEP_FAILURE;
	if (event->kind == EVENT_DONE)
		step_done(state, link - 1);
	else if (event->next == EVENT_NEXT_RETRY)
		step_retry(state, link - 1, failure, event->ready_ms, event->since_ms);
	else if (event->next == EVENT_NEXT_UNDO)
		step_undo(state, link - 1, event->ready_ms);
	else
		step_fail(state, link - 1, failure);
	return 0;
}

static int
fold_retry(struct job_state *state, const struct event *event, struct error *err)
{
	struct state_header *header = state->header;
	uint32_t link = fold_step_of(state, event);

	if (event->task && !link)
		return fold_misfit(event, "is of no task of the plan", err);
	if (link && state_live(state, link - 1)->status != STEP_FAILED &&
	    state_live(state, link - 1)->status != STEP_DELAYED)
		return fold_misfit(event, "that has not failed", err);
	header->finished = header->cancelled = 0;
	header->finished_ms = 0;
	if (link)
		step_afresh(state, link - 1);
	for (uint32_t i = 0; !link && header->count[STEP_FAILED] > 0 && i < header->step_count; i++)
		if (state_live(state, i)->status == STEP_FAILED)
			step_afresh(state, i);
	return 0;
}

static int
fold_skip(struct job_state *state, const struct event *event, uint64_t offset, struct error *err)
{
	uint32_t link = fold_step_of(state, event);
	struct state_live *live;

	if (!link)
		return fold_misfit(event, "is of no task of the plan", err);
	live = state_live(state, link - 1);
	if (live->status == STEP_RUNNING || live->status == STEP_DONE || live->status == STEP_SKIPPED)
		return fold_misfit(event, "that runs, or is over", err);
	live->event = offset;
	state->header->finished = 0;
	state->header->finished_ms = 0;
	step_skip(state, link - 1);
	return 0;
}

static void
fold_boot(struct job_state *state, const struct event *event)
{
	snprintf(state->header->events_boot, sizeof state->header->events_boot, "%s", event->boot ? event->boot : "");
	/* Times of another boot mean nothing now: all of them have come, and patience is counted anew. */
	for (uint32_t i = 0; i < state->header->timer_count; i++)
		state_live(state, *state_number(state, STATE_TIMERS, i))->due_ms = 0;
	for (uint32_t i = 0; event->kind == EVENT_BOOT && i < state->header->step_count; i++)
		if (state_live(state, i)->since_ms)
			state_live(state, i)->since_ms = 0;
}

static void
fold_put(struct job_state *state, const struct event *event)
{
	struct state_header *header = state->header;

	header->order = event->order;
	header->backoff_ms = event->backoff_ms;
	header->put_ms = event->at_ms;
	snprintf(header->cluster, sizeof header->cluster, "%s", event->cluster);
	snprintf(header->tenant, sizeof header->tenant, "%s", event->tenant);
	snprintf(header->provider, sizeof header->provider, "%s", event->provider ? event->provider : "");
	fold_boot(state, event);
}

static int
fold_kind(struct job_state *state, const struct event *event, uint64_t offset, struct error *err)
{
	switch (event->kind) {
	case EVENT_PUT:
		fold_put(state, event);
		return 0;
	case EVENT_BOOT:
		fold_boot(state, event);
		return 0;
	case EVENT_TAKE:
		return fold_take(state, event, offset, err);
	case EVENT_DONE:
	case EVENT_FAIL:
	case EVENT_LOST:
		return fold_end(state, event, offset, err);
	case EVENT_RETRY:
		return fold_retry(state, event, err);
	case EVENT_SKIP:
		return fold_skip(state, event, offset, err);
	case EVENT_PAUSE:
	case EVENT_RESUME:
		state->header->paused = event->kind == EVENT_PAUSE;
		return 0;
	case EVENT_CANCEL:
		state->header->cancelled = 1;
		return 0;
	case EVENT_FINISH:
		state->header->finished_ms = event->at_ms;
		state->header->finished = QUEUE_COMPLETE;
		while (state->header->finished < QUEUE_CANCELLED && event->reason &&
		    strcmp(event->reason, queue_status_name((enum queue_status)state->header->finished)) != 0)
			state->header->finished++;
		return 0;
	default:
		return fold_misfit(event, "is unknown here", err);
	}
}

int
fold(struct job_state *state, const struct event *event, uint64_t offset, struct error *err)
{
	if (event->seq != state->header->seq + 1)
		return error_set(err, EX_DATAERR, "seq %" PRIu64 " follows on seq %" PRIu64, event->seq,
		    state->header->seq);
	if ((event->kind == EVENT_PUT) != (event->seq == 1))
		return fold_misfit(event, "is not where it can be: the first event is put, and only that", err);
	state->header->put_ms += event->clock_set_ms;
	if (fold_kind(state, event, offset, err) < 0)
		return -1;
	if (state->broken)
		return error_set(err, EX_SOFTWARE, "state: is damaged");
	state->header->seq = event->seq;
	if (event->synced)
		state->header->said_synced = event->synced;
	return 0;
}

bool
fold_is_over(const struct job_state *state)
{
	const uint32_t *count = state->header->count;

	if (count[STEP_RUNNING] > 0)
		return false;
	return state->header->cancelled || count[STEP_READY] + count[STEP_DELAYED] == 0;
}

enum queue_status
fold_outcome(const struct job_state *state)
{
	const uint32_t *count = state->header->count;

	if (count[STEP_BLOCKED] + count[STEP_READY] + count[STEP_DELAYED] + count[STEP_FAILED] == 0)
		return QUEUE_COMPLETE;
	return state->header->cancelled ? QUEUE_CANCELLED : QUEUE_FAILED;
}
