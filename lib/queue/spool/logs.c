/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/logs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "queue/spool/engine.h"

int
logs_open(struct spool_queue *queue, const char *id, struct error *err)
{
	struct open_job *job = engine_lock(queue, id, err);
	int folder;

	if (!job)
		return -1;
	folder = file_open(job->dir, "log", O_RDONLY | O_DIRECTORY, 0, err);
	job_unlock(job);
	return folder;
}

int
logs_open_file(int folder, const char *task, int64_t attempt)
{
	char *name = memory_printf("%s.%" PRId64, task, attempt);
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	free(name);
	return fd;
}
