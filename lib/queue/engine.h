/* SPDX-License-Identifier: Apache-2.0
 *
 * What an engine is: a table of functions behind those of queue.h. Only engines include this header. Each function does what
 * its namesake in queue.h promises; queue.c hands the call on, and nothing else.
 */
#ifndef QUEUE_ENGINE_H
#define QUEUE_ENGINE_H

#include "queue/read.h"

struct queue { /* each engine's own begins with it */
	const struct queue_engine *engine;
};

struct queue_worker { /* the same */
	struct queue *queue;
	char id[QUEUE_ID_SIZE];
};

struct queue_follow { /* the same */
	struct queue *queue;
	int fd; /* to be watched */
};

struct queue_logs { /* the same */
	struct queue *queue;
	int fd; /* to be watched */
};

struct queue_engine {
	const char *name;

	struct queue *(*open)(const char *where, enum queue_mode mode, struct error *err);
	void (*close)(struct queue *queue);
	void (*set_patient)(struct queue *queue, bool patient);

	int (*check_plan)(struct record_reader *plan, struct problems *problems, struct error *err);
	int (*put)(struct queue *queue, struct record_reader *plan, const struct queue_put *options, char job[QUEUE_ID_SIZE],
	    struct problems *problems, struct error *err);
	int (*is_of)(struct queue *queue, const char *job, int plan, struct error *err);
	int (*take)(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err);
	/* Names the two files of queue_task_record, for the caller to free. NULL in the table: records come without. */
	int (*files)(struct queue *queue, const struct queue_task *task, char **nodes, char **log, struct error *err);
	int (*give_back)(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err);
	int (*wanted)(struct queue *queue, const char *job, const char *task, int64_t attempt, struct error *err);
	int (*finish)(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
	    struct error *err);
	int (*turn)(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
	    const struct queue_want *want, struct queue_batch *batch, struct error *err);
	int (*reap)(struct queue *queue, struct error *err);
	int (*control)(struct queue *queue, enum queue_control what, const char *job, const char *task, struct error *err);
	int (*skip)(struct queue *queue, const char *job, const char *task, const char *reason, struct error *err);

	struct queue_worker *(*join)(struct queue *queue, const char *label, struct error *err);
	int (*serve)(struct queue_worker *worker, const struct queue_want *want, struct error *err);
	int (*renew)(struct queue_worker *worker, struct error *err);
	void (*abandon)(struct queue_worker *worker);
	int (*leave)(struct queue_worker *worker, struct error *err);
	int (*workers)(struct queue *queue, const struct queue_job *job, size_t *all, size_t *fit, struct error *err);

	int (*status)(struct queue *queue, const char *job, struct queue_job *out, struct error *err);
	int (*list)(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err);

	int (*plan)(struct queue *queue, const char *job, struct buffer *out, struct error *err);
	int (*nodes)(struct queue *queue, const char *job, struct buffer *out, struct error *err);
	int (*tasks)(struct queue *queue, const char *job, const struct queue_filter *filter, struct arena *arena,
	    struct queue_task_status **list, size_t *count, struct error *err);
	int (*events)(struct queue *queue, const char *job, uint64_t after, struct buffer *out, struct error *err);
	struct queue_follow *(*follow)(struct queue *queue, const struct queue_follow_options *options, struct error *err);
	int (*follow_next)(struct queue_follow *follow, struct queue_event *event, struct error *err);
	void (*follow_close)(struct queue_follow *follow);
	ssize_t (*log_read)(struct queue *queue, const char *job, const char *task, int64_t attempt, int64_t offset,
	    char *bytes, size_t size, struct error *err);
	struct queue_logs *(*logs_open)(struct queue *queue, const char *job, struct error *err);
	int (*logs_next)(struct queue_logs *logs, const char **task, int64_t *attempt, struct error *err);
	void (*logs_close)(struct queue_logs *logs);

	int (*limits)(struct queue *queue, struct queue_limit **list, size_t *count, struct error *err);
	int (*set_limits)(struct queue *queue, const struct queue_limit *list, size_t count, struct error *err);

	int (*watch)(struct queue *queue, struct error *err);
	void (*watch_clear)(struct queue *queue, int fd);
	int64_t (*changed_ms)(struct queue *queue);

	int (*check)(struct queue *queue, const char *job, struct queue_check *check, struct error *err);
	int (*gc)(struct queue *queue, const struct queue_gc *options, struct arguments *gone, struct error *err);
	int (*history)(struct queue *queue, struct history *history, struct error *err);
	/* NULL in the table, all five: it cannot be copied. */
	int (*ids)(struct queue *queue, struct arguments *ids, struct error *err);
	int (*copy)(struct queue *queue, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err);
	bool (*copy_has)(const char *path);
	int (*restore_begin)(struct queue *queue, struct error *err);
	int (*restore_end)(struct queue *queue, struct error *err);
	int (*stuck)(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err);
};

#endif
