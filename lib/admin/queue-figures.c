/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/queue-figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "queue/read.h"

static struct queue_tenant *
queue_tenant_of(struct queue_figures *figures, const char *name)
{
	int known = names_find(&figures->tenants, name);

	if (known != NAMES_NONE)
		return &figures->list[known];
	ARRAY_ROOM(figures->list, figures->count, figures->capacity);
	figures->list[figures->count] = (struct queue_tenant){.tenant = arena_string(&figures->arena, name)};
	names_intern(&figures->tenants, figures->list[figures->count].tenant);
	return &figures->list[figures->count++];
}

static void
queue_add_job(struct queue_figures *figures, const struct queue_job *job)
{
	struct queue_tenant *tenant = queue_tenant_of(figures, job->tenant);

	tenant->jobs[job->status]++;
	tenant->blocked += job->blocked;
	tenant->ready += job->ready;
	tenant->delayed += job->delayed;
	tenant->running += job->running;
	tenant->done += job->done;
	tenant->failed += job->failed;
	tenant->skipped += job->skipped;
}

int
queue_figures_gather(struct queue_figures *figures, const char *path, const char *tenant, struct error *err)
{
	struct queue *queue = queue_open(path, QUEUE_READ, err);
	struct queue_job *list = NULL;
	size_t count = 0, fit;
	int result;

	if (!queue)
		return -1;
	result = queue_workers(queue, NULL, &figures->workers, &fit, err);
	if (result == 0)
		result = queue_list(queue, true, &list, &count, err);
	for (size_t i = 0; i < count; i++)
		if (!tenant || strcmp(list[i].tenant, tenant) == 0)
			queue_add_job(figures, &list[i]);
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
