/* SPDX-License-Identifier: Apache-2.0
 *
 * An open job: its folder, its lock, its events, its index. All changes go the same way:
 *
 *	ledger_lock      the index is what the events say, whatever happened before
 *	ledger_record    an event, any number: applied to the index, its line kept (ledger_touch: a change that time alone makes)
 *	ledger_commit    the lines are written, in one write
 *	ledger_unlock    others may go on
 *	ledger_sync      ... and it is on disk: one fsync for all who came meanwhile
 *
 * A process may be killed anywhere: the index says so itself (dirty), and is then built anew by the next one.
 */
#ifndef QUEUE_SPOOL_JOB_LEDGER_H
#define QUEUE_SPOOL_JOB_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "model/event.h"
#include "model/take/setting.h"
#include "queue/spool/job/index.h"

struct board;
struct error;
struct spool;

/* What tasks are told of the cluster, kept between takes (take-record.c): one for tasks of the hardware, which run while addresses
 * are not known yet, one for all others. */
struct ledger_setting {
	struct setting setting;
	uint32_t generation;
	bool made;
};

struct ledger {
	const struct spool *spool;
	struct board *board;  /* NULL where nothing is to be changed */
	char id[QUEUE_ID_SIZE];
	bool writable, locked;
	bool changing;           /* the index is dirty on our account */
	int dir, lock, events;
	int plan, nodes_read; /* of these files, kept open for reading; -1: not yet */
	ino_t events_inode;
	struct index index;
	struct buffer lines;     /* of the events recorded and not yet committed */
	struct buffer nodes;     /* node records that follow on nodes_size bytes of nodes.ndjson */
	uint64_t written, written_seq; /* how far events.ndjson went after our last commit */
	struct ledger_setting *setting; /* two; or NULL */
};

/* Opens a job in jobs/ or done/. No such job: EX_NO. */
int ledger_open(struct ledger *ledger, const struct spool *spool, struct board *board, const char *id,
    struct error *err);
void ledger_close(struct ledger *ledger);

/* EX_NO where the job was removed meanwhile. */
int ledger_lock(struct ledger *ledger, struct error *err);
void ledger_unlock(struct ledger *ledger);

/* The link to its slot on the board, 0: it has none. Under the lock. */
uint32_t ledger_slot(struct ledger *ledger);

/* Before any change of the index. */
void ledger_touch(struct ledger *ledger);

/* Fills seq and at, applies the event, and keeps its line. Where that fails, what follows is ledger_abandon. */
int ledger_record(struct ledger *ledger, struct event *event, struct error *err);

/* Writes what was recorded; adds the finish where the job is over. After a failure nothing of it has happened. */
int ledger_commit(struct ledger *ledger, struct error *err);

/* Forgets what was recorded: the index is built anew before it is used again. */
void ledger_abandon(struct ledger *ledger);

/* Returns once all that this process has committed is on disk; then a finished job is moved to done/. Not under the lock. */
int ledger_sync(struct ledger *ledger, struct error *err);

/* Moves a finished job from jobs/ to done/. Not under the lock. */
int ledger_retire(struct ledger *ledger, struct error *err);

/* Appends the newest record of a node, without its newline. Under the lock. */
int ledger_node(struct ledger *ledger, uint32_t node, struct buffer *out, struct error *err);

/* Whether that is the newest record of a node: -1 where the file was damaged, and is to be made anew with the index. */
int ledger_check_node(struct ledger *ledger, uint32_t node, const char *record, struct error *err);

/* Appends length bytes of plan.ndjson. */
int ledger_plan(struct ledger *ledger, uint64_t offset, size_t length, struct buffer *out, struct error *err);

#endif
