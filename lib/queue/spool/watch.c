/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

#include <stdlib.h>

static int
watch_add(const struct spool_queue *queue, int fd, const char *name, struct error *err)
{
	char *path = memory_printf("%s/%s", queue->spool.path, name);
	int result = 0;

	/* Whoever rings closes the bell; a worker's file is closed when the last of its processes is gone. */
	if (inotify_add_watch(fd, path, IN_CLOSE_WRITE) < 0)
		result = error_errno(err, EX_OSERR, "%s: cannot be watched", path);
	free(path);
	return result;
}

int
watch_open(struct queue *base, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return error_errno(err, EX_OSERR, "inotify");
	if (watch_add(queue, fd, "bell", err) == 0 && watch_add(queue, fd, "workers", err) == 0)
		return fd;
	close(fd);
	return -1;
}

void
watch_clear(struct queue *queue, int fd)
{
	char events[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];

	(void)queue;
	while (read(fd, events, sizeof events) > 0)
		;
}

int64_t
watch_changed_ms(struct queue *queue)
{
	struct stat st;

	if (fstatat(spool_queue_of(queue)->spool.root, "bell", &st, 0) < 0)
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}
