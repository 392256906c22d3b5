/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/delete.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/location.h"
#include "cluster/chain.h"
#include "cluster/folder.h"
#include "cluster/stage.h"
#include "queue/queue.h"

enum { LOOK_AGAIN_MS = 1000 }; /* for the tasks of workers that have died: no change of the spool tells of that */

/* Waits until nothing of the job runs any more. */
static int
await_finish(struct queue *queue, const char *job, struct error *err)
{
	int watch = queue_watch(queue, err), result;
	struct queue_job now;

	if (watch < 0)
		return -1;
	for (;;) {
		struct pollfd change = {.fd = watch, .events = POLLIN};

		queue_watch_clear(watch);
		result = queue_settle(queue, err) < 0 ? -1 : queue_look(queue, job, &now, err);
		if (result < 0 || queue_is_finished(now.status))
			break;
		if (poll(&change, 1, LOOK_AGAIN_MS) < 0 && errno != EINTR) {
			result = error_errno(err, EX_OSERR, "poll");
			break;
		}
	}
	close(watch);
	return result;
}

/* Sees to it that the job that makes the cluster does nothing more. *known is false where the queue has forgotten it. */
static int
stop_job(const struct chain *chain, const char *job, bool *known, struct error *err)
{
	char *spool = location_spool(chain->drive.spool);
	struct queue *queue = queue_open(spool, QUEUE_WRITE, err);
	struct queue_job now;
	int result = -1;

	free(spool);
	if (!queue)
		return -1;
	*known = queue_look(queue, job, &now, err) == 0;
	if (!*known)
		result = err->code == EX_NO ? 0 : -1;
	else if (queue_is_finished(now.status))
		result = 0;
	else if (queue_order(queue, QUEUE_CANCEL, job, NULL, err) == 0 || err->code == EX_NO)
		result = await_finish(queue, job, err);
	queue_close(queue);
	return result;
}

static int
plan_delete(const struct folder *folder, const char *layout, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	stage_command(&arguments, "coopr-plan");
	arguments_push(&arguments, "--action=delete");
	result = stage_run(&arguments, folder, layout, "delete-plan.ndjson", err);
	arguments_release(&arguments);
	return result;
}

/* Puts the job that takes down what the job made has made. */
static int
put(const struct chain *chain, const char *made, const struct folder *folder, char **job, struct error *err)
{
	const char *layout = "delete-layout.ndjson";
	bool known;

	if (stop_job(chain, made, &known, err) < 0)
		return -1;
	if (!known)
		layout = folder_has(folder, "cluster.ndjson") ? "cluster.ndjson" : "layout.ndjson";
	else if (chain_keep(chain, folder, made, "--layout", layout, err) < 0)
		return -1;
	return plan_delete(folder, layout, err) < 0 ? -1 : chain_put(chain, folder, job, err);
}

/* *job is the job that deletes, NULL where nothing was ever made; the caller frees it. */
static int
find_or_put(const struct chain *chain, const struct folder *folder, char **job, struct error *err)
{
	const struct chain creation = {"", "cluster_create", chain->drive};
	char *made = NULL;
	int result = chain_find_job(chain, folder, job, err);

	if (result == 0 && *job)
		return chain_resume(chain, *job, err);
	if (result == 0)
		result = chain_find_job(&creation, folder, &made, err);
	if (result == 0 && made)
		result = put(chain, made, folder, job, err);
	free(made);
	return result;
}

int
delete_check(const char *name, struct error *err)
{
	struct folder folder;

	if (folder_open(&folder, name, FOLDER_FIND, err) < 0)
		return -1;
	folder_close(&folder);
	return 0;
}

int
delete_cluster(const char *name, const struct drive *drive, struct error *err)
{
	const struct chain chain = {"delete-", "cluster_delete", *drive};
	struct folder folder;
	char *job = NULL;
	int result;

	if (folder_open(&folder, name, FOLDER_FIND, err) < 0)
		return -1;
	result = find_or_put(&chain, &folder, &job, err);
	if (result == 0 && job)
		result = chain_follow(&chain, &folder, job, err);
	free(job);
	if (result == 0)
		return folder_remove(&folder, err);
	folder_close(&folder);
	return -1;
}
