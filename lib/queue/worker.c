/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker is a locked file. It is locked before it can be seen, and the kernel unlocks it when the last process that has it
 * open is gone: that is all anyone has to know about whether a worker lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "queue/engine.h"
#include "queue/settle.h"

/* For people who look into the folder. */
static int
describe(int fd)
{
	char since[CLOCK_RFC3339_SIZE];

	return dprintf(fd, "{\"kind\":\"worker\",\"pid\":%d,\"since\":\"%s\"}\n", (int)getpid(),
	    clock_rfc3339(clock_wall_ms(), since));
}

int
queue_join(struct queue *queue, const char *label, char id[QUEUE_ID_SIZE], struct error *err)
{
	const struct spool *spool = &queue->spool;
	uint32_t chance;
	int fd;

	if (engine_check_writable(queue, err) < 0)
		return -1;
	if (!spool_is_id(label) || strlen(label) > QUEUE_ID_SIZE - 16)
		return error_set(err, EX_USAGE, "\"%s\" cannot be the name of a worker", label);
	if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
		return error_errno(err, EX_OSERR, "worker %s", label);
	snprintf(id, QUEUE_ID_SIZE, "%s-%08x", label, chance);
	/* Not close-on-exec: its children hold the lock as well. */
	fd = openat(spool->tmp, id, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return error_errno(err, EX_CANTCREAT, "%s/tmp/%s", spool->path, id);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && describe(fd) > 0 &&
	    spool_move(spool->tmp, id, spool->workers, id) == 0)
		return fd;
	error_errno(err, EX_CANTCREAT, "%s/workers/%s", spool->path, id);
	unlinkat(spool->tmp, id, 0);
	close(fd);
	return -1;
}

int
queue_leave(struct queue *queue, const char *id, int fd, struct error *err)
{
	int result = settle_worker(queue, id, "its worker has left", err);

	/* Where that failed the file stays, and whoever settles next does it. */
	if (result == 0)
		unlinkat(queue->spool.workers, id, 0);
	close(fd);
	spool_ring(&queue->spool);
	return result;
}
