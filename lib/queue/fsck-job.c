/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "model/facts.h"
#include "model/node.h"
#include "queue/fold.h"
#include "queue/fsck.h"
#include "queue/journal.h"
#include "queue/ledger-recover.h"
#include "queue/settle.h"
#include "queue/step.h"

void
fsck_found(struct fsck *fsck, bool mended, const char *format, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	buffer_printf(fsck->out, "%s%s\n", text, mended ? " (mended)" : "");
	fsck->found++;
	fsck->mended += mended;
}

/* What is ready and what was delayed until now are the same: only time stands between them. */
static bool
same_status(const struct index_live *x, const struct index_live *y)
{
	bool x_waits = x->status == STEP_READY || x->status == STEP_DELAYED;
	bool y_waits = y->status == STEP_READY || y->status == STEP_DELAYED;

	return x->status == y->status || (x_waits && y_waits);
}

static bool
same_step(const struct index_live *x, const struct index_live *y)
{
	return same_status(x, y) && x->phase == y->phase && x->failures == y->failures && x->setbacks == y->setbacks &&
	    x->cycles == y->cycles && x->attempt == y->attempt && x->missing == y->missing && x->event == y->event;
}

/* The id of a step that the two indexes disagree about; NULL where they do not. "": something about the whole. */
static const char *
difference(struct index *state, struct index *truth)
{
	if (state->header->step_count != truth->header->step_count || state->header->seq != truth->header->seq ||
	    state->header->finished != truth->header->finished || state->header->paused != truth->header->paused ||
	    state->header->cancelled != truth->header->cancelled)
		return "";
	for (uint32_t i = 0; i < truth->header->step_count; i++)
		if (!same_step(index_live(state, i), index_live(truth, i)))
			return index_step_id(truth, i);
	return NULL;
}

/* The state file against one that is built from the truth, under the lock. */
static int
check_state(struct fsck *fsck, struct ledger *ledger, struct error *err)
{
	struct index state = ledger->index;
	const char *where;
	bool mended = false;

	ledger->index = (struct index){0};
	if (ledger_rebuild(ledger, err) < 0) {
		index_unmap(&state);
		return -1;
	}
	where = difference(&state, &ledger->index);
	if (where || state.broken) {
		mended = fsck->repair && unlinkat(ledger->dir, "state", 0) == 0;
		fsck_found(fsck, mended, "%s: state: it is not what the events say%s%s", ledger->id,
		    where && *where ? ", first about " : "", where ? where : "");
	}
	if (state.header->sync_failed) {
		mended = fsck->repair && fsck_rewrite_events(fsck, ledger->id, err) == 0;
		fsck_found(fsck, mended, "%s: events.ndjson: the disk refused it once; what is not on disk may be lost",
		    ledger->id);
	}
	index_unmap(&state);
	return 0;
}

static void
check_nodes(struct fsck *fsck, struct ledger *ledger)
{
	struct index *index = &ledger->index;
	struct error err;

	for (uint32_t n = 0; n < index->header->node_count; n++) {
		struct buffer record = {0};
		struct arena arena = {0};
		struct node node;

		if (ledger_node(ledger, n, &record, &err) < 0 ||
		    facts_read(record.data, record.length, &arena, &node, &err) < 0) {
			fsck_found(fsck, false, "%s: nodes.ndjson: node %s: %s", ledger->id, index_node_id(index, n), err.text);
		} else {
			if (strcmp(node.id, index_node_id(index, n)) != 0)
				fsck_found(fsck, false, "%s: nodes.ndjson: where node %s should be stands %s", ledger->id,
				    index_node_id(index, n), node.id);
			jv_free(node.source);
		}
		buffer_release(&record);
		arena_release(&arena);
	}
}

/* Who took the step last; the caller frees it. NULL: on a lease, or it cannot be told. */
static char *
holder(struct ledger *ledger, uint32_t step)
{
	struct journal_reader reader = {.fd = ledger->events};
	struct event event;
	struct error none;
	char *by = NULL;

	if (journal_read_at(&reader, index_live(&ledger->index, step)->event, &event, &none) == 0 &&
	    event.kind == EVENT_TAKE && !event.leased && event.by)
		by = memory_string(event.by);
	journal_reader_release(&reader);
	return by;
}

