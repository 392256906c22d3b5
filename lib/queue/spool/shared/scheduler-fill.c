/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/spool/shared/scheduler-file.h"
#include "queue/spool/shared/scheduler-links.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/spool.h"

/* What a job's first event says of it. A folder without one is for fsck to speak of. */
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
		if (spool_is_id(entry->d_name))
			result = scheduler_add_folder(table, entry->d_name, err);
	closedir(stream);
	scheduler_links_derive(table);
	return result;
}
