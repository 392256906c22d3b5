/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/queue-figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Returns the figures of a tenant, which may be new. */
static struct queue_tenant *
queue_figures_tenant(struct queue_figures *figures, const char *name)
{
	int known = names_find(&figures->tenants, name);

	if (known != NAMES_NONE)
		return &figures->list[known];
	ARRAY_ROOM(figures->list, figures->count, figures->capacity);
	figures->list[figures->count] = (struct queue_tenant){.tenant = arena_string(&figures->arena, name)};
	names_intern(&figures->tenants, figures->list[figures->count].tenant);
	return &figures->list[figures->count++];
}

int
queue_figures_read(struct queue_figures *figures, const char *spool, const char *tenant, struct error *err)
{
	struct queue *queue = queue_open(spool, QUEUE_READ, err);
	struct queue_job *list = NULL;
	size_t count = 0, fit;
	int result;

	if (!queue)
		return -1;
	result = queue_workers(queue, NULL, &figures->workers, &fit, err);
	if (result == 0)
		result = queue_list(queue, true, &list, &count, err);
	for (size_t i = 0; i < count; i++) {
		const struct queue_job *job = &list[i];
		struct queue_tenant *sum;

		if (tenant && strcmp(job->tenant, tenant) != 0)
			continue;
		sum = queue_figures_tenant(figures, job->tenant);
		sum->jobs[job->status]++;
		sum->tasks[STEP_BLOCKED] += job->blocked;
		sum->tasks[STEP_READY] += job->ready;
		sum->tasks[STEP_DELAYED] += job->delayed;
		sum->tasks[STEP_RUNNING] += job->running;
		sum->tasks[STEP_DONE] += job->done;
		sum->tasks[STEP_FAILED] += job->failed;
		sum->tasks[STEP_SKIPPED] += job->skipped;
	}
	free(list);
	queue_close(queue);
	return result;
}

void
queue_figures_release(struct queue_figures *figures)
{
	free(figures->list);
	names_release(&figures->tenants);
	arena_release(&figures->arena);
	*figures = (struct queue_figures){0};
}
