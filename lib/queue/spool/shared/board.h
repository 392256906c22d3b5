/* SPDX-License-Identifier: Apache-2.0
 *
 * The board: what each unfinished job has to offer, in one mapped file `board`, so that a worker finds the job to take
 * from without opening any other, and how many tasks of each tenant and provider run, so that limits hold over all who
 * take. It is a cache of one boot. A slot is written by whoever holds the job's lock, and what it offers is no more than
 * a hint: it is looked up in the job itself. What it counts as running is never less than what runs. Every job in jobs/ has
 * a slot, because the slot is there before the folder comes and goes after it has left; a slot without a folder is freed
 * when it is noticed.
 *
 * Jobs of one tenant and provider form a lane. A lane has its jobs that offer something in the order in which they are
 * served; a job that stops offering leaves it when it comes to its front.
 */
#ifndef QUEUE_SPOOL_SHARED_BOARD_H
#define QUEUE_SPOOL_SHARED_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "queue/queue.h"
#include "queue/spool/shared/heap.h"
#include "queue/spool/shared/checksum.h"

struct error;
struct spool;

struct board_job { /* what a slot is made for */
	const char *id, *cluster, *tenant, *provider;
};

struct board_hint { /* what a job has to offer */
	uint32_t offers;   /* ready tasks on idle nodes, one a node */
	uint32_t running;
	int64_t timer_ms;  /* boot time at which a retry is due or a lease ends; INT64_MAX: none */
	bool closed;       /* paused or cancelled: nothing may be taken */
	bool finished;     /* to be moved to done/ */
};

enum board_party_kind { BOARD_TENANT, BOARD_PROVIDER, BOARD_PARTY_KINDS };

struct board_party { /* a tenant or a provider */
	char name[QUEUE_ID_SIZE];
	int64_t max;      /* tasks that may run at once; QUEUE_UNLIMITED */
	uint64_t running;
	uint32_t jobs;    /* 0: it may give way to another */
};

struct board_lane {
	uint32_t party[BOARD_PARTY_KINDS]; /* numbers */
	uint32_t jobs, first; /* link to the slot served first; the root of a heap */
};

struct board_slot {
	uint32_t used;
	uint32_t busy;       /* someone is at work in the job, or died there: it may offer something else */
	uint32_t offers, running, closed, finished;
	uint32_t reserved;   /* who is at work may take so many: they count as running */
	uint32_t party[BOARD_PARTY_KINDS]; /* numbers */
	int64_t timer_ms;
	uint64_t order;      /* jobs are served in this order */
	uint64_t arrival;    /* ... and those of one cluster in this one */
	char job[QUEUE_ID_SIZE], cluster[QUEUE_ID_SIZE];
	/* All below follows from that: links between slots. */
	uint32_t behind, before; /* the job of its cluster that is to be finished first; the one that waits for it */
	uint32_t next_job, next_cluster, next_free; /* in the bucket; in the list */
	uint32_t next_busy, previous_busy;
	uint32_t lane;       /* number */
	uint32_t listed;     /* in its lane's heap; also after it was freed, until it comes to the front */
	struct heap_links links;
	uint32_t timer;      /* link to its place among the timers */
};

struct board_header {
	char magic[8]; /* last to be written */
	uint32_t version;
	uint32_t changing;      /* someone holds the lock, or died holding it */
	_Atomic int64_t reaped_ms;
	uint32_t audited;       /* blocks; what comes behind is looked at next */
	uint32_t sum;           /* of all below */
	char boot[40];
	uint32_t capacity;
	_Atomic uint32_t count; /* slots that were ever used */
	uint64_t next_order, next_arrival;
	uint64_t limits[3];     /* the file of limits that max is from; 0: none was read */
	int64_t max;
	uint64_t running;
	uint32_t party_count[BOARD_PARTY_KINDS], lane_count, timer_count, ghosts; /* freed, and still listed */
	uint32_t free, busy;    /* links to the first of these */
};

/* Beside its slot, each entry of the file holds one element of each table: there is never need for more. */
struct board_entry {
	struct board_slot slot;
	struct board_party party[BOARD_PARTY_KINDS];
	struct board_lane lane;
	uint32_t jobs, clusters; /* buckets: links to the first slot; of clusters, those of the jobs that came last */
	uint32_t timer;          /* number of a slot */
};

struct board {
	const struct spool *spool;
	int fd;
	struct board_header *header;
	struct board_entry *entries;
	size_t mapped; /* bytes */
	ino_t inode;
	bool locked;
	unsigned remade; /* so often it was found damaged */
	struct checksum *checksum; /* over the entries; of who may change them */
};

enum { BOARD_HEADER_SIZE = 256, BOARD_AUDIT_BLOCKS = 512 };

/* Maps it, made anew from jobs/ where it is not of this boot. */
int board_open(struct board *board, const struct spool *spool, struct error *err);
void board_close(struct board *board);

/* Maps it to be read only. Where that is not possible there is none: board_find finds nothing. */
void board_peek(struct board *board, const struct spool *spool);

/* To be called before slots are looked at: maps what has been added. */
int board_refresh(struct board *board, struct error *err);

/* An entry, and the slot behind a link, which is not 0. One that is not there, or under the lock one that was damaged, is
 * empty and does not matter: the board is made anew when it is unlocked. */
struct board_entry *board_entry(const struct board *board, uint32_t number);
struct board_slot *board_slot(const struct board *board, uint32_t link);
uint32_t board_count(const struct board *board); /* slots, used or not */

/* Around what looks at more than one slot, or changes tables. */
int board_lock(struct board *board, struct error *err);

/* False where the board turned out to be damaged, and was made anew from the jobs: what was done to it meanwhile is lost. */
bool board_unlock(struct board *board);

/* Looks for damage: in all of it, or in a part, each time another. */
void board_audit(struct board *board, bool all);

/* Adds a job; order 0: it gets the next number. */
int board_add(struct board *board, const struct board_job *job, uint64_t *order, struct error *err);
int board_remove(struct board *board, const char *job, struct error *err);

/* The link to a job's slot, 0 where it has none; hint: a link to try first. */
uint32_t board_find(struct board *board, const char *job, uint32_t hint);

/* Around a change of a job, under its lock. */
void board_enter(struct board *board, uint32_t link, const char *job);
void board_publish(struct board *board, uint32_t link, const char *job, const struct board_hint *hint);

/* Under the job's lock: so many of wanted tasks, at most, that may be taken of it by the limits, are counted as running
 * until board_publish. */
uint32_t board_reserve(struct board *board, uint32_t link, const char *job, uint32_t wanted);

/* The job's timer is looked at again at that time. */
void board_defer(struct board *board, uint32_t link, const char *job, int64_t until_ms);

/* Under the board's lock. How many more tasks may run, by all limits, of that tenant and provider. */
uint64_t board_room(const struct board *board, const uint32_t party[BOARD_PARTY_KINDS]);

/* Under the board's lock. The link to the slot whose timer comes first, 0: none. */
uint32_t board_first_timer(const struct board *board);

/* Under the board's lock: the first slot of a lane, what has nothing to offer removed from before it; 0: none. */
uint32_t board_first_of(struct board *board, struct board_lane *lane);
bool board_offers(const struct board_slot *slot);

/* Boot time at which dead workers were last looked for; and the claim to be the one who looks now: true for one caller
 * if that is at least age_ms ago. */
bool board_claim_reap(struct board *board, int64_t now_ms, int64_t age_ms, int64_t *last_ms);

#endif
