/* SPDX-License-Identifier: Apache-2.0
 *
 * The board: what each unfinished job has to offer, in one mapped file `board`, so that a worker finds the job to take
 * from without opening any other. It is a cache of one boot. A slot says no more than a hint: it is written by whoever holds the
 * job's lock, read by anyone, and what it promises is looked up in the job itself. Every job in jobs/ has a slot, because the slot
 * is there before the folder comes and goes after it has left; a slot without a folder is freed when it is noticed.
 */
#ifndef QUEUE_BOARD_H
#define QUEUE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "queue/queue.h"

struct error;
struct spool;

struct board_hint { /* what a job has to offer */
	uint32_t offers;   /* ready tasks on idle nodes, one a node */
	uint32_t running;
	int64_t timer_ms;  /* boot time at which a retry is due or a lease ends; INT64_MAX: none */
	bool closed;       /* paused or cancelled: nothing may be taken */
	bool finished;     /* to be moved to done/ */
};

struct board_slot {
	uint32_t used;
	uint32_t busy;       /* someone is at work in the job, or died there: the hint may be stale */
	uint32_t offers, running, closed, finished;
	uint32_t behind;     /* link to the slot of an earlier job of the same cluster, 0: none */
	int64_t timer_ms;
	uint64_t order;      /* jobs are served in this order */
	uint64_t arrival;    /* ... and those of one cluster in this one */
	uint64_t cluster, tenant; /* hashes of these */
	char job[QUEUE_ID_SIZE], cluster_id[QUEUE_ID_SIZE];
};

struct board_header;

struct board {
	const struct spool *spool;
	int fd;
	struct board_header *header;
	struct board_slot *slots;
	size_t mapped; /* bytes */
	ino_t inode;
};

enum { BOARD_HEADER_SIZE = 256 };

/* Maps it, made anew from jobs/ where it is not of this boot. */
int board_open(struct board *board, const struct spool *spool, struct error *err);
void board_close(struct board *board);

/* Maps it to be read only. Where that is not possible there is none: board_find finds nothing. */
void board_peek(struct board *board, const struct spool *spool);

/* To be called before slots are looked at: maps what has been added. */
int board_refresh(struct board *board, struct error *err);
uint32_t board_count(const struct board *board); /* slots, used or not */

/* Adds a job; order 0: it gets the next number. */
int board_add(struct board *board, const char *job, const char *cluster, const char *tenant, uint64_t *order,
    struct error *err);
int board_remove(struct board *board, const char *job, struct error *err);

/* The link to a job's slot, 0 where it has none; hint: a link to try first. */
uint32_t board_find(const struct board *board, const char *job, uint32_t hint);

/* Around a change of a job, under its lock. */
void board_enter(struct board *board, uint32_t link);
void board_publish(struct board *board, uint32_t link, const struct board_hint *hint);

/* Boot time at which dead workers were last looked for; and the claim to be the one who looks now: true for one caller
 * if that is at least age_ms ago. */
bool board_claim_settle(struct board *board, int64_t now_ms, int64_t age_ms, int64_t *last_ms);

#endif
