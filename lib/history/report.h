/* SPDX-License-Identifier: Apache-2.0
 *
 * What a job did, worked out of its attempts: figures, what began when and why not earlier, and the critical path as it really
 * happened: from the attempt that ended last back to what each one waited for.
 */
#ifndef HISTORY_REPORT_H
#define HISTORY_REPORT_H

#include "queue/attempts.h"
#include "queue/history.h"

struct buffer;

enum report_why { /* why an attempt began no earlier */
	REPORT_FIRST, /* nothing stood before it; or it cannot be told */
	REPORT_AFTER, /* what it comes after was not done */
	REPORT_NODE,  /* another task of its node ran */
	REPORT_SLOT,  /* no worker was free */
	REPORT_RETRY, /* the attempt before at the same task had failed */
	REPORT_WHY_COUNT,
};

struct report_link { /* of the critical path */
	uint32_t attempt;  /* number in attempts.list */
	enum report_why why;
	int64_t waited_ms; /* from the end of what it waited for last to its start */
	int64_t held_ms;   /* REPORT_NODE, REPORT_SLOT: from when all before it was done to its start */
};

struct report {
	struct attempts attempts;
	struct history history;  /* of this job alone, sorted */
	struct queue_job job;    /* id "" where it is in no spool */
	const char *operation;   /* what the user asked for: "expand"; NULL: that is not known */
	int64_t start_ms, duration_ms, work_ms;
	int64_t node_wait_ms, slot_wait_ms; /* of all first attempts together, from when they could have begun */
	uint32_t tasks, done, failed, lost, running, retried, undone, waited; /* attempts but for the first */
	uint32_t peak;           /* so many ran in parallel at most */
	struct report_link *path; /* first to last */
	uint32_t path_count;
	int64_t path_work_ms, path_wait_ms[REPORT_WHY_COUNT];
	uint32_t *trouble;       /* attempts that failed or were lost, in order */
	uint32_t trouble_count;
	uint32_t cause;          /* link to the first attempt with which a task failed for good; 0: there is none */
	bool *critical;          /* by attempt: it is on the path */
	uint32_t *before_on_node; /* by attempt: link to the one before on its node */
};

/* Works all of it out of attempts, which report takes over. */
void report_make(struct report *report, struct attempts *attempts);
void report_release(struct report *report);

/* Returns the share of the slots used at the peak that was used on average, 0 to 1. */
double report_utilisation(const struct report *report);

/* Returns "dependency", "node", ...; "" for REPORT_FIRST. */
const char *report_why_name(enum report_why why);

/* Appends why it began when it did, for people: "its node was busy for 12 s"; nothing where there is nothing to say. */
void report_say_why(const struct report_link *link, struct buffer *out);

/* Returns "complete", "failed", ... or, if it is not finished, "running". */
const char *report_status(const struct report *report);

/* Return what people call the cluster, and the node of an attempt: its host name, else its id. */
const char *report_cluster(const struct report *report);
const char *report_node(const struct report *report, const struct attempt *attempt);

/* Appends what was done to the cluster: the operation, else the action of the job: "create", "configure with restart". */
void report_say_action(const struct report *report, struct buffer *out);

/* Appends "install zk on kv-1000.example.net", and the attempt where it is not the first. */
void report_say_what(const struct report *report, const struct attempt *attempt, struct buffer *out);

/* Appends the duration that was expected, as the plan tells: "12 s (90th percentile: 15 s)", "unknown". */
void report_say_expected(const struct report *report, struct buffer *out);

const struct step *report_step(const struct report *report, const struct attempt *attempt);
const char *report_worker(const struct report *report, const struct attempt *attempt); /* or "" */

/* Returns the end of what an attempt printed, or NULL; in the arena. */
const char *report_output(struct queue *queue, const struct report *report, const struct attempt *attempt,
    struct arena *arena);

/* Appends all that an attempt printed, as text; of a long log the end. Returns whether the start is missing. */
bool report_whole_log(struct queue *queue, const struct report *report, const struct attempt *attempt, struct buffer *out);

/* Append the whole report. queue has the outputs; NULL: there are none. */
void report_text(const struct report *report, struct queue *queue, struct buffer *out);
void report_json(const struct report *report, struct queue *queue, struct buffer *out);

/* Appends the report as a page. Returns -1 if its template cannot be read. */
int report_html(const struct report *report, struct queue *queue, struct buffer *out, struct error *err);

/* Appends what a person reads of an attempt: "done", "failed with 1", "lost", "running"; and what followed. */
void report_say_end(const struct attempt *attempt, struct buffer *out);

#endif
