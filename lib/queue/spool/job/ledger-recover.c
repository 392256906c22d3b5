/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/ledger-recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "model/facts.h"
#include "queue/spool/job/blueprint.h"
#include "queue/spool/job/fold.h"
#include "queue/spool/job/step.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/spool.h"

/* The node has a new record, the last one in ledger->nodes. */
static void
ledger_set_record(struct ledger *ledger, struct index_node *node, size_t start)
{
	struct index_header *header = ledger->index.header;
	const char *record = ledger->nodes.data + start;
	bool addressed;

	node->offset = header->nodes_size + start;
	node->length = (uint32_t)(ledger->nodes.length - start - 1);
	node->sum = seal_sum(record, node->length, node->offset);
	if (!node->asked)
		return;
	addressed = facts_addressed(record, node->length);
	header->asked_missing += node->addressed;
	header->asked_missing -= addressed;
	node->addressed = addressed;
	if (header->asked_missing == 0)
		header->generation++;
}

int
ledger_learn(struct ledger *ledger, const struct event *event, struct error *err)
{
	struct index *index = &ledger->index;
	struct buffer record = {0};
	size_t start = ledger->nodes.length;
	uint32_t link, node;
	bool gone;
	int result;

	if ((event->kind != EVENT_DONE && event->kind != EVENT_FAIL) || !(link = index_find(index, event->task)))
		return 0;
	gone = event->kind == EVENT_DONE && step_action(index, link - 1) == ACTION_DELETE;
	if (!gone && !facts_in_result(event->result))
		return 0;
	node = index_step(index, link - 1)->node;
	result = ledger_node(ledger, node, &record, err);
	if (result == 0 && gone)
		result = facts_clear(record.data, record.length, &ledger->nodes, err);
	else if (result == 0)
		result = facts_merge(record.data, record.length, event->result, &ledger->nodes, err);
	if (result == 0)
		ledger_set_record(ledger, index_node(index, node), start);
	buffer_release(&record);
	return result;
}

/* What an index of this boot that is given up knew of the disk, and the events do not say. */
struct remains {
	uint64_t synced;
	uint32_t sync_failed;
};

/* A line that is no event. What was never said to be on disk may be cut off: a process or the machine stopped while it was
 * written. What was on disk once is damage that a person must look at. */
static int
ledger_cut_tail(struct ledger *ledger, uint64_t offset, const struct remains *remains, struct error *err)
{
	if (remains->synced > offset ||
	    journal_synced_behind(ledger->events, offset) > ledger->index.header->seq)
		return error_prefix(err, "job %s: what was safely written is damaged (see coopr-queue fsck %s)", ledger->id,
		    ledger->id);
	if (ledger->writable && ftruncate(ledger->events, (off_t)offset) < 0)
		return error_errno(err, EX_IOERR, "job %s: events.ndjson", ledger->id);
	return 0;
}

/* Folds in all events. */
static int
ledger_replay(struct ledger *ledger, const struct remains *remains, struct error *err)
{
	struct index_header *header = ledger->index.header;
	struct journal_reader reader = {.fd = ledger->events};
	struct event event;
	uint64_t end = 0;
	int got, result = 0;

	while ((got = journal_next(&reader, &event, err)) > 0) {
		if (ledger_learn(ledger, &event, err) < 0 || fold(&ledger->index, &event, reader.offset, err) < 0) {
			result = error_prefix(err, "job %s: events.ndjson", ledger->id);
			break;
		}
		end = reader.next;
	}
	if (got < 0)
		result = err->code == EX_DATAERR && !reader.foreign ? ledger_cut_tail(ledger, reader.offset, remains, err)
		                                 : error_prefix(err, "job %s", ledger->id);
	journal_reader_release(&reader);
	if (result == 0 && header->seq == 0)
		result = error_set(err, EX_DATAERR, "job %s: events.ndjson: holds no event (see coopr-queue fsck %s)",
		    ledger->id, ledger->id);
	header->applied = end;
	return result;
}

/* The file that is open may not be the one that is there. */
static void
ledger_forget_nodes(struct ledger *ledger)
{
	if (ledger->nodes_read >= 0)
		close(ledger->nodes_read);
	ledger->nodes_read = -1;
}

/* Puts the node records that are only in memory into the file. It need not be on disk: after a loss of power it is made anew
 * with the index. */
