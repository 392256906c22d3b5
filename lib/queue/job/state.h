/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a job: what of its plan and its events must be found fast, in arrays of fixed-size records, mapped
 * from the file `state`. Numbers of steps and nodes count from 0 in the order of the plan; a link is such a number plus 1, and
 * 0 is none. The file is a cache and belongs to one boot: whatever is in doubt about it, it is built anew from
 * plan.ndjson and events.ndjson.
 */
#ifndef QUEUE_JOB_STATE_H
#define QUEUE_JOB_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "queue/job/checksum.h"
#include "queue/job/heap.h"
#include "queue/read.h"

struct error;

enum { STATE_UNDO_MAX = 6, STATE_INSTANCES_MAX = 32, STATE_VERSION = 7 };

struct state_step { /* of the plan: never changes */
	uint64_t offset;     /* of its line in plan.ndjson ... */
	uint32_t length;     /* ... and the bytes of it, without the newline */
	uint32_t sum;        /* of these */
	uint32_t id;         /* in text */
	uint32_t service;    /* in text; "" for a hardware action */
	uint32_t node;       /* number */
	uint32_t next_first; /* in edges: the steps that wait for it */
	uint32_t next_count;
	uint32_t waits;      /* for so many */
	double rank;
	uint32_t timeout_s;
	uint32_t patience_s;
	uint16_t retries;
	uint8_t is_milestone;
	uint8_t action;
	uint8_t undo_count;
	uint8_t undo[STATE_UNDO_MAX];
};

struct state_live { /* of the events */
	uint8_t status;     /* enum step_status */
	uint8_t phase;      /* 0: its own action, n: the n-th of its undo */
	uint16_t failures;  /* of this action, since it was last begun afresh */
	uint16_t setbacks;  /* times in a row that it was temporary */
	uint16_t losses;    /* times it was lost */
	uint16_t cycles;    /* times it was undone, since it was last begun afresh */
	uint32_t rounds;    /* ... and ever: what undoes it is not the same thing each time */
	uint32_t attempt;   /* of the last take */
	uint32_t missing;   /* of waits */
	uint32_t timer;     /* link to its place in timers */
	uint64_t event;     /* offset in events.ndjson of its last event */
	uint64_t worker;    /* RUNNING: hash of the worker's id; 0 on lease */
	int64_t since_ms;   /* boot time of the first of its setbacks; 0: there is none */
	int64_t due_ms;     /* boot time; DELAYED: ready then; RUNNING on lease: until then */
	struct heap_links links;        /* READY: in the heap of its node */
	uint32_t previous, next;        /* RUNNING: links of that list */
};

struct state_node {
	uint64_t offset;  /* of its newest record in nodes.ndjson */
	uint32_t length;  /* without the newline */
	uint32_t sum;     /* checksum_sum of it, at its offset */
	uint32_t id;      /* in text */
	uint32_t best;    /* link to its ready step of highest rank */
	uint32_t place;   /* link to its place in ready */
	uint8_t busy;     /* a task of it runs */
	uint8_t asked;    /* the cluster's config asks for its address */
	uint8_t addressed; /* an address is known */
};

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t dirty;     /* being changed: not to be trusted by who comes next */
	/* These change without the lock: */
	uint32_t sync_failed; /* an fsync of events.ndjson failed in this boot */
	uint32_t slot;      /* link to its slot on the scheduler's table, a hint for all processes */
	uint64_t synced;    /* bytes of events.ndjson known to be on disk */
	uint64_t synced_seq;
	/* All else, and the sum of it: */
	uint32_t sum;
	uint32_t generation; /* of the addresses that the config asks for */
	uint64_t size;      /* of the file */
	char boot[40];      /* the boot it belongs to */
	uint64_t seed;      /* of the hash of ids */
	uint32_t step_count, node_count, edge_count, slot_count;
	uint64_t text_size, plan_size;
	uint64_t job_offset, cluster_offset; /* of these records in plan.ndjson */
	uint32_t job_length, cluster_length;
	uint32_t macros;    /* whether the cluster's config has any */
	uint32_t instance_count; /* services of which it asks what instance a node is */
	uint32_t instance_service[STATE_INSTANCES_MAX]; /* in text */
	/* From here on it changes: */
	uint64_t applied;     /* bytes of events.ndjson that are folded in */
	uint64_t nodes_size;  /* bytes of nodes.ndjson that are spoken of here */
	uint64_t said_synced; /* the last "synced" written into an event */
	uint64_t seq;         /* of the last event */
	char events_boot[40]; /* the boot that times in events count from */
	uint64_t order;
	int64_t backoff_ms, put_ms, finished_ms; /* by the wall clock as it was at the last event */
	int64_t clock_ms;       /* what the wall clock was ahead of the boot's at the last event; 0: not known */
	uint32_t paused, cancelled, finished; /* finished: enum queue_status, or 0 */
	uint32_t count[STEP_STATUS_COUNT];    /* of tasks; milestones are not counted */
	uint32_t ready_count, timer_count;
	uint32_t running;       /* link to the first */
	uint32_t asked_missing; /* nodes asked for whose address is not known */
	char cluster[QUEUE_ID_SIZE], tenant[QUEUE_ID_SIZE], provider[QUEUE_ID_SIZE];
};

