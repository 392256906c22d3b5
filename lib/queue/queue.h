/* SPDX-License-Identifier: Apache-2.0
 *
 * The boundary of the queue: jobs are put, their tasks are taken by workers, and what became of the tasks is recorded. It hides
 * how and where a queue is kept; read.h has what is read of it, engine.h what an engine behind it has to be. A function that
 * changes something returns once the change is durable. A task may run twice (its worker died, its lease ran out), never twice
 * at the same time, and never before what it depends on.
 *
 * A struct queue belongs to one thread of one process. Functions return -1 with a reason in err.
 */
#ifndef QUEUE_QUEUE_H
#define QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/action.h"
#include "model/result.h"

struct arguments;
struct buffer;
struct problems;
struct record_reader;

enum { QUEUE_ID_SIZE = 128 }; /* of the id of a job, a task or a worker, with its NUL */

enum queue_mode { QUEUE_READ, QUEUE_WRITE };

struct queue; /* one that is open */

/* Opens the queue that the option --spool names, or (NULL) the one of the environment, the preferences or the default; engines.c
 * says which engine serves it. To write, it is made where it is not there yet; to read, it may be read-only. NULL with a reason, which is
 * absent where none was ever made. */
struct queue *queue_open(const char *spool, enum queue_mode mode, struct error *err);
void queue_close(struct queue *queue); /* NULL is fine */

/* Sets whether calls wait for a job that a stopped process (SIGSTOP) holds. They do, and tell of it, unless the caller has other
 * things to do meanwhile: then whatever is asked of the job is refused with EX_TEMPFAIL. */
void queue_set_patient(struct queue *queue, bool patient);

/* --- put --- */

enum { QUEUE_BACKOFF_MS = 1000, QUEUE_BACKOFF_MAX_MS = 60 * 1000 };

struct queue_put {
	const char *job;    /* the id wanted; NULL: the plan's own, else the next one of its cluster */
	int64_t backoff_ms; /* before the first retry of a task; doubled for each further one; 0: at once */
	bool paused;        /* nothing is taken before it is resumed */
};

/* Puts the plan read from the stream; job gets its id. What is wrong inside the plan goes to problems (and EX_DATAERR
 * to err). A job of that id is there already: EX_CANTCREAT. */
int queue_put(struct queue *queue, struct record_reader *plan, const struct queue_put *options,
    char job[QUEUE_ID_SIZE], struct problems *problems, struct error *err);

/* Checks the plan read from the stream as queue_put does, and puts nothing. */
int queue_check_plan(struct record_reader *plan, struct problems *problems, struct error *err);

/* Returns 1 if the job was put from this plan (a descriptor), byte for byte, 0 if not, and -1 with EX_NO if there is no such
 * job. */
int queue_is_of(struct queue *queue, const char *job, int plan, struct error *err);

/* --- take --- */

struct queue_want {
	size_t count;       /* at most so many */
	const char *job;    /* of this job only; NULL: of any */
	const char *const *tenants, *const *providers; /* of jobs of these only: lists that end with NULL; NULL: of any */
	unsigned actions;   /* only these, bits as of ACTION_BIT; what is first on a node is taken before what follows on it; 0: any */
	const char *worker; /* the id of one that has joined: a task is its until it says what became of it, or dies */
	const char *by;     /* without a worker: who takes it, for people to see; NULL: the user's name */
	int64_t lease_ms;   /* without a worker: how long the task is theirs; negative: as long as its timeout */
};

struct queue_task { /* one that was taken */
	const char *job, *task;
	int64_t attempt;     /* to be presented with the result */
	const char *node;    /* its id */
	enum action action;
	const char *service; /* or NULL */
	const char *type;    /* the plugin */
	int64_t timeout_s;
	double expect_s;
	const char *record;  /* what is to be done, one line with its newline; see queue_task_record */
	size_t record_length;
	size_t log_at, nodes_at; /* in the record: where members that name files of a host are null; 0: nowhere */
};

struct queue_batch {
	struct arena arena; /* holds all of it */
	struct queue_task *list;
	size_t count, capacity;
	int64_t next_ms; /* when fewer than wanted were ready: in so long a retry is due or a lease ends; -1: only a
	                  * change of the spool can make one ready */
	bool limited;         /* more was ready, but limits held it back */
	struct error trouble; /* code 0, or why a job was passed over: it is damaged, and all others go on */
};

/* Takes the tasks that are ready, highest rank first, one of a node at a time, no more than the limits allow. Returns 0 also if
 * nothing was ready (count is 0). The batch is to be released in any case. */
int queue_take(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err);
void queue_batch_release(struct queue_batch *batch);

