/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker is a locked file. It is locked before it can be seen, and the kernel unlocks it when the last process that has it
 * open is gone: that is all anyone has to know about whether a worker lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "json/dump.h"
#include "json/json.h"
#include "queue/job/id.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"
#include "queue/spool/reap.h"

enum { RECORD_BYTES = 1024 * 1024 };

struct spool_worker {
	struct queue_worker base;
	int fd;     /* of workers/ID, locked; closed in children */
	int shared; /* of the same file, opened again to read, locked as well; children have it open */
};

static void
worker_set_names(jv *record, const char *member, const char *const *names)
{
	jv list = jv_array();

	for (; names && *names; names++)
		list = jv_array_append(list, jv_string(*names));
	json_set(record, member, list);
}

/* Writes the worker's record: for people who look into the folder, and for those who ask why nobody takes a task. */
static int
worker_write(int fd, const struct queue_want *want, struct error *err)
{
	char since[CLOCK_RFC3339_SIZE];
	struct buffer line = {0};
	jv record = jv_object();
	bool written;

	json_set_string(&record, "kind", "worker");
	json_set_number(&record, "pid", getpid());
	json_set_string(&record, "since", clock_rfc3339(clock_wall_ms(), since));
	json_set_string(&record, "job", want->job);
	worker_set_names(&record, "tenants", want->tenants);
	worker_set_names(&record, "providers", want->providers);
	json_dump(record, &line);
	buffer_byte(&line, '\n');
	written = lseek(fd, 0, SEEK_SET) == 0 && ftruncate(fd, 0) == 0 && file_write_all(fd, line.data, line.length) == 0;
	buffer_release(&line);
	jv_free(record);
	return written ? 0 : error_errno(err, EX_IOERR, "the record of the worker");
}

/* An empty list is no restriction. */
static bool
worker_is_served(jv record, const char *member, const char *name)
{
	jv list = json_get(record, member);
	bool served = jv_get_kind(list) != JV_KIND_ARRAY || json_length(list) == 0 || json_array_has(list, NULL, name);

	jv_free(list);
	return served;
}

/* One whose record is just being written may do anything. */
static bool
worker_takes_of(const struct spool *spool, const char *worker, const struct queue_job *job)
{
	struct buffer text = {0};
	struct error ignored;
	bool fits = true;
	jv record, only;

	if (file_read(spool->workers, worker, RECORD_BYTES, &text, &ignored) == 0 && text.length > 0 &&
	    json_parse(worker, text.data, text.length, &record, &ignored) == 0) {
		only = json_get(record, "job");
		fits = (!json_string(only) || strcmp(json_string(only), job->id) == 0) &&
		    worker_is_served(record, "tenants", job->tenant) && worker_is_served(record, "providers", job->provider);
		jv_free(only);
		jv_free(record);
	}
	buffer_release(&text);
	return fits;
}

/* Its record outlives a worker that was killed, until somebody takes its tasks from it. */
static bool
worker_is_alive(const struct spool *spool, const char *worker)
{
	int fd = openat(spool->workers, worker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool alive = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

int
worker_count(struct queue *base, const struct queue_job *job, size_t *all, size_t *fit, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	DIR *stream = spool_list(queue->spool.workers);
	const struct dirent *entry;

	*all = *fit = 0;
	if (!stream)
		return error_errno(err, EX_IOERR, "%s/workers", queue->spool.path);
	while ((entry = readdir(stream))) {
		if (!id_is_valid(entry->d_name) || !worker_is_alive(&queue->spool, entry->d_name))
			continue;
		++*all;
		*fit += job && worker_takes_of(&queue->spool, entry->d_name, job);
	}
	closedir(stream);
	return 0;
}

int
worker_serve(struct queue_worker *worker, const struct queue_want *want, struct error *err)
{
	return worker_write(((struct spool_worker *)worker)->fd, want, err);
}

/* Makes the file of a worker, with two locks. The descriptor of one is not close-on-exec: the children of a worker inherit it on
 * purpose, and hold that lock as well. One who gives it back has not taken the worker's own. */
static int
worker_make_file(const struct spool *spool, struct spool_worker *worker, struct error *err)
{
	const char *id = worker->base.id;

	worker->shared = -1;
	worker->fd = openat(spool->tmp, id, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (worker->fd < 0)
		return error_errno(err, EX_CANTCREAT, "%s/tmp/%s", spool->path, id);
	worker->shared = openat(spool->tmp, id, O_RDONLY);
	if (worker->shared >= 0 && flock(worker->fd, LOCK_SH | LOCK_NB) == 0 && flock(worker->shared, LOCK_SH | LOCK_NB) == 0 &&
	    worker_write(worker->fd, &(struct queue_want){0}, err) == 0 && spool_move(spool->tmp, id, spool->workers, id) == 0)
		return 0;
	error_errno(err, EX_CANTCREAT, "%s/workers/%s", spool->path, id);
	unlinkat(spool->tmp, id, 0);
	if (worker->shared >= 0)
		close(worker->shared);
	close(worker->fd);
	return -1;
}

struct queue_worker *
worker_join(struct queue *base, const char *label, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct spool_worker *worker;
	uint32_t chance;

	if (engine_check_writable(queue, err) < 0)
		return NULL;
	if (!id_is_valid(label) || strlen(label) > QUEUE_ID_SIZE - 16) {
		error_set(err, EX_USAGE, "\"%s\" cannot be the name of a worker", label);
		return NULL;
	}
	if (getrandom(&chance, sizeof chance, 0) != sizeof chance) {
		error_errno(err, EX_OSERR, "worker %s", label);
		return NULL;
	}
	worker = memory_zeroed(1, sizeof *worker);
	worker->base.queue = base;
	snprintf(worker->base.id, sizeof worker->base.id, "%s-%08x", label, chance);
	if (worker_make_file(&queue->spool, worker, err) == 0)
		return &worker->base;
	free(worker);
	return NULL;
}

int
worker_renew(struct queue_worker *worker, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(worker->queue);

	if (file_exists(queue->spool.workers, worker->id))
		return 0;
	return error_set(err, EX_NO, "worker %s: removed from %s", worker->id, queue->spool.path);
}

void
worker_abandon(struct queue_worker *worker)
{
	close(((struct spool_worker *)worker)->shared);
	close(((struct spool_worker *)worker)->fd);
	free(worker);
}

int
worker_leave(struct queue_worker *worker, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(worker->queue);
	int result = reap_worker(queue, worker->id, "its worker has left", err);

	/* If that failed, the file stays, and the next one to reap does it. */
	if (result == 0)
		unlinkat(queue->spool.workers, worker->id, 0);
	worker_abandon(worker);
	spool_notify(&queue->spool);
	return result;
}