struct job_state { /* a mapped index */
	struct state_header *header;
	struct state_step *steps;
	struct state_live *live;
	struct state_node *nodes;
	uint32_t *edges;
	uint32_t *instances; /* by service and node: 1, 2, ... or 0 */
	uint32_t *slots;  /* hash of ids: links to steps */
	uint32_t *ready;  /* heap of idle nodes that have a ready step, highest rank first */
	uint32_t *timers; /* heap of steps, earliest due_ms first */
	char *text;       /* ids, each with its NUL */
	void *map;        /* NULL: not mapped */
	size_t size;
	ino_t inode;      /* of the file, 0 where it is only in memory */
	struct checksum checksum; /* over all but the header */
	bool broken;      /* the file is damaged, and must be built anew */
};

struct state_sizes {
	uint32_t steps, nodes, edges, instances;
	uint64_t text;
};

/* A zeroed index of that size in a new file NAME of dir (-1: in memory), its header filled as far as known here. Marked dirty. */
int state_create(struct job_state *state, int dir, const char *name, const struct state_sizes *sizes,
    struct error *err);

/* Once it is filled: from here on damage to it shows. And what was changed since then is meant so; or was only looked at. */
void state_checksum(struct job_state *state);
void state_close(struct job_state *state);
void state_forget(struct job_state *state);

/* Returns whether the header, and all of it, is as it was when it was sealed. Where it is not the state is broken. */
bool state_is_sound(struct job_state *state);
bool state_is_whole(struct job_state *state);

/* Maps the file state of dir. Returns 0 where there is none, or none that can be used in this boot and for a plan of plan_size
 * bytes; 1 where it is mapped; -1 with a reason. shared is false: changes stay in this process. */
int state_map(struct job_state *state, int dir, bool shared, uint64_t plan_size, const char *boot, struct error *err);
void state_unmap(struct job_state *state);

/* The records of a number. A number out of range, or a record that was damaged, marks the state as broken and gives a record
 * that does not matter. */
struct state_step *state_step(struct job_state *state, uint32_t step);
struct state_live *state_live(struct job_state *state, uint32_t step);
struct state_node *state_node(struct job_state *state, uint32_t node);

/* The link to the step of that id, 0 where there is none. */
uint32_t state_find(struct job_state *state, const char *id);

/* Enters the id of a step. Steps are entered once each. */
void state_enter(struct job_state *state, uint32_t step);

/* Returns the number at a place of edges, instances, ready or timers. Out of range, or damaged: the state is broken, and it is a
 * number that does not matter. */
enum state_list { STATE_EDGES, STATE_INSTANCES, STATE_READY, STATE_TIMERS };
uint32_t *state_number(struct job_state *state, enum state_list list, uint64_t at);

/* The name that stands in text at that place. */
const char *state_text(struct job_state *state, uint32_t at);
const char *state_step_id(struct job_state *state, uint32_t step);
const char *state_step_service(struct job_state *state, uint32_t step);
const char *state_node_id(struct job_state *state, uint32_t node);

#endif
