/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/job-control.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operation/busy-error.h"
#include "operation/context.h"
#include "operation/find-cluster.h"
#include "operation/job.h"
#include "store/audit.h"

/* Says that nothing is in progress, and how what has failed or was cancelled goes on. */
static void
job_control_refuse(const struct cluster_record *cluster, const struct operation *last, struct error *err)
{
	bool stays = last && (last->status == OPERATION_FAILED || last->status == OPERATION_CANCELLED) &&
	    (cluster->status == LIFECYCLE_INCOMPLETE || cluster->status == LIFECYCLE_INCONSISTENT);

	if (stays)
		error_set(err, EX_NO, "%s: no operation is in progress; coopr retry %s continues the last one, which is not complete", cluster->name,
		    cluster->name);
	else
		error_set(err, EX_NO, "%s: no operation is in progress", cluster->name);
}

char *
job_control_find_job(const char *cluster, const struct operation_options *options, struct error *err)
{
	struct operation_list operations = {0};
	struct cluster_list clusters = {0};
	struct account account;
	char *job = NULL;

	if (find_cluster(&account, &clusters, &options->ask, STORE_READ, cluster, err) == 0 &&
	    operation_last(&account, clusters.list[0].id, &operations, err) >= 0) {
		if (operations.count && operations.list[0].status < OPERATION_COMPLETE)
			job = memory_string(operations.list[0].job);
		else
			job_control_refuse(&clusters.list[0], operations.count ? &operations.list[0] : NULL, err);
	}
	operation_list_release(&operations);
	cluster_list_release(&clusters);
	account_release(&account);
	return job;
}

/* Records that somebody intervenes in the cluster's job, before it is done. */
static int
job_control_audit(enum queue_control control, const char *cluster, const struct operation_options *options, struct error *err)
{
	static const char *const actions[] = {[QUEUE_PAUSE] = "pause", [QUEUE_RESUME] = "resume", [QUEUE_CANCEL] = "abort"};
	struct audit_event event = {.action = actions[control], .kind = "cluster"};
	struct cluster_list clusters = {0};
	struct account account;
	int result = find_cluster(&account, &clusters, &options->ask, STORE_WRITE, cluster, err);

	if (result == 0) {
		event.name = clusters.list[0].name;
		event.cluster = clusters.list[0].id;
		result = audit_add_alone(account.store, &event, err);
	}
	cluster_list_release(&clusters);
	account_release(&account);
	return result;
}

/* Intervenes in the job. */
static int
job_control_do(enum queue_control control, const char *cluster, const struct operation_options *options, const char *agreed,
    char *job, bool *gone, struct error *err)
{
	struct operation_job running = {.runner = options->runner};
	struct operation_context context;
	struct busy_wait wait = {0};
	struct queue *queue;
	int result;

	if (agreed && strcmp(job, agreed) != 0)
		return error_set(err, EX_NO, "%s: job %s has ended, and job %s is running now, which was left alone; "
		    "run the command again to be asked about it", cluster, agreed, job);
	if (job_control_audit(control, cluster, options, err) < 0)
		return -1;
	if (control != QUEUE_CANCEL) {
		queue = queue_open(options->runner.spool, QUEUE_WRITE, err);
		result = queue ? queue_control(queue, control, job, NULL, err) : -1;
		queue_close(queue);
		return result;
	}
	running.id = job;
	if (operation_job_stop(&running, err) < 0)
		return -1;
	/* Opening the context finishes the operation, unless who follows the job has the cluster and does so. */
	while ((result = operation_context_open(&context, options, cluster, err)) < 0 && busy_error_wait(&wait, options, err))
		operation_context_release(&context);
	result = result < 0 && err->code != EX_TEMPFAIL ? -1 : 0;
	*gone = result == 0 && context.cluster && context.cluster->status == LIFECYCLE_TERMINATED;
	operation_context_release(&context);
	return result;
}

int
job_control(enum queue_control control, const char *cluster, const struct operation_options *options, const char *agreed,
    char **job, bool *gone, struct error *err)
{
	*gone = false;
	*job = job_control_find_job(cluster, options, err);
	if (*job && job_control_do(control, cluster, options, agreed, *job, gone, err) == 0)
		return 0;
	free(*job);
	*job = NULL;
	return -1;
}