static int
ledger_write_nodes(struct ledger *ledger, struct error *err)
{
	int fd = file_open(ledger->dir, "nodes.ndjson.new", O_WRONLY | O_CREAT | O_TRUNC, 0600, err), failed;

	if (fd < 0)
		return error_prefix(err, "job %s", ledger->id);
	failed = file_write_all(fd, ledger->nodes.data, ledger->nodes.length);
	if (close(fd) < 0 || failed || renameat(ledger->dir, "nodes.ndjson.new", ledger->dir, "nodes.ndjson") < 0)
		return error_errno(err, EX_IOERR, "job %s: nodes.ndjson", ledger->id);
	ledger->index.header->nodes_size = ledger->nodes.length;
	buffer_clear(&ledger->nodes);
	ledger_forget_nodes(ledger);
	return 0;
}

static int
ledger_read_blueprint(struct ledger *ledger, struct blueprint *blueprint, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int fd = file_open(ledger->dir, "plan.ndjson", O_RDONLY, 0, err), result;

	*blueprint = (struct blueprint){0};
	if (fd < 0)
		return error_prefix(err, "job %s", ledger->id);
	record_reader_init(&reader, fd, "plan.ndjson");
	result = blueprint_read(blueprint, &reader, -1, &problems, err);
	if (result == 0 && problems.total > 0)
		result = error_set(err, EX_DATAERR, "plan.ndjson: %s: %s", problems.list[0].pointer,
		    problems.list[0].text);
	if (result < 0)
		error_prefix(err, "job %s", ledger->id);
	problems_release(&problems);
	record_reader_release(&reader);
	close(fd);
	return result;
}

/* The new index takes the place of state. All that was written so far is on disk from here on, or known not to be. */
static int
ledger_install(struct ledger *ledger, struct error *err)
{
	struct index_header *header = ledger->index.header;

	if (ledger_write_nodes(ledger, err) < 0)
		return -1;
	if (fdatasync(ledger->events) < 0)
		return error_errno(err, EX_IOERR, "job %s: events.ndjson", ledger->id);
	header->synced = header->applied;
	header->synced_seq = header->seq;
	index_seal(&ledger->index);
	header->dirty = 0;
	if (renameat(ledger->dir, "state.new", ledger->dir, "state") < 0)
		return error_errno(err, EX_IOERR, "job %s: state", ledger->id);
	return 0;
}

static struct remains
ledger_look_at_remains(const struct ledger *ledger)
{
	int fd = openat(ledger->dir, "state", O_RDONLY | O_CLOEXEC);
	struct index_header header;
	bool usable = fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header &&
	    header.version == INDEX_VERSION && strncmp(header.boot, ledger->spool->boot, sizeof header.boot) == 0;

	if (fd >= 0)
		close(fd);
	return usable ? (struct remains){header.synced, header.sync_failed} : (struct remains){0};
}

int
ledger_rebuild(struct ledger *ledger, struct error *err)
{
	struct remains remains = ledger_look_at_remains(ledger);
	struct blueprint blueprint;
	int result = ledger_read_blueprint(ledger, &blueprint, err);

	index_unmap(&ledger->index);
	buffer_release(&ledger->nodes);
	if (result == 0) {
		result = blueprint_index(&blueprint, ledger->writable ? ledger->dir : -1, "state.new",
		    ledger->spool->boot, &ledger->index, err);
		if (result < 0)
			error_prefix(err, "job %s", ledger->id);
	}
	if (result == 0) {
		ledger->nodes = blueprint.node_lines;
		blueprint.node_lines = (struct buffer){0};
		step_begin_all(&ledger->index);
		ledger->index.header->sync_failed = remains.sync_failed;
		result = ledger_replay(ledger, &remains, err);
	}
	if (result == 0 && ledger->writable)
		result = ledger_install(ledger, err);
	else if (result == 0)
		index_seal(&ledger->index); /* in memory: who looks through it finds it whole */
	if (result == 0)
		ledger->index.header->dirty = 0;
	else
		index_unmap(&ledger->index);
	blueprint_release(&blueprint);
	return result;
}

