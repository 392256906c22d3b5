/* SPDX-License-Identifier: Apache-2.0 */
#include "history/lives.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "queue/attempts.h"

struct lived { /* of a node, up to now */
	int64_t asked_ms; /* when the machine was asked for that is there, or may be; 0: none was */
	size_t open;      /* the number of its life, from 1; 0: none began in this job */
};

static void
lives_add(struct lives *lives, const char *node, int64_t from_ms, int64_t to_ms)
{
	ARRAY_ROOM(lives->list, lives->count, lives->capacity);
	lives->list[lives->count++] = (struct machine_life){arena_string(&lives->arena, node), from_ms, to_ms};
}

/* The first attempt that may have made the machine counts: that of which nothing was heard may have been the one, unless the provider tells that the
 * machine was asked for later. */
static void
lives_take_create(struct lives *lives, struct lived *lived, const char *node, const struct attempt *attempt)
{
	if (lived->open || attempt->made_nothing)
		return;
	if (!lived->asked_ms)
		lived->asked_ms = attempt->start_ms;
	if (attempt->end != ATTEMPT_DONE)
		return;
	if (attempt->asked_ms > lived->asked_ms)
		lived->asked_ms = attempt->asked_ms < attempt->end_ms ? attempt->asked_ms : attempt->end_ms;
	lives_add(lives, node, lived->asked_ms, 0);
	lived->open = lives->count;
}

static void
lives_take_delete(struct lives *lives, struct lived *lived, const char *node, const struct attempt *attempt)
{
	if (attempt->end != ATTEMPT_DONE)
		return;
	if (lived->open)
		lives->list[lived->open - 1].to_ms = attempt->end_ms;
	else if (!lived->asked_ms)
		lives_add(lives, node, 0, attempt->end_ms);
	*lived = (struct lived){0};
}

int
lives_of_job(struct queue *queue, const char *job, struct lives *lives, struct error *err)
{
	struct attempts attempts = {0};
	struct lived *nodes;
	int result = attempts_of_job(queue, job, &attempts, err);

	if (result < 0) {
		attempts_release(&attempts);
		return -1;
	}
	nodes = memory_zeroed(attempts.plan.layout.node_count + 1, sizeof *nodes);
	for (size_t i = 0; i < attempts.count; i++) {
		const struct attempt *attempt = &attempts.list[i];
		uint32_t node = attempts.node_of[attempt->step];

		if (attempt->action == ACTION_CREATE)
			lives_take_create(lives, &nodes[node], attempts.plan.layout.nodes[node].id, attempt);
		else if (attempt->action == ACTION_DELETE)
			lives_take_delete(lives, &nodes[node], attempts.plan.layout.nodes[node].id, attempt);
	}
	free(nodes);
	attempts_release(&attempts);
	return 0;
}

void
lives_release(struct lives *lives)
{
	free(lives->list);
	arena_release(&lives->arena);
	*lives = (struct lives){0};
}
