/* SPDX-License-Identifier: Apache-2.0 */
#include "status/status.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "history/layout.h"
#include "operation/context.h"
#include "operation/find-cluster.h"
#include "queue/read.h"
#include "status/state-line.h"

static struct account_ask
status_ask_of(const struct status_options *options)
{
	return (struct account_ask){.store = options->store, .tenant = options->tenant, .user = options->user};
}

int
status_account(struct account *account, const struct status_options *options, struct error *err)
{
	const struct account_ask ask = status_ask_of(options);

	return find_cluster_account(account, &ask, STORE_READ, err);
}

struct queue *
status_queue(const struct status_options *options)
{
	struct error ignored; /* then nothing is known of any job, which is said where it matters */

	return queue_open(options->spool, QUEUE_READ, &ignored);
}

static int
status_look(struct cluster_status *status, const char *cluster, struct error *err)
{
	struct error unknown;

	cluster_list_release(&status->clusters);
	operation_list_release(&status->operations);
	status->last = NULL;
	if (clusters_find(&status->account, cluster, &status->clusters, err) < 0 ||
	    operation_last(&status->account, status->clusters.list[0].id, &status->operations, err) < 0)
		return -1;
	status->cluster = &status->clusters.list[0];
	cluster_id_text(status->cluster->id, status->id);
	if (status->operations.count)
		status->last = &status->operations.list[0];
	status->under_way = status->last && status->last->status < OPERATION_COMPLETE;
	status->has_job = status->last && status->queue && queue_status_of(status->queue, status->last->job, &status->job,
	    &unknown) == 0;
	return 0;
}

/* An operation that is over is finished first. Where that fails, because another process does it or the user may only read,
 * the state before is shown. */
int
status_again(struct cluster_status *status, struct error *err)
{
	const struct operation_options options = {.ask = status_ask_of(status->options),
	    .runner = {.spool = status->options->spool, .workers = 1, .notice = message_notice}};
	struct operation_context context;
	char id[CLUSTER_ID_SIZE];
	struct error ignored;

	memcpy(id, status->id, sizeof id);
	if (status_look(status, id, err) < 0)
		return -1;
	if (!status->under_way || !status->has_job || !queue_is_finished(status->job.status))
		return 0;
	operation_context_open(&context, &options, id, &ignored);
	operation_context_release(&context);
	return status_look(status, id, err);
}

int
status_open(struct cluster_status *status, const struct status_options *options, const char *cluster, struct error *err)
{
	const struct account_ask ask = status_ask_of(options);

	*status = (struct cluster_status){.options = options};
	if (find_cluster_open(&status->account, &ask, STORE_READ, cluster, err) < 0)
		return -1;
	status->queue = status_queue(options);
	return status_look(status, cluster, err) < 0 ? -1 : status_again(status, err);
}

char *
status_folder(const struct cluster_status *status)
{
	char *state = location_state(), *folder = memory_printf("%s/clusters/%s", state, status->id);

	free(state);
	return folder;
}

struct state_line
status_state_line(const struct cluster_status *status)
{
	struct state_line line = {.cluster = *status->cluster};
	struct error ignored; /* then it is not known that nobody works on it */
	size_t all, fit;

	if (!status->under_way)
		return line;
	line.operation = status->last;
	if (!status->has_job)
		return line;
	line.job = &status->job;
	line.idle = status->job.status == QUEUE_RUNNING &&
	    queue_workers(status->queue, &status->job, &all, &fit, &ignored) == 0 && fit == 0;
	return line;
}

/* The queue knows more of a running operation than the store. */
int
status_layout(struct cluster_status *status, struct error *err)
{
	struct cluster_documents documents = {0};
	struct buffer text = {0};

	if (status->under_way && status->has_job && layout_now(status->queue, status->last->job, &text, err) == 0 && text.data) {
		status->text = buffer_take(&text);
	} else if (clusters_documents(&status->account, status->cluster->id, &documents, err) == 0) {
		status->text = documents.layout;
		documents.layout = NULL;
		cluster_documents_release(&documents);
	}
	buffer_release(&text);
	return status->text ? layout_parse_text(status->text, &status->layout, err) : -1;
}

/* The spool tells of its changes. The moments before the job is in the queue, and between its end and the end of the operation,
 * are polled: the store tells nobody. */
enum { LOOK_MS = 50 };

/* Returns how many milliseconds to sleep; -1: until the spool changes. */
static int
status_patience(const struct cluster_status *status, int64_t deadline_ms)
{
	bool told = status->has_job && !queue_is_finished(status->job.status);
	int64_t left_ms = deadline_ms - clock_monotonic_ms();

	if (deadline_ms < 0)
		return told ? -1 : LOOK_MS;
	if (!told && left_ms > LOOK_MS)
		return LOOK_MS;
	return left_ms < 0 ? 0 : left_ms < INT32_MAX ? (int)left_ms : INT32_MAX;
}

static int
status_wait_on(struct cluster_status *status, int watch, int64_t deadline_ms, struct error *err)
{
	struct pollfd fd = {.fd = watch, .events = POLLIN};

	for (;;) {
		if (watch >= 0)
			queue_watch_clear(status->queue, watch);
		if (status_again(status, err) < 0)
			return -1;
		if (!status->under_way)
			return 0;
		if (deadline_ms >= 0 && clock_monotonic_ms() >= deadline_ms)
			return error_set(err, EX_TEMPFAIL, "%s: job %s is still in progress", status->cluster->name, status->last->job);
		if (poll(&fd, watch >= 0, status_patience(status, deadline_ms)) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
	}
}

int
status_wait(struct cluster_status *status, int64_t timeout_ms, struct error *err)
{
	int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_monotonic_ms() + timeout_ms;
	int watch = status->queue ? queue_watch(status->queue, err) : -1, result;

	if (status->queue && watch < 0)
		return -1;
	result = status_wait_on(status, watch, deadline_ms, err);
	if (watch >= 0)
		close(watch);
	return result;
}

void
status_release(struct cluster_status *status)
{
	if (status->text)
		layout_release(&status->layout);
	free(status->text);
	queue_close(status->queue);
	operation_list_release(&status->operations);
	cluster_list_release(&status->clusters);
	account_release(&status->account);
}
