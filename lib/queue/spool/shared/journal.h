/* SPDX-License-Identifier: Apache-2.0
 *
 * The events of a job as they stand in events.ndjson: lines that are appended, and read back.
 */
#ifndef QUEUE_SPOOL_SHARED_JOURNAL_H
#define QUEUE_SPOOL_SHARED_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/event.h"

struct error;

struct journal_reader { /* zero-initialise, set fd and next */
	int fd;
	uint64_t next;    /* offset of the line to be read */
	uint64_t offset;  /* of the line read last */
	size_t length;    /* of it, with its newline */
	bool foreign;     /* it is an event that this version does not know: not damage */
	struct buffer pending;
	size_t start;     /* of the unread part of pending */
	struct arena arena; /* holds the event read last */
};

/* The next event: 1, 0 at the end of the file, -1 where the line is none (EX_DATAERR; it may be torn, or foreign) or
 * cannot be read (EX_IOERR). The event lives until the next call. */
int journal_next(struct journal_reader *reader, struct event *event, struct error *err);

/* The event whose line starts at offset. */
int journal_read_at(struct journal_reader *reader, uint64_t offset, struct event *event, struct error *err);

void journal_reader_release(struct journal_reader *reader);

/* Writes lines at the end, which is at offset. Where that fails nothing of them remains. */
int journal_append(int fd, uint64_t offset, const struct buffer *lines, struct error *err);

/* The highest "synced" that any event behind offset tells of: up to that seq everything was on disk once. Lines that are
 * no events are stepped over. */
uint64_t journal_synced_behind(int fd, uint64_t offset);

#endif
