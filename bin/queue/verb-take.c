/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <signal.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "queue/read.h"

static const char *spool, *job, *worker, *by;
static long count = 1, lease_s = -1;

static const struct option_spec options[] = {
	OPTION_NUMBER(0, "count", &count, "K", "take up to K tasks (default: 1)"),
	OPTION_RETIRED('n', NULL, "--count"),
	OPTION_STRING('J', "job", &job, "JOB", "take only tasks of this job"),
	OPTION_RETIRED('j', NULL, "-J"),
	OPTION_NUMBER(0, "lease", &lease_s, "SECONDS", "keep the task this long (default: its timeout_s)"),
	OPTION_RETIRED('l', NULL, "--lease"),
	OPTION_STRING(0, "worker", &worker, "ID", "take the task for a worker that has joined, without a lease"),
	OPTION_RETIRED('w', NULL, "--worker"),
	OPTION_STRING(0, "by", &by, "NAME", "record this name as the taker (default: your name)"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue take", "[OPTION]...", "Take the ready tasks of highest rank; print a take record for each.", options,
	"  coopr-queue take | coopr-exec | coopr-queue done\n"
	"  coopr-queue take --job 00000042-007 --lease 600 > task.json\n"};

/* Why there was none, as far as it can be told, and the exit code. */
static int
take_verb_explain(struct queue *queue, const struct queue_batch *batch)
{
	char duration[CLOCK_RFC3339_SIZE];
	struct queue_job found;
	struct error err;

	if (batch->trouble.code != 0)
		return message_error(&batch->trouble);
	if (job && queue_status_of(queue, job, &found, &err) == 0 && found.status != QUEUE_RUNNING)
		message("job %s: nothing is ready: it is %s", job, queue_status_name(found.status));
	else if (count == 0)
		message("nothing to take: --count is 0");
	else if (batch->limited)
		message("what is ready is held back by limits (see coopr-queue limit)");
	else if (batch->next_ms >= 0)
		message("nothing is ready; look again in %s", clock_duration(batch->next_ms, duration));
	else
		message("nothing is ready");
	return EX_NO;
}

static int
take_verb_take(struct queue *queue)
{
	const struct queue_want want = {.count = (size_t)count, .job = job, .worker = worker, .by = by,
	    .lease_ms = lease_s < 0 ? -1 : (int64_t)lease_s * 1000};
	struct queue_batch batch;
	struct buffer out = {0};
	struct error err;
	int code = 0;

	if (queue_take(queue, &want, &batch, &err) < 0) {
		code = message_error(&err);
	} else if (batch.count == 0) {
		code = take_verb_explain(queue, &batch);
	} else if (batch.trouble.code != 0) {
		/* The caller got tasks: the exit code is 0. */
		message_error(&batch.trouble);
	}
	for (size_t i = 0; code == 0 && i < batch.count; i++)
		if (queue_task_record(queue, &batch.list[i], &out, &err) < 0)
			code = message_error(&err);
	if (code == 0)
		buffer_print(&out);
	buffer_release(&out);
	if (batch.count > 0) {
		code = message_end(code);
		/* Nobody will know of them. */
		if (code != 0 && queue_give_back(queue, batch.list, batch.count, &err) < 0)
			message_error(&err);
	}
	queue_batch_release(&batch);
	return code;
}

int
verb_take(int argc, char **argv)
{
	struct queue *queue;
	int code;

	argv += option_parse(&command, argc, argv);
	if (argv[0])
		return option_misuse(&command, "it takes no operand, found '%s'; a job is named with --job", argv[0]);
	if (worker && lease_s >= 0)
		return option_misuse(&command, "--worker and --lease: a worker's task has no lease");
	queue = verb_open(spool, QUEUE_WRITE);
	/* If nobody reads, the tasks are given back. */
	signal(SIGPIPE, SIG_IGN);

	code = take_verb_take(queue);

	queue_close(queue);
	return code;
}