/* A worker leaves its file behind when it dies; where even that is gone nobody would notice. */
static void
check_workers(struct fsck *fsck, struct ledger *ledger)
{
	struct index *index = &ledger->index;

	if (strcmp(index->header->events_boot, fsck->queue->spool.boot) != 0)
		return;
	for (uint32_t link = index->header->running; link && !index->broken; link = index_live(index, link - 1)->next) {
		char *by = holder(ledger, link - 1);
		struct error err;

		if (by && (!spool_is_id(by) || !file_exists(fsck->queue->spool.workers, by))) {
			bool mended = fsck->repair && settle_worker(fsck->queue, by, "its worker is not known", &err) == 0;

			fsck_found(fsck, mended, "%s: task %s: its worker %s is not known", ledger->id,
			    index_step_id(index, link - 1), by);
		}
		free(by);
	}
}

/* Where a job stands must fit whether it is finished. */
static void
check_place(struct fsck *fsck, struct ledger *ledger)
{
	const struct spool *spool = &fsck->queue->spool;
	const struct index_header *header = ledger->index.header;
	uint64_t order = header->order;
	struct error err;
	bool mended;

	if (header->finished || file_exists(spool->jobs, ledger->id))
		return;
	mended = fsck->repair &&
	    board_add(&fsck->queue->board, ledger->id, header->cluster, header->tenant, &order, &err) == 0 &&
	    spool_move(spool->done, ledger->id, spool->jobs, ledger->id) == 0;
	fsck_found(fsck, mended, "%s: it stands in done/ and is not finished", ledger->id);
}

static void
check_files(struct fsck *fsck, const struct ledger *ledger)
{
	static const char *const names[] = {"plan.ndjson", "events.ndjson", "log"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!file_exists(ledger->dir, names[i])) {
			bool mended = fsck->repair && strcmp(names[i], "log") == 0 && mkdirat(ledger->dir, "log", 0700) == 0;

			fsck_found(fsck, mended, "%s: %s is missing", ledger->id, names[i]);
		}
}

/* Writes length bytes of events anew, and brings them to disk under a new inode. */
static int
rewrite(struct ledger *ledger, size_t length, struct error *err)
{
	struct buffer text = {0};
	int result = file_read(ledger->dir, "events.ndjson", SIZE_MAX, &text, err);

	if (result == 0 && text.length > length)
		result = file_replace(ledger->dir, "events.damaged", text.data + length, text.length - length, 0600, err);
	if (result == 0)
		result = file_replace(ledger->dir, "events.ndjson", text.data, text.length < length ? text.length : length,
		    0600, err);
	buffer_release(&text);
	if (result == 0)
		unlinkat(ledger->dir, "state", 0);
	return result;
}

/* How much of the events can be read one after the other. */
static uint64_t
readable(int dir)
{
	int fd = openat(dir, "events.ndjson", O_RDONLY | O_CLOEXEC);
	struct journal_reader reader = {.fd = fd};
	struct event event;
	struct error none;
	uint64_t end = 0, seq = 0;

	while (fd >= 0 && journal_next(&reader, &event, &none) > 0 && event.seq == ++seq)
		end = reader.next;
	journal_reader_release(&reader);
	if (fd >= 0)
		close(fd);
	return end;
}

int
fsck_rewrite_events(struct fsck *fsck, const char *job, struct error *err)
{
	struct ledger ledger;
	int result;

	if (ledger_open(&ledger, &fsck->queue->spool, &fsck->queue->board, job, err) < 0)
		return -1;
	result = flock(ledger.lock, LOCK_EX) < 0 ? error_errno(err, EX_OSERR, "job %s: lock", job)
	                                         : rewrite(&ledger, readable(ledger.dir), err);
	ledger_close(&ledger);
	return result;
}

/* The lock was not to be had because what is in the files cannot be: told, and mended where that is possible. */
static void
report_damage(struct fsck *fsck, const struct ledger *ledger, const struct error *err)
{
	struct error failed;
	bool mended = fsck->repair && err->code == EX_DATAERR && file_exists(ledger->dir, "plan.ndjson") &&
	    readable(ledger->dir) > 0 && fsck_rewrite_events(fsck, ledger->id, &failed) == 0;

	fsck_found(fsck, mended, "%s", err->text);
}

int
fsck_job(struct fsck *fsck, const char *job, struct error *err)
{
	struct ledger ledger;
	struct error damage;

	if (ledger_open(&ledger, &fsck->queue->spool, NULL, job, err) < 0)
		return -1;
	check_files(fsck, &ledger);
	if (ledger_lock(&ledger, &damage) < 0) {
		if (damage.code != EX_NO)
			report_damage(fsck, &ledger, &damage);
	} else {
		if (check_state(fsck, &ledger, &damage) < 0)
			report_damage(fsck, &ledger, &damage);
		ledger_unlock(&ledger);
		if (ledger.index.map) {
			check_nodes(fsck, &ledger);
			check_workers(fsck, &ledger);
			check_place(fsck, &ledger);
		}
	}
	ledger_close(&ledger);
	return 0;
}
