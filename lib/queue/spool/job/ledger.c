/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "queue/spool/job/fold.h"
#include "queue/spool/job/ledger-recover.h"
#include "queue/spool/job/ready.h"
#include "queue/spool/job/summary.h"
#include "queue/spool/shared/board.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/spool.h"

static int
ledger_wait_for(const struct ledger *ledger, int how, struct error *err)
{
	if (ledger->spool->impatient)
		return lock_unless_stopped(ledger->lock, how, err);
	return lock_wait(ledger->lock, how) < 0 ? error_errno(err, EX_OSERR, "lock") : 0;
}

static int
ledger_lock_file(const struct ledger *ledger, struct error *err)
{
	struct stat dir, lock;

	if (ledger_wait_for(ledger, ledger->writable ? LOCK_EX : LOCK_SH, err) < 0)
		return error_prefix(err, "job %s", ledger->id);
	/* A lock that was removed by hand excludes nobody who has opened the one made after it. */
	if (fstat(ledger->dir, &dir) == 0 && dir.st_nlink > 0 && fstat(ledger->lock, &lock) == 0 && lock.st_nlink > 0)
		return 0;
	flock(ledger->lock, LOCK_UN);
	return error_set(err, EX_NO, "job %s: it has been removed", ledger->id);
}

int
ledger_lock(struct ledger *ledger, struct error *err)
{
	if (ledger_lock_file(ledger, err) < 0)
		return -1;
	ledger->locked = true;
	if (ledger_recover(ledger, err) == 0)
		return 0;
	ledger_unlock(ledger);
	return -1;
}

uint32_t
ledger_slot(struct ledger *ledger)
{
	struct index_header *header = ledger->index.header;

	header->slot = board_find(ledger->board, ledger->id, header->slot);
	return header->slot;
}

/* What the job has to offer from here on. */
static void
ledger_publish(struct ledger *ledger)
{
	struct index *index = &ledger->index;
	const struct index_header *header = index->header;
	bool other_boot = strcmp(header->events_boot, ledger->spool->boot) != 0;
	uint32_t timer = timer_first(index);
	struct board_hint hint = {.offers = header->ready_count, .running = header->count[STEP_RUNNING],
	    .timer_ms = timer ? index_live(index, timer - 1)->due_ms : INT64_MAX,
	    .closed = header->paused || header->cancelled, .finished = header->finished != 0};

	/* What ran when the machine stopped is to be noticed now. */
	if (other_boot && !hint.finished)
		hint.timer_ms = 0;
	board_publish(ledger->board, ledger_slot(ledger), ledger->id, &hint);
}

void
ledger_unlock(struct ledger *ledger)
{
	struct index *index = &ledger->index;

	if (index->map && index->broken)
		index->header->dirty = 1;
	if (ledger->board && index->map && !index->header->dirty)
		ledger_publish(ledger);
	index_forget(index);
	ledger->locked = false;
	flock(ledger->lock, LOCK_UN);
}

void
ledger_touch(struct ledger *ledger)
{
	if (ledger->changing)
		return;
	board_enter(ledger->board, ledger_slot(ledger), ledger->id);
	ledger->changing = true;
	ledger->index.header->dirty = 1;
	atomic_signal_fence(memory_order_seq_cst);
}

int
ledger_record(struct ledger *ledger, struct event *event, struct error *err)
{
	struct index_header *header = ledger->index.header;
	uint64_t offset = header->applied + ledger->lines.length;

	ledger_touch(ledger);
	event->seq = header->seq + 1;
	event->at_ms = clock_wall_ms();
	event->synced = header->synced_seq > header->said_synced ? header->synced_seq : 0;
	if (ledger_learn(ledger, event, err) < 0 || fold(&ledger->index, event, offset, err) < 0) {
		/* Whoever records has looked whether it can be: that it cannot is damage. */
		ledger->index.broken = true;
		return error_prefix(err, "job %s", ledger->id);
	}
	event_print(event, &ledger->lines);
	return 0;
}

static int
job_ledger_write_nodes(const struct ledger *ledger, struct error *err)
{
	const struct buffer *nodes = &ledger->nodes;
	uint64_t at = ledger->index.header->nodes_size;
	int fd, result = 0;

	if (nodes->length == 0)
		return 0;
	fd = file_open(ledger->dir, "nodes.ndjson", O_WRONLY, 0, err);
	if (fd < 0)
		return error_prefix(err, "job %s", ledger->id);
	/* Where it fails, what remains behind the old end is trimmed by whoever opens the job next. */
	if (lseek(fd, (off_t)at, SEEK_SET) < 0 || file_write_all(fd, nodes->data, nodes->length) < 0)
		result = error_errno(err, EX_IOERR, "job %s: nodes.ndjson", ledger->id);
	close(fd);
	return result;
}

