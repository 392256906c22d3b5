/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks that a stopped process holds: of the scheduler's table, of jobs, of the numbers of clusters; and workers that are stopped.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/holder.h"
#include "base/memory.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

struct stuck_list {
	struct queue_stuck *list;
	size_t count, capacity;
};

/* Adds a file, or a folder, where a process that is stopped has locked it. */
static void
stuck_add(struct stuck_list *all, const struct spool *spool, const char *name)
{
	int fd = openat(spool->root, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct holder holder;

	if (fd >= 0 && holder_find(fd, &holder) && holder.stopped) {
		struct queue_stuck *stuck;

		ARRAY_ROOM(all->list, all->count, all->capacity);
		stuck = &all->list[all->count++];
		*stuck = (struct queue_stuck){.pid = (int)holder.pid};
		snprintf(stuck->what, sizeof stuck->what, "%s/%s", spool->path, name);
		snprintf(stuck->name, sizeof stuck->name, "%s", holder.name);
	}
	if (fd >= 0)
		close(fd);
}

static void
stuck_add_all(struct stuck_list *all, const struct spool *spool, int folder, const char *name, const char *file)
{
	DIR *stream = spool_list(folder);
	const struct dirent *entry;
	char path[600];

	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s%s", name, entry->d_name, file);
			stuck_add(all, spool, path);
		}
	if (stream)
		closedir(stream);
}

int
stuck_find(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err)
{
	const struct spool *spool = &spool_queue_of(queue)->spool;
	struct stuck_list all = {0};

	(void)err;
	stuck_add(&all, spool, "board");
	stuck_add_all(&all, spool, spool->jobs, "jobs", "/lock");
	stuck_add_all(&all, spool, spool->numbers, "numbers", "");
	stuck_add_all(&all, spool, spool->workers, "workers", "");
	*list = all.list;
	*count = all.count;
	return 0;
}
