/* SPDX-License-Identifier: Apache-2.0
 *
 * How long things take, and how often they fail: the attempts of all jobs by what was done (action, service, plugin) and where
 * (provider, image, hardware).
 * The queue keeps what was learned of jobs that are removed: a record for each group, and one for each job that is folded in and
 * may still be there.
 */
#ifndef QUEUE_HISTORY_H
#define QUEUE_HISTORY_H

#include "queue/attempts.h"

struct buffer;
struct record_reader;

enum { HISTORY_RECENT = 100 }; /* attempts of a group that are kept, and that what to expect follows from */

struct history_run { /* an attempt that did what it should */
	int64_t ended_ms, took_ms; /* by the wall clock */
};

struct history_group {
	enum action action;
	const char *service, *hardwaretype, *imagetype, *provider; /* "": none, not known */
	const char *type;                   /* the plugin */
	size_t done, failed, lost, retried; /* attempts by how they ended; those after which another one followed */
	size_t waited;                      /* checks that said "not yet", which count as neither of them */
	struct history_run *runs;           /* of those done: all of the jobs that are there, the last ones of those removed */
	size_t run_count, run_capacity;
};

struct history_job { /* one that is folded in already, and may still be in the queue */
	const char *job;
	int64_t put_ms;
};

struct history { /* zero-initialise */
	struct arena arena;
	struct names keys;
	struct history_group *groups; /* numbered as keys */
	size_t group_capacity;
	struct history_job *folded;
	size_t folded_count, folded_capacity;
};

/* Adds what a stream of history records holds. */
int history_read(struct history *history, struct record_reader *reader, struct error *err);

/* Appends the records: groups, and the jobs that are folded in. */
void history_print(struct history *history, struct buffer *out);

/* Notes that the job is folded in. */
void history_fold(struct history *history, const struct attempts *attempts);

/* Adds a job's attempts, unless they are folded in. Returns whether it did. */
bool history_add(struct history *history, const struct attempts *attempts);

/* Returns the group of what the kind names (its other fields do not count), a new one where there was none; it may move when
 * another is asked for. */
struct history_group *history_group(struct history *history, const struct history_group *kind);

void history_add_run(struct history_group *group, int64_t ended_ms, int64_t took_ms);

/* Sorts the runs of a group by time. */
void history_sort_runs(struct history_group *group);

/* Sorts the groups by name and their runs by time; to be called before the following. keys is of no use behind it. */
void history_sort(struct history *history);

/* The groups that differ only in where it was done, as one: *next is the first of them, and is moved behind the last one. *merged
 * is the caller's to free by history_group_release. */
void history_merge(const struct history *history, size_t *next, struct history_group *merged);
void history_group_release(struct history_group *group);

/* Returns the quantile q (0 to 1) of the attempts that did what they should, in milliseconds; -1 where there is none. */
int64_t history_quantile_ms(const struct history_group *group, double q);

/* Appends expectation records, which follow from the last HISTORY_RECENT attempts of each kind of task: one for all places, and
 * one for each provider, each image type on it and each hardware type with that, unless it would say the same as one before. */
void history_print_expectations(const struct history *history, struct buffer *out);

void history_release(struct history *history);

/* Returns text, or "" for NULL: what a group has where a name is not known. */
const char *history_text_of(const char *text);

#endif
