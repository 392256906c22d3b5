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
#include "queue/spool/job/ledger.h"
#include "queue/spool/shared/spool.h"

/* A job moves between the two folders while we look: looked for in one, the other, and the first again, it is found. */
static int
ledger_open_folder(const struct spool *spool, const char *id)
{
	int places[] = {spool->jobs, spool->done, spool->jobs}, fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof places / sizeof *places; i++)
		fd = openat(places[i], id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

int
ledger_open(struct ledger *ledger, const struct spool *spool, struct board *board, const char *id, struct error *err)
{
	*ledger = (struct ledger){.spool = spool, .board = board, .writable = board != NULL, .dir = -1, .lock = -1,
	    .events = -1, .plan = -1, .nodes_read = -1};
	if (!spool_is_id(id))
		return error_set(err, EX_NO, "job %s: there is none of that name", id);
	snprintf(ledger->id, sizeof ledger->id, "%s", id);
	ledger->dir = ledger_open_folder(spool, id);
	if (ledger->dir < 0 && errno == ENOENT)
		return error_set(err, EX_NO, "job %s: there is none in %s (see coopr-queue ls)", id, spool->path);
	if (ledger->dir < 0)
		return error_errno(err, EX_NOINPUT, "job %s", id);
	ledger->lock = file_open(ledger->dir, "lock", ledger->writable ? O_RDWR : O_RDONLY, 0, err);
	if (ledger->lock >= 0)
		return 0;
	error_prefix(err, "job %s", id);
	ledger_close(ledger);
	return -1;
}

void
ledger_close(struct ledger *ledger)
{
	int fds[] = {ledger->dir, ledger->lock, ledger->events, ledger->plan, ledger->nodes_read};

	index_unmap(&ledger->index);
	buffer_release(&ledger->lines);
	buffer_release(&ledger->nodes);
	if (ledger->setting)
		for (int hardware = 0; hardware < 2; hardware++)
			setting_release(&ledger->setting[hardware].setting);
	free(ledger->setting);
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*ledger = (struct ledger){.dir = -1, .lock = -1, .events = -1, .plan = -1, .nodes_read = -1};
}

/* Appends length bytes of a file of the job; *fd is of it, and opened where it is -1. What the index says of the file was
 * compared with its size: where it ends before, the index leads astray. */
static int
ledger_read_range(struct ledger *ledger, int *fd, const char *name, uint64_t offset, size_t length, struct buffer *out,
    struct error *err)
{
	if (*fd < 0 && (*fd = file_open(ledger->dir, name, O_RDONLY, 0, err)) < 0)
		return error_prefix(err, "job %s", ledger->id);
	if (pread(*fd, buffer_room(out, length), length, (off_t)offset) != (ssize_t)length) {
		ledger->index.broken = true;
		return error_set(err, EX_IOERR, "job %s: %s: it ends before byte %" PRIu64, ledger->id, name, offset + length);
	}
	out->length += length;
	out->data[out->length] = '\0';
	return 0;
}

int
ledger_check_node(struct ledger *ledger, uint32_t number, const char *record, struct error *err)
{
	const struct index_node *node = index_node(&ledger->index, number);

	if (seal_sum(record, node->length, node->offset) == node->sum)
		return 0;
	ledger->index.broken = true;
	return error_set(err, EX_SOFTWARE, "job %s: nodes.ndjson: the record of node %s is damaged", ledger->id,
	    index_node_id(&ledger->index, number));
}

int
ledger_node(struct ledger *ledger, uint32_t number, struct buffer *out, struct error *err)
{
	const struct index_node *node = index_node(&ledger->index, number);
	uint64_t size = ledger->index.header->nodes_size;
	size_t start = out->length;
	int result = 0;

	if (node->offset > size + ledger->nodes.length || node->offset + node->length > size + ledger->nodes.length) {
		ledger->index.broken = true;
		return error_set(err, EX_SOFTWARE, "job %s: state: is damaged", ledger->id);
	}
	if (node->offset < size)
		result = ledger_read_range(ledger, &ledger->nodes_read, "nodes.ndjson", node->offset, node->length, out, err);
	else
		buffer_append(out, ledger->nodes.data + (node->offset - size), node->length);
	return result == 0 ? ledger_check_node(ledger, number, out->data + start, err) : -1;
}

int
ledger_plan(struct ledger *ledger, uint64_t offset, size_t length, struct buffer *out, struct error *err)
{
	return ledger_read_range(ledger, &ledger->plan, "plan.ndjson", offset, length, out, err);
}
