/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/chain.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "cluster/folder.h"
#include "cluster/stage.h"
#include "json/record.h"
#include "queue/queue.h"

static char *
chain_member(const struct chain *chain, const char *name)
{
	return memory_printf("%s%s", chain->prefix, name);
}

static char *
read_job(const struct chain *chain, const struct folder *folder, struct error *err)
{
	char *member = chain_member(chain, "job"), *job = folder_line(folder, member, err);

	free(member);
	return job;
}

/* The id of the cluster that the plan is for, which the caller frees; NULL with a reason. */
static char *
cluster_of_plan(const char *path, struct error *err)
{
	struct record_reader reader;
	char *cluster = NULL;
	jv record;

	if (record_reader_open(&reader, path, err) < 0)
		return NULL;
	if (record_read(&reader, &record, err) > 0) {
		cluster = json_get_string(record, "cluster");
		jv_free(record);
		if (!cluster)
			error_set(err, EX_DATAERR, "%s: the first record is not a job's", path);
	}
	record_reader_release(&reader);
	return cluster;
}

/* The job of a cluster that has the chain's action; a cluster is made once and deleted once. */
static int
search_queue(const struct chain *chain, struct queue *queue, const char *cluster, char **found, struct error *err)
{
	struct queue_job *list = NULL;
	size_t count = 0;

	/* A damaged job is no reason not to go on: were it ours, the next of its cluster would wait behind it. */
	if (queue_list(queue, true, &list, &count, err) < 0 && err->code != EX_DATAERR) {
		free(list);
		return -1;
	}
	for (size_t i = 0; i < count && !*found; i++)
		if (strcmp(list[i].cluster, cluster) == 0 && strcmp(list[i].action, chain->action) == 0)
			*found = memory_string(list[i].id);
	free(list);
	return 0;
}

/* Between the put and the name of its job in our folder, we may have been killed: then the queue knows. */
static int
search_for_plan(const struct chain *chain, const char *plan, char **found, struct error *err)
{
	char *cluster = cluster_of_plan(plan, err), *spool = location_spool(chain->drive.spool);
	struct queue *queue;
	int result = -1;

	if (cluster && !file_exists(AT_FDCWD, spool)) {
		result = 0;
	} else if (cluster && (queue = queue_open(spool, QUEUE_READ, err))) {
		result = search_queue(chain, queue, cluster, found, err);
		queue_close(queue);
	}
	free(spool);
	free(cluster);
	return result;
}

int
chain_find_job(const struct chain *chain, const struct folder *folder, char **job, struct error *err)
{
	char *member = chain_member(chain, "job"), *plan = chain_member(chain, "plan.ndjson"), *path;
	int result = 0;

	*job = NULL;
	if (folder_has(folder, member)) {
		*job = read_job(chain, folder, err);
		result = *job ? 0 : -1;
	} else if (folder_has(folder, plan)) {
		path = folder_path(folder, plan);
		result = search_for_plan(chain, path, job, err);
		free(path);
	}
	free(plan);
	free(member);
	return result;
}

/* Starts an argument vector with a verb of coopr-queue. */
static void
queue_command(const struct chain *chain, const char *verb, struct arguments *arguments)
{
	stage_command(arguments, "coopr-queue");
	arguments_push(arguments, verb);
	if (chain->drive.spool)
		arguments_printf(arguments, "--spool=%s", chain->drive.spool);
}

int
chain_put(const struct chain *chain, const struct folder *folder, char **job, struct error *err)
{
	char *plan = chain_member(chain, "plan.ndjson"), *member = chain_member(chain, "job");
	struct arguments arguments = {0};
	int result;

	queue_command(chain, "put", &arguments);
	result = stage_run(&arguments, folder, plan, member, err);
	*job = result < 0 ? NULL : read_job(chain, folder, err);
	arguments_release(&arguments);
	free(member);
	free(plan);
	return *job ? 0 : -1;
}

int
chain_keep(const struct chain *chain, const struct folder *folder, const char *job, const char *option,
    const char *member, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	queue_command(chain, "show", &arguments);
	arguments_push(&arguments, option);
	arguments_push(&arguments, "--");
	arguments_push(&arguments, job);
	result = stage_run(&arguments, folder, NULL, member, err);
	arguments_release(&arguments);
	return result;
}

/* coopr-queue retry JOB. */
static int
retry(const struct chain *chain, const char *job, struct error *err)
{
	struct arguments arguments = {0};
	struct process process = {.in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_INHERIT};
	int code;

	queue_command(chain, "retry", &arguments);
	arguments_push(&arguments, "--");
	arguments_push(&arguments, job);
	process.argv = arguments.list;
	code = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
	arguments_release(&arguments);
	return code <= 0 ? code : error_set(err, code, "job %s: coopr-queue retry ended with exit code %d", job, code);
}

int
chain_resume(const struct chain *chain, const char *job, struct error *err)
{
	char *spool = location_spool(chain->drive.spool), *text;
	struct queue *queue = queue_open(spool, QUEUE_READ, err);
	struct queue_job now;
	int result = -1;

	free(spool);
	if (!queue)
		return -1;
	result = queue_look(queue, job, &now, err);
	queue_close(queue);
	if (result < 0 || (now.status != QUEUE_FAILED && now.status != QUEUE_CANCELLED))
		return result;
	text = memory_printf("job %s %s before: what is not done of it is tried again", job,
	    now.status == QUEUE_FAILED ? "failed" : "was cancelled");
	chain->drive.notice(text);
	free(text);
	return retry(chain, job, err);
}

/* coopr-queue show JOB on stderr: why the job failed is what a person wants to read there. */
static void
show_failure(const struct chain *chain, const char *job)
{
	struct arguments arguments = {0};
	struct process process = {.in = PROCESS_NULL, .out = STDERR_FILENO, .err = PROCESS_INHERIT};
	struct error ignored; /* it is the failure itself that is reported */

	queue_command(chain, "show", &arguments);
	arguments_push(&arguments, "--output=table");
	arguments_push(&arguments, "--");
	arguments_push(&arguments, job);
	process.argv = arguments.list;
	if (process_start(&process, &ignored) == 0)
		process_wait(&process, &ignored);
	arguments_release(&arguments);
}

int
chain_follow(const struct chain *chain, const struct folder *folder, const char *job, struct error *err)
{
	if (drive_job(&chain->drive, folder, job, err) == 0)
		return 0;
	if (err->code == EX_NO) {
		show_failure(chain, job);
		return error_set(err, EX_NO,
		    "%s: job %s failed; once its cause is mended, run the same command again", folder->name, job);
	}
	return -1;
}