/* Appends the take record of a task for whoever does it on this host, the input of coopr-exec: in it, nodes names a file of
 * this host with the newest record of each node, and log the file whose bytes become the attempt's log. The engine sees to
 * both as long as the attempt runs. */
int queue_task_record(struct queue *queue, const struct queue_task *task, struct buffer *out, struct error *err);

/* Gives back tasks that were taken and will not be begun: they are ready again at once, their attempt is lost. */
int queue_give_back(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err);

/* Returns 1 while an attempt is wanted, 0 once it is lost or over or its job is cancelled or gone, and -1 if that cannot be told
 * now. */
int queue_wanted(struct queue *queue, const char *job, const char *task, int64_t attempt, struct error *err);

/* --- finish --- */

struct queue_answer { /* to one result */
	int code;       /* 0 recorded; EX_NO refused as stale, or no such job; EX_DATAERR no such task; else as in error */
	bool gone;      /* there is no such job */
	bool over;      /* the job has finished */
	char text[512]; /* why, where code is not 0 */
};

/* Records results (status 0: done, else failed), each naming job, task and attempt; any number, of any jobs, with one
 * wait for the disk. answers gets one for each, whatever fails. 0 where all were recorded, else -1 and the worst in err. Giving
 * the same result again is fine. */
int queue_finish(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    struct error *err);

/* queue_finish, then queue_take, with one wait for the disk for both. -1 where either fails: answers tell of the results as
 * after queue_finish, and the batch, to be released in any case, holds what was taken. */
int queue_turn(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err);

/* --- workers --- */

struct queue_worker; /* one that has joined */

/* Joins as a worker, which is named LABEL-xxxxxxxx. What it takes is its own until it says what became of it, leaves, or
 * is dead: its process is, and all processes that this has started since, or the worker was not renewed in time where
 * the engine asks for that. NULL with a reason. */
struct queue_worker *queue_join(struct queue *queue, const char *label, struct error *err);

/* Returns its id, for queue_want. */
const char *queue_worker_id(const struct queue_worker *worker);

/* Says for everyone to see which tasks the worker takes: job, tenants and providers of want. */
int queue_serve(struct queue_worker *worker, const struct queue_want *want, struct error *err);

/* Renews the worker, which lives. EX_NO where it was removed: nothing that it has taken is its own any more. */
int queue_renew(struct queue_worker *worker, struct error *err);

/* Lets go of it as its death would do: for a process that lives on as a daemon of its own after a fork. Frees the worker. */
void queue_abandon(struct queue_worker *worker);

/* Leaves: what it still holds is lost, and ready again, at once. Frees the worker in any case. */
int queue_leave(struct queue_worker *worker, struct error *err);

/* Makes the tasks of dead workers, and those whose lease ran out, ready again; -1 also if one job is damaged: all others are
 * served. queue_take does it by itself, about once a second and whenever nothing is ready. */
int queue_reap(struct queue *queue, struct error *err);

/* --- status --- */

enum queue_status {
	QUEUE_WAITING, /* for an earlier job of its cluster */
	QUEUE_RUNNING,
	QUEUE_PAUSED,
	QUEUE_CANCELLING, /* cancelled, while tasks still run */
	QUEUE_COMPLETE, /* from here on it is finished */
	QUEUE_FAILED,
	QUEUE_CANCELLED,
};

struct queue_job {
	char id[QUEUE_ID_SIZE], cluster[QUEUE_ID_SIZE], tenant[QUEUE_ID_SIZE], action[QUEUE_ID_SIZE];
	enum queue_status status;
	size_t tasks; /* the sum of: */
	size_t blocked, ready, delayed, running, done, failed, skipped;
	int64_t put_ms, finished_ms; /* wall clock; finished_ms 0 while it is not */
	double critical_path_s;
	char provider[QUEUE_ID_SIZE]; /* "": not known */
};

const char *queue_status_name(enum queue_status status);
bool queue_is_finished(enum queue_status status);

/* --- control --- */

enum queue_control {
	QUEUE_PAUSE, /* nothing more is taken; what runs goes on */
	QUEUE_RESUME,
	QUEUE_CANCEL, /* nothing more is taken, ever; what runs is not wanted any more */
	QUEUE_RETRY,  /* failed tasks become ready again, with fresh attempts; a cancelled job goes on */
};

/* task: the one to retry, NULL for all that failed. EX_NO where it cannot be: a finished job, nothing that failed. What is so
 * already stays so. */
int queue_control(struct queue *queue, enum queue_control what, const char *job, const char *task, struct error *err);

/* A task that is blocked, ready, delayed or failed counts as done for what comes after it; who said so, and why, is
 * recorded. EX_NO where it runs or is done, or the job is finished otherwise than as failed or cancelled. */