static int
ledger_record_finish(struct ledger *ledger, struct error *err)
{
	struct event finish = {.kind = EVENT_FINISH};

	if (ledger->index.header->finished || !fold_is_over(&ledger->index))
		return 0;
	finish.reason = queue_status_name(fold_outcome(&ledger->index));
	return ledger_record(ledger, &finish, err);
}

static int
ledger_write_all(struct ledger *ledger, struct error *err)
{
	const struct index_header *header = ledger->index.header;

	if (header->sync_failed)
		return error_set(err, EX_IOERR,
		    "job %s: events.ndjson could not be brought to disk before; coopr-queue fsck --repair %s writes it anew",
		    ledger->id, ledger->id);
	/* Facts first: without their event they say nothing, and are trimmed. */
	if (job_ledger_write_nodes(ledger, err) < 0)
		return -1;
	if (journal_append(ledger->events, header->applied, &ledger->lines, err) < 0)
		return error_prefix(err, "job %s", ledger->id);
	return 0;
}

int
ledger_commit(struct ledger *ledger, struct error *err)
{
	struct index_header *header = ledger->index.header;

	if (!ledger->changing)
		return 0;
	if (ledger->lines.length > 0 && (ledger_record_finish(ledger, err) < 0 || ledger_write_all(ledger, err) < 0)) {
		ledger_abandon(ledger);
		return -1;
	}
	header->nodes_size += ledger->nodes.length;
	atomic_store((_Atomic uint64_t *)&header->applied, header->applied + ledger->lines.length);
	if (ledger->lines.length > 0) {
		ledger->written = header->applied;
		ledger->written_seq = header->seq;
	}
	atomic_signal_fence(memory_order_seq_cst);
	index_close(&ledger->index);
	atomic_signal_fence(memory_order_seq_cst);
	header->dirty = 0;
	ledger->changing = false;
	buffer_clear(&ledger->lines);
	buffer_clear(&ledger->nodes);
	return 0;
}

void
ledger_abandon(struct ledger *ledger)
{
	buffer_clear(&ledger->lines);
	buffer_clear(&ledger->nodes);
	ledger->changing = false;
}

static int
ledger_sync_events(struct ledger *ledger, struct error *err)
{
	struct index_header *header = ledger->index.header;
	uint64_t target = atomic_load((_Atomic uint64_t *)&header->applied);

	if (header->sync_failed)
		return error_set(err, EX_IOERR, "job %s: events.ndjson could not be brought to disk", ledger->id);
	if (fdatasync(ledger->events) < 0) {
		/* The kernel reports it once, and would call the next attempt a success: nobody may try again. */
		header->sync_failed = 1;
		return error_errno(err, EX_IOERR, "job %s: events.ndjson could not be brought to disk", ledger->id);
	}
	header->synced_seq = ledger->written_seq;
	atomic_store((_Atomic uint64_t *)&header->synced, target);
	return 0;
}

int
ledger_sync(struct ledger *ledger, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	uint64_t written = ledger->written;
	int result = 0;

	if (written == 0)
		return 0;
	ledger->written = 0;
	if (atomic_load((const _Atomic uint64_t *)&header->synced) < written) {
		/* One at a time: who waits here finds, mostly, that the one before has brought its events along. */
		if (lock_wait(ledger->events, LOCK_EX) < 0)
			return error_errno(err, EX_OSERR, "job %s: events.ndjson", ledger->id);
		if (atomic_load((const _Atomic uint64_t *)&header->synced) < written)
			result = ledger_sync_events(ledger, err);
		flock(ledger->events, LOCK_UN);
	}
	if (result == 0 && header->finished)
		result = ledger_retire(ledger, err);
	return result;
}

int
ledger_retire(struct ledger *ledger, struct error *err)
{
	int result = 0;

	if (ledger_lock(ledger, err) < 0)
		return err->code == EX_NO ? 0 : -1;
	if (ledger->index.header->finished) {
		summary_save(ledger);
		/* Who moved it before us may have been stopped before it left the board. */
		if (spool_move(ledger->spool->jobs, ledger->id, ledger->spool->done, ledger->id) == 0 || errno == ENOENT)
			result = board_remove(ledger->board, ledger->id, err);
		else
			result = error_errno(err, EX_IOERR, "job %s: cannot be moved to %s/done", ledger->id,
			    ledger->spool->path);
	}
	ledger_unlock(ledger);
	return result;
}
