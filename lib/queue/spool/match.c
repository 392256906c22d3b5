/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a job is of a plan: its copy in the spool, which nobody ever changes, has the same bytes.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/job/id.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

enum { BLOCK = 64 * 1024 };

/* 1, 0, or -1 with errno. */
static int
match_compare(int a, int b)
{
	char one[BLOCK], other[BLOCK];
	struct stat first, second;
	ssize_t got, same;
	off_t at = 0;

	if (fstat(a, &first) < 0 || fstat(b, &second) < 0)
		return -1;
	if (first.st_size != second.st_size)
		return 0;
	while ((got = pread(a, one, sizeof one, at)) > 0) {
		same = pread(b, other, (size_t)got, at);
		if (same != got || memcmp(one, other, (size_t)got) != 0)
			return same < 0 ? -1 : 0;
		at += got;
	}
	return got < 0 ? -1 : 1;
}

int
match_plan(struct queue *base, const char *job, int plan, struct error *err)
{
	int dir = id_is_valid(job) ? spool_open_job(&spool_queue_of(base)->spool, job) : -1;
	int fd = dir < 0 ? -1 : openat(dir, "plan.ndjson", O_RDONLY | O_CLOEXEC), result;

	if (fd < 0)
		error_errno(err, EX_NO, "job %s: its plan", job);
	if (dir >= 0)
		close(dir);
	if (fd < 0)
		return -1;
	result = match_compare(fd, plan);
	if (result < 0)
		error_errno(err, EX_IOERR, "job %s: its plan", job);
	close(fd);
	return result;
}