int queue_skip(struct queue *queue, const char *job, const char *task, const char *reason, struct error *err);

/* --- limits: how many tasks may run at once --- */

enum queue_limit_kind { QUEUE_LIMIT_TOTAL, QUEUE_LIMIT_PROVIDER, QUEUE_LIMIT_TENANT };

enum { QUEUE_UNLIMITED = -1 };

struct queue_limit {
	enum queue_limit_kind kind;
	char name[QUEUE_ID_SIZE]; /* of the provider or tenant; "*": each that has none of its own; "" of the total */
	int64_t max;              /* QUEUE_UNLIMITED: none */
	size_t running;           /* now, of all of that name; 0 for "*" */
};

/* The limits, in the order of kind and name, and those without one of which something runs; *list is the caller's to free. */
int queue_limits(struct queue *queue, struct queue_limit **list, size_t *count, struct error *err);

/* Changes the limits of these kinds and names (running says nothing); what runs goes on. */
int queue_set_limits(struct queue *queue, const struct queue_limit *list, size_t count, struct error *err);

/* --- watch --- */

/* Returns a descriptor (close-on-exec) that becomes readable when anything in the queue has changed. Open it before the
 * first look, clear it before each further one, close it before the queue. */
int queue_watch(struct queue *queue, struct error *err);
void queue_watch_clear(struct queue *queue, int fd);

/* Returns by the wall clock when the queue last changed; 0: it is not known. */
int64_t queue_changed_ms(struct queue *queue);

/* --- maintenance --- */

struct queue_check {
	bool repair;          /* the queue was opened to write */
	struct buffer *out;   /* gets a line for each finding: "OBJECT: what is wrong", and "(repaired)" */
	size_t found, repaired;
};

/* Looks whether a job is in one of the states that are legal, or all jobs (NULL) and what is between them. What a stopped
 * process or machine leaves behind is legal: the next one to come along puts it right. */
int queue_check(struct queue *queue, const char *job, struct queue_check *check, struct error *err);

enum { QUEUE_KEEP_DAYS = 30, QUEUE_LOGS_MB = 1024 };

struct queue_erasure { /* of a tenant */
	char *const *clusters; /* ids of clusters: their jobs go, however old, and nothing is learned of them; a list that ends with NULL */
	char *const *names;    /* of services, providers, hardware and image types: what was learned of them goes; ends with NULL */
	size_t durations;      /* gets how many records of what was learned went */
};

struct queue_gc {
	int64_t keep_ms; /* since a job was finished, by the wall clock */
	uint64_t logs_bytes; /* so many at most are kept of the logs of all jobs, those of unfinished ones included */
	bool dry;        /* only say what would go */
	struct queue_erasure *erasure; /* NULL: none. Else only this is done, and the others do not count */
};

/* Removes finished jobs that are old, and logs of others where there are too many; after what is to be learned of them was kept, and what somebody left who was stopped; gone
 * gets the names of what went. */
int queue_gc(struct queue *queue, const struct queue_gc *options, struct arguments *gone, struct error *err);

struct history;

/* Adds what was learned of jobs that are gone. */
int queue_history(struct queue *queue, struct history *history, struct error *err);

/* --- a copy --- */

/* Pushes the ids of all jobs, finished or not. */
int queue_ids(struct queue *queue, struct arguments *ids, struct error *err);

/* Takes a file of a copy: its path in the copy, and a descriptor with its bytes, the first size of which count. A path that ends
 * with a slash is a folder, and fd is -1. */
typedef int queue_copy_file(void *context, const char *path, int fd, int64_t size, struct error *err);

/* Hands all that makes up a copy of the queue with those jobs to file, while others go on with their work: each job is copied
 * as it is at one moment. Jobs that are not there are left out. Workers are no part of it: an attempt that runs is lost in the copy. */
int queue_copy(struct queue *queue, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err);

/* Returns whether queue_copy of the engine that serves spool (as in queue_open) makes files of that path. */
bool queue_copy_has(const char *spool, const char *path);

/* Returns a folder (a descriptor) for the files of a copy, each under its path. EX_CANTCREAT where the queue has jobs already. */
int queue_restore_begin(struct queue *queue, struct error *err);

/* Puts into the queue what was written to that folder, durably; close the queue then. After a failure, or where it was killed, it can be
 * called again, and does the rest. */
int queue_restore_end(struct queue *queue, struct error *err);

struct queue_stuck { /* something that is held by a process that is stopped */
	char what[512];
	int pid;
	char name[64]; /* of its program */
};

/* Lists what keeps others waiting; *list is the caller's to free. */
int queue_stuck(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err);

#endif
