/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of an open job, and what is read from them without any judgement.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "queue/job/id.h"
#include "queue/spool/job.h"
#include "queue/spool/shared/spool.h"

enum { CACHE_BYTES = 1 << 30 }; /* what is larger is made anew */

/* Sets the error for a job that is not there, with the one that is meant by "42-1". No folder is read, since some who ask expect
 * that the job is gone. */
static int
job_not_found(const struct spool *spool, const char *id, struct error *err)
{
	unsigned long cluster, number;
	char whole[64];
	int end = 0, dir = -1;

	if (sscanf(id, "%8lu-%9lu%n", &cluster, &number, &end) == 2 && !id[end]) {
		snprintf(whole, sizeof whole, "%08lu-%03lu", cluster, number);
		dir = spool_open_job(spool, whole);
	}
	if (dir < 0)
		return error_absent(err, "job %s: there is none in %s (see coopr-queue ls)", id, spool->path);
	close(dir);
	return error_absent(err, "job %s: there is none in %s; did you mean %s?", id, spool->path, whole);
}

int
job_open(struct open_job *job, const struct spool *spool, struct scheduler_table *table, const char *id, struct error *err)
{
	*job = (struct open_job){.spool = spool, .table = table, .writable = table != NULL, .dir = -1, .lock = -1,
	    .events = -1, .plan = -1, .nodes_read = -1};
	if (!id_is_valid(id))
		return error_absent(err, "job %s: there is none of that name", id);
	snprintf(job->id, sizeof job->id, "%s", id);
	job->dir = spool_open_job(spool, id);
	if (job->dir < 0 && errno == ENOENT)
		return job_not_found(spool, id, err);
	if (job->dir < 0)
		return error_errno(err, EX_NOINPUT, "job %s", id);
	job->lock = file_open(job->dir, "lock", job->writable ? O_RDWR : O_RDONLY, 0, err);
	if (job->lock >= 0)
		return 0;
	error_prefix(err, "job %s", id);
	job_close(job);
	return -1;
}

void
job_close(struct open_job *job)
{
	int fds[] = {job->dir, job->lock, job->events, job->plan, job->nodes_read};

	state_unmap(&job->state);
	buffer_release(&job->lines);
	buffer_release(&job->nodes);
	if (job->setting)
		for (int hardware = 0; hardware < 2; hardware++)
			setting_release(&job->setting[hardware].setting);
	free(job->setting);
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*job = (struct open_job){.dir = -1, .lock = -1, .events = -1, .plan = -1, .nodes_read = -1};
}

/* Appends length bytes of a file of the job; *fd is of it, and opened where it is -1. What the state says of the file was
 * compared with its size: where it ends before, the state leads astray. */
static int
job_read_range(struct open_job *job, int *fd, const char *name, uint64_t offset, size_t length, struct buffer *out,
    struct error *err)
{
	if (*fd < 0 && (*fd = file_open(job->dir, name, O_RDONLY, 0, err)) < 0)
		return error_prefix(err, "job %s", job->id);
	if (pread(*fd, buffer_room(out, length), length, (off_t)offset) != (ssize_t)length) {
		job->state.broken = true;
		return error_set(err, EX_IOERR, "job %s: %s: it ends before byte %" PRIu64, job->id, name, offset + length);
	}
	out->length += length;
	out->data[out->length] = '\0';
	return 0;
}

int
job_check_node(struct open_job *job, uint32_t number, const char *record, struct error *err)
{
	const struct state_node *node = state_node(&job->state, number);

	if (checksum_sum(record, node->length, node->offset) == node->sum)
		return 0;
	job->state.broken = true;
	return error_set(err, EX_SOFTWARE, "job %s: nodes.ndjson: the record of node %s is damaged", job->id,
	    state_node_id(&job->state, number));
}

int
job_node(struct open_job *job, uint32_t number, struct buffer *out, struct error *err)
{
	const struct state_node *node = state_node(&job->state, number);
	uint64_t size = job->state.header->nodes_size;
	size_t start = out->length;
	int result = 0;

	if (node->offset > size + job->nodes.length || node->offset + node->length > size + job->nodes.length) {
		job->state.broken = true;
		return error_set(err, EX_SOFTWARE, "job %s: state: is damaged", job->id);
	}
	if (node->offset < size)
		result = job_read_range(job, &job->nodes_read, "nodes.ndjson", node->offset, node->length, out, err);
	else
		buffer_append(out, job->nodes.data + (node->offset - size), node->length);
	return result == 0 ? job_check_node(job, number, out->data + start, err) : -1;
}

int
job_plan(struct open_job *job, uint64_t offset, size_t length, struct buffer *out, struct error *err)
{
	return job_read_range(job, &job->plan, "plan.ndjson", offset, length, out, err);
}

bool
job_load_cache(int dir, const char *name, struct buffer *text)
{
	struct error none;

	return file_exists(dir, name) && file_read(dir, name, CACHE_BYTES, text, &none) == 0 && checksum_take_line(text);
}

void
job_save_cache(const struct open_job *job, const char *name, struct buffer *text)
{
	char *fresh = memory_printf("%s.new", name);
	int fd = openat(job->dir, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written;

	if (fd >= 0) {
		checksum_add_line(text);
		written = file_write_all(fd, text->data, text->length) == 0;
		close(fd);
		if (!written || renameat(job->dir, fresh, job->dir, name) < 0)
			unlinkat(job->dir, fresh, 0);
	}
	free(fresh);
}
