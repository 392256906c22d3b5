/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's table: what each unfinished job has to offer, in one mapped file `board`, so that a worker finds the
 * job to take from without opening any other, and how many tasks of each tenant and provider run, so that limits hold
 * over all who take. It is a cache of one boot. A slot is written by whoever holds the job's lock, and what it offers is
 * no more than a hint: it is looked up in the job itself. What it counts as running is never less than what runs. Every
 * job in jobs/ has a slot, because the slot is there before the folder comes and goes after it has left; a slot without
 * a folder is freed when it is noticed.
 *
 * Jobs of one tenant and provider form a class. A class has its jobs that offer something in the order in which they are
 * served; a job that stops offering leaves it when it comes to its front.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_TABLE_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "queue/job/checksum.h"
#include "queue/job/heap.h"
#include "queue/queue.h"

struct error;
struct spool;

struct scheduler_job { /* what a slot is made for */
	const char *id, *cluster, *tenant, *provider;
};

struct scheduler_hint { /* what a job has to offer */
	uint32_t offers;   /* ready tasks on idle nodes, one a node */
	uint32_t running;
	int64_t timer_ms;  /* boot time at which a retry is due or a lease ends; INT64_MAX: none */
	bool closed;       /* paused or cancelled: nothing may be taken */
	bool finished;     /* to be moved to done/ */
};

enum limit_key_kind { LIMIT_KEY_TENANT, LIMIT_KEY_PROVIDER, LIMIT_KEY_KINDS };

struct limit_key { /* a tenant or a provider */
	char name[QUEUE_ID_SIZE];
	int64_t max;      /* tasks that may run at once; QUEUE_UNLIMITED */
	uint64_t running;
	uint32_t jobs;    /* 0: it may give way to another */
};

struct job_class {
	uint32_t limit_key[LIMIT_KEY_KINDS]; /* numbers */
	uint32_t jobs, first; /* link to the slot served first; the root of a heap */
};

struct scheduler_slot {
	uint32_t used;
	uint32_t busy;       /* someone is at work in the job, or died there: it may offer something else */
	uint32_t offers, running, closed, finished;
	uint32_t reserved;   /* who is at work may take so many: they count as running */
	uint32_t limit_key[LIMIT_KEY_KINDS]; /* numbers */
	int64_t timer_ms;
	uint64_t order;      /* jobs are served in this order */
	uint64_t arrival;    /* ... and those of one cluster in this one */
	char job[QUEUE_ID_SIZE], cluster[QUEUE_ID_SIZE];
	/* All below follows from that: links between slots. */
	uint32_t behind, before; /* the job of its cluster that is to be finished first; the one that waits for it */
	uint32_t next_job, next_cluster, next_free; /* in the bucket; in the list */
	uint32_t next_busy, previous_busy;
	uint32_t job_class;       /* number */
	uint32_t listed;     /* in its class's heap; also after it was freed, until it comes to the front */
	struct heap_links links;
	uint32_t timer;      /* link to its place among the timers */
};

struct scheduler_header {
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
	uint32_t key_count[LIMIT_KEY_KINDS], class_count, timer_count, ghosts; /* freed, and still listed */
	uint32_t free, busy;    /* links to the first of these */
};

/* Beside its slot, each entry of the file holds one element of each table: there is never need for more. */
struct scheduler_entry {
	struct scheduler_slot slot;
	struct limit_key limit_key[LIMIT_KEY_KINDS];
	struct job_class job_class;
	uint32_t jobs, clusters; /* buckets: links to the first slot; of clusters, those of the jobs that came last */
	uint32_t timer;          /* number of a slot */
};

struct scheduler_table {
	const struct spool *spool;
	int fd;
	struct scheduler_header *header;
	struct scheduler_entry *entries;
	size_t mapped; /* bytes */
	ino_t inode;
	bool locked;
	unsigned remade; /* so often it was found damaged */
	struct checksum *checksum; /* over the entries; of who may change them */
};

enum { SCHEDULER_HEADER_SIZE = 256, SCHEDULER_AUDIT_BLOCKS = 512 };

/* Maps it, made anew from jobs/ where it is not of this boot. */
int scheduler_open(struct scheduler_table *table, const struct spool *spool, struct error *err);
void scheduler_close(struct scheduler_table *table);

/* Maps it to be read only. Where that is not possible there is none: scheduler_find finds nothing. */
void scheduler_peek(struct scheduler_table *table, const struct spool *spool);

/* To be called before slots are looked at: maps what has been added. */
int scheduler_refresh(struct scheduler_table *table, struct error *err);

/* An entry, and the slot behind a link, which is not 0. One that is not there, or under the lock one that was damaged, is
 * empty and does not matter: the scheduler's table is made anew when it is unlocked. */
struct scheduler_entry *scheduler_entry(const struct scheduler_table *table, uint32_t number);
struct scheduler_slot *scheduler_slot(const struct scheduler_table *table, uint32_t link);
uint32_t scheduler_count(const struct scheduler_table *table); /* slots, used or not */

/* Around what looks at more than one slot, or changes tables. */
int scheduler_lock(struct scheduler_table *table, struct error *err);

/* False where the scheduler's table turned out to be damaged, and was made anew from the jobs: what was done to it
 * meanwhile is lost. */
bool scheduler_unlock(struct scheduler_table *table);

/* Looks for damage: in all of it, or in a part, each time another. */
void scheduler_audit(struct scheduler_table *table, bool all);

/* Adds a job; order 0: it gets the next number. */
int scheduler_add(struct scheduler_table *table, const struct scheduler_job *job, uint64_t *order, struct error *err);
int scheduler_remove(struct scheduler_table *table, const char *job, struct error *err);

/* Forgets the names of tenants and providers that have no job: else the next one would take their place, whenever it comes. */
int scheduler_forget(struct scheduler_table *table, struct error *err);

/* The link to a job's slot, 0 where it has none; hint: a link to try first. */
uint32_t scheduler_find(struct scheduler_table *table, const char *job, uint32_t hint);

/* Around a change of a job, under its lock. */
void scheduler_enter(struct scheduler_table *table, uint32_t link, const char *job);
void scheduler_publish(struct scheduler_table *table, uint32_t link, const char *job, const struct scheduler_hint *hint);

/* Under the job's lock: so many of wanted tasks, at most, that may be taken of it by the limits, are counted as running
 * until scheduler_publish. */
uint32_t scheduler_reserve(struct scheduler_table *table, uint32_t link, const char *job, uint32_t wanted);

/* The job's timer is looked at again at that time. */
void scheduler_defer(struct scheduler_table *table, uint32_t link, const char *job, int64_t until_ms);

/* Under the scheduler's table's lock. How many more tasks may run, by all limits, of that tenant and provider. */
uint64_t scheduler_room(const struct scheduler_table *table, const uint32_t limit_key[LIMIT_KEY_KINDS]);

/* Under the scheduler's table's lock. The link to the slot whose timer comes first, 0: none. */
uint32_t scheduler_first_timer(const struct scheduler_table *table);

/* Under the scheduler's table's lock: the first slot of a class, what has nothing to offer removed from before it; 0: none. */
uint32_t scheduler_first_of(struct scheduler_table *table, struct job_class *job_class);
bool scheduler_offers(const struct scheduler_slot *slot);

/* Boot time at which dead workers were last looked for; and the claim to be the one who looks now: true for one caller
 * if that is at least age_ms ago. */
bool scheduler_claim_reap(struct scheduler_table *table, int64_t now_ms, int64_t age_ms, int64_t *last_ms);

#endif
