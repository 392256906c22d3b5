/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler-fill.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/job/id.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/scheduler-file.h"
#include "queue/spool/shared/scheduler-links.h"
#include "queue/spool/shared/spool.h"

int
scheduler_put(struct scheduler_table *table, const struct scheduler_job *job, uint64_t order, uint64_t arrival, struct error *err)
{
	uint32_t link = scheduler_links_free_slot(table);
	struct scheduler_slot *slot;

	if (!link) {
		if (scheduler_grow(table, 2 * table->header->capacity, err) < 0)
			return -1;
		scheduler_links_derive(table);
		link = scheduler_links_free_slot(table);
	}
	slot = scheduler_slot(table, link);
	*slot = (struct scheduler_slot){.busy = 1, .timer_ms = INT64_MAX, .order = order,
	    .arrival = arrival};
	snprintf(slot->job, sizeof slot->job, "%s", job->id);
	snprintf(slot->cluster, sizeof slot->cluster, "%s", job->cluster);
	slot->limit_key[LIMIT_KEY_TENANT] = scheduler_links_limit_key(table, LIMIT_KEY_TENANT, job->tenant);
	slot->limit_key[LIMIT_KEY_PROVIDER] = scheduler_links_limit_key(table, LIMIT_KEY_PROVIDER, job->provider);
	if (order >= table->header->next_order)
		table->header->next_order = order + 1;
	if (arrival >= table->header->next_arrival)
		table->header->next_arrival = arrival + 1;
	atomic_store((_Atomic uint32_t *)&slot->used, 1);
	scheduler_links_enter(table, link);
	return 0;
}

/* Adds the job of a folder as its first event describes it. A folder without one is left to fsck. */
static int
scheduler_add_folder(struct scheduler_table *table, const char *job, struct error *err)
{
	struct journal_reader reader = {0};
	struct error unread;
	struct event event;
	int dir = openat(table->spool->jobs, job, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;

	reader.fd = dir < 0 ? -1 : openat(dir, "events.ndjson", O_RDONLY | O_CLOEXEC);
	if (reader.fd >= 0 && journal_read_at(&reader, 0, &event, &unread) == 0 && event.kind == EVENT_PUT) {
		const struct scheduler_job found = {job, event.cluster, event.tenant, event.provider ? event.provider : ""};

		/* Jobs of a cluster have to come back in their order. */
		result = scheduler_put(table, &found, event.order, event.order, err);
	}
	journal_reader_release(&reader);
	if (reader.fd >= 0)
		close(reader.fd);
	if (dir >= 0)
		close(dir);
	return result;
}

int
scheduler_fill(struct scheduler_table *table, struct error *err)
{
	DIR *stream = spool_list(table->spool->jobs);
	const struct dirent *entry;
	int result = 0;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/board", table->spool->path);
	while (result == 0 && (entry = readdir(stream)))
		if (id_is_valid(entry->d_name))
			result = scheduler_add_folder(table, entry->d_name, err);
	closedir(stream);
	scheduler_links_derive(table);
	return result;
}
