/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-report: reports what an operation on a cluster did, how long each part took, what it waited for, and what failed first. Exits
 * with 0; 1 where there is no such cluster or operation, or it was done without a job; 64 on misuse.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "cluster/operation-files.h"
#include "history/report-print.h"
#include "model/show/output.h"
#include "operation/front.h"
#include "queue/attempts.h"
#include "queue/read.h"
#include "status/status.h"

static struct status_options places;
static long number;

static const struct option_spec options[] = {
	OPTION_NUMBER(0, "operation", &number, "N", "operation N of coopr history (default: the last)"),
	OPTION_STRING('o', "output", &places.format, OUTPUT_TEXT "|html", "output format (default: text)"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command command = {
	"coopr-report", "[OPTION]... CLUSTER", "Report what an operation on a cluster did, how long it took and what failed.", options,
	"  coopr-report shop\n"
	"  coopr-report -o html shop >report.html\n"
	"  coopr-report --operation 1 shop\n"};

/* Returns the operation that is asked for; NULL with a reason. */
static const struct operation *
report_find_operation(struct cluster_status *status, struct error *err)
{
	const struct operation *operation = status->last;

	if (number) {
		if (operation_find(&status->account, status->cluster->id, number, &status->operations, err) < 0)
			return NULL;
		operation = &status->operations.list[status->operations.count - 1];
	}
	if (operation && operation->job)
		return operation;
	error_set(err, EX_NO, number ? "%s: operation %ld was done at once, without a job" : "%s: no operation had a job",
	    status->cluster->name, number);
	return NULL;
}

/* Reads what the store keeps of an operation whose job has left the queue: its plan and its events. */
static int
report_read_kept(const struct cluster_status *status, const struct operation *operation, struct attempts *attempts, struct error *err)
{
	struct store *store = status->account.store;
	struct buffer text = {0};
	int got = operation_file_get(store, operation->cluster, operation->number, "plan.ndjson", &text, err);

	if (got > 0)
		got = operation_file_get(store, operation->cluster, operation->number, "events.ndjson", &text, err);
	if (got > 0)
		return attempts_of_text(operation->job, &text, attempts, err);
	buffer_release(&text);
	return got < 0 ? -1 : error_set(err, EX_NO, "%s: job %s: it was removed from the queue, and the store has no copy of its events",
	    status->cluster->name, operation->job);
}

static int
report_act(struct cluster_status *status, const char *cluster, struct output *output, struct error *err)
{
	const struct operation *operation = NULL;
	struct attempts attempts = {0};
	struct queue_job job = {0};
	struct error ignored;
	int result = status_open(status, &places, cluster, err);

	if (result == 0)
		operation = report_find_operation(status, err);
	if (!operation)
		return -1;
	if (!status->queue || queue_status_of(status->queue, operation->job, &job, &ignored) < 0) {
		job = (struct queue_job){0};
		result = report_read_kept(status, operation, &attempts, err);
	} else {
		result = attempts_of_job(status->queue, operation->job, &attempts, err);
	}
	if (result == 0)
		result = report_print(output, &attempts, &job, operation->action, job.id[0] ? status->queue : NULL, err);
	attempts_release(&attempts);
	return result;
}

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct output output = output_open(places.format, NULL);
	struct cluster_status status = {0};
	struct error err;
	int code = report_act(&status, cluster, &output, &err) < 0 ? message_error(&err) : 0;

	status_release(&status);
	return message_end(code);
}