/* The files that hold nothing yet. */
static int
ledger_make_files(struct ledger *ledger, struct error *err)
{
	if ((ledger->lock = file_open(ledger->dir, "lock", O_RDWR | O_CREAT | O_EXCL, 0600, err)) < 0 ||
	    (ledger->events = file_open(ledger->dir, "events.ndjson", O_RDWR | O_CREAT | O_EXCL, 0600, err)) < 0)
		return -1;
	/* Nobody else knows the file yet: the lock is to be had. */
	if (flock(ledger->lock, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "a new job: its lock");
	if (mkdirat(ledger->dir, "log", 0700) < 0)
		return error_errno(err, EX_CANTCREAT, "a new job: its folder log");
	ledger->locked = true;
	return 0;
}

int
ledger_begin(struct ledger *ledger, const struct spool *spool, struct board *board, int dir,
    struct blueprint *blueprint, struct error *err)
{
	struct stat st;

	*ledger = (struct ledger){.spool = spool, .board = board, .writable = true, .dir = dir, .lock = -1, .events = -1,
	    .plan = -1, .nodes_read = -1};
	if (ledger_make_files(ledger, err) < 0 ||
	    blueprint_index(blueprint, dir, "state", spool->boot, &ledger->index, err) < 0)
		return -1;
	ledger->nodes = blueprint->node_lines;
	blueprint->node_lines = (struct buffer){0};
	if (ledger_write_nodes(ledger, err) < 0 || fstat(ledger->events, &st) < 0)
		return -1;
	ledger->events_inode = st.st_ino;
	step_begin_all(&ledger->index);
	index_seal(&ledger->index);
	return 0;
}

/* Whether state still names the file that is mapped, and nobody was stopped while changing it. */
static bool
ledger_is_current(const struct ledger *ledger)
{
	struct stat st;

	return ledger->index.map && ledger->writable && !ledger->index.header->dirty &&
	    fstatat(ledger->dir, "state", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == ledger->index.inode &&
	    (size_t)st.st_size == ledger->index.size;
}

static int
ledger_size_of(const struct ledger *ledger, const char *name, struct stat *st, struct error *err)
{
	if (fstatat(ledger->dir, name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, EX_NOINPUT, "job %s: %s", ledger->id, name);
	return 0;
}

/* events.ndjson may have been replaced (coopr-queue fsck --repair): its descriptor must be of the file that is there. */
static int
ledger_open_events(struct ledger *ledger, struct stat *st, struct error *err)
{
	if (ledger_size_of(ledger, "events.ndjson", st, err) < 0)
		return -1;
	if (ledger->events >= 0 && st->st_ino == ledger->events_inode)
		return 0;
	if (ledger->events >= 0)
		close(ledger->events);
	ledger->events = file_open(ledger->dir, "events.ndjson", ledger->writable ? O_RDWR : O_RDONLY, 0, err);
	ledger->events_inode = st->st_ino;
	return ledger->events < 0 ? error_prefix(err, "job %s", ledger->id) : 0;
}

/* What nodes.ndjson has beyond what the index speaks of was written by someone who was stopped before its event was. */
static bool
ledger_trim_nodes(const struct ledger *ledger)
{
	uint64_t wanted = ledger->index.header->nodes_size;
	struct stat st;
	bool fine;
	int fd;

	if (fstatat(ledger->dir, "nodes.ndjson", &st, AT_SYMLINK_NOFOLLOW) < 0 || (uint64_t)st.st_size < wanted)
		return false;
	if ((uint64_t)st.st_size == wanted || !ledger->writable)
		return true;
	fd = openat(ledger->dir, "nodes.ndjson", O_WRONLY | O_CLOEXEC);
	fine = fd >= 0 && ftruncate(fd, (off_t)wanted) == 0;
	if (fd >= 0)
		close(fd);
	return fine;
}

int
ledger_recover(struct ledger *ledger, struct error *err)
{
	struct index *index = &ledger->index;
	struct stat events, plan;
	int mapped = 1;

	if (ledger_open_events(ledger, &events, err) < 0)
		return -1;
	if (index->broken || (index->map && ledger->writable && !index->header->dirty && !index_is_sound(index)))
		return ledger_rebuild(ledger, err);
	if (!ledger_is_current(ledger)) {
		index_unmap(index);
		ledger_forget_nodes(ledger);
		if (ledger_size_of(ledger, "plan.ndjson", &plan, err) < 0)
			return -1;
		mapped = index_map(index, ledger->dir, ledger->writable, (uint64_t)plan.st_size, ledger->spool->boot, err);
		if (mapped < 0)
			return error_prefix(err, "job %s", ledger->id);
	}
	/* Whoever was stopped between writing events and folding them in has left the index dirty; a size that does not fit is
	 * someone else's doing. */
	if (!mapped || (uint64_t)events.st_size != index->header->applied ||
	    index->header->synced > index->header->applied || !ledger_trim_nodes(ledger))
		return ledger_rebuild(ledger, err);
	return 0;
}
