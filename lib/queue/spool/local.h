/* SPDX-License-Identifier: Apache-2.0
 *
 * The local engine: the functions of its table, each in the file that its name begins with. queue.h says what each does.
 */
#ifndef QUEUE_SPOOL_LOCAL_H
#define QUEUE_SPOOL_LOCAL_H

#include "queue/engine.h"

extern const struct queue_engine local_engine;

struct queue *engine_open(const char *path, enum queue_mode mode, struct error *err);
int put_check(struct record_reader *plan, struct problems *problems, struct error *err);
int put_job(struct queue *queue, struct record_reader *plan, const struct queue_put *options, char job[QUEUE_ID_SIZE],
    struct problems *problems, struct error *err);
int match_plan(struct queue *queue, const char *job, int plan, struct error *err);
int take_tasks(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err);
int take_files(struct queue *queue, const struct queue_task *task, char **nodes, char **log, struct error *err);
int reap_give_back_tasks(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err);
int reap_queue(struct queue *queue, struct error *err);
int finish_results(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    struct error *err);
int finish_and_take(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err);
int finish_is_wanted(struct queue *queue, const char *job, const char *task, int64_t attempt, struct error *err);
int status_job(struct queue *queue, const char *job, struct queue_job *out, struct error *err);
int status_list(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err);
int control_skip_task(struct queue *queue, const char *job, const char *task, const char *reason, struct error *err);
int control_job(struct queue *queue, enum queue_control what, const char *job, const char *task, struct error *err);
int limits_list(struct queue *queue, struct queue_limit **list, size_t *count, struct error *err);
int limits_change_all(struct queue *queue, const struct queue_limit *list, size_t count, struct error *err);
int worker_count(struct queue *queue, const struct queue_job *job, size_t *all, size_t *fit, struct error *err);
int watch_open(struct queue *queue, struct error *err);
void engine_set_patient(struct queue *queue, bool patient);
void engine_close(struct queue *queue);
void watch_clear(struct queue *queue, int fd);
struct queue_worker *worker_join(struct queue *queue, const char *label, struct error *err);
int worker_serve(struct queue_worker *worker, const struct queue_want *want, struct error *err);
int worker_renew(struct queue_worker *worker, struct error *err);
void worker_abandon(struct queue_worker *worker);
int worker_leave(struct queue_worker *worker, struct error *err);
int read_plan(struct queue *queue, const char *job, struct buffer *out, struct error *err);
int read_nodes(struct queue *queue, const char *job, struct buffer *out, struct error *err);
int read_tasks(struct queue *queue, const char *job, const struct queue_filter *filter, struct arena *arena,
    struct queue_task_status **list, size_t *count, struct error *err);
int read_events(struct queue *queue, const char *job, uint64_t after, struct buffer *out, struct error *err);
struct queue_follow *events_follow(struct queue *queue, const struct queue_follow_options *options, struct error *err);
int events_next(struct queue_follow *follow, struct queue_event *event, struct error *err);
void events_close(struct queue_follow *follow);
ssize_t logs_read(struct queue *queue, const char *job, const char *task, int64_t attempt, int64_t offset, char *bytes,
    size_t size, struct error *err);
struct queue_logs *logs_open(struct queue *queue, const char *job, struct error *err);
int logs_next(struct queue_logs *logs, const char **task, int64_t *attempt, struct error *err);
void logs_close(struct queue_logs *logs);
int64_t watch_changed_ms(struct queue *queue);
int fsck_check(struct queue *queue, const char *job, struct queue_check *check, struct error *err);
int gc_run(struct queue *queue, const struct queue_gc *options, struct arguments *gone, struct error *err);
int gc_history(struct queue *queue, struct history *history, struct error *err);
int engine_list_ids(struct queue *queue, struct arguments *ids, struct error *err);
int engine_copy(struct queue *queue, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err);
int engine_begin_restore(struct queue *queue, struct error *err);
int engine_end_restore(struct queue *queue, struct error *err);
int stuck_find(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err);

#endif
