/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/steer.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "operation/operate.h"
#include "operation/recorded.h"

/* The job of the operation that is under way; the caller frees it. NULL with a reason. */
static char *
steer_find_job(const char *cluster, const struct manner *manner, struct error *err)
{
	struct operation_list operations = {0};
	struct cluster_list clusters = {0};
	struct account account = {0};
	char *job = NULL;

	if (recorded_open(&account, &manner->ask, STORE_READ, cluster, err) == 0 && clusters_find(&account, cluster,
	    &clusters, err) == 0 &&
	    operation_last(&account, clusters.list[0].id, &operations, err) >= 0) {
		if (operations.count && operations.list[0].status < OPERATION_COMPLETE)
			job = memory_string(operations.list[0].job);
		else
			error_set(err, EX_NO, "%s: nothing is under way", clusters.list[0].name);
	}
	operation_list_release(&operations);
	cluster_list_release(&clusters);
	account_release(&account);
	return job;
}

static int
steer_order_queue(enum queue_order order, const char *job, const struct manner *manner, struct error *err)
{
	char *path = location_spool(manner->drive.spool);
	struct queue *queue = queue_open(path, QUEUE_WRITE, err);
	int result = queue ? queue_order(queue, order, job, NULL, err) : -1;

	if (queue)
		queue_close(queue);
	free(path);
	return result;
}

/* Whoever follows the job settles it; where nobody does, we do. */
static int
steer_settle(const char *cluster, const struct manner *manner, struct error *err)
{
	struct site site;
	int result = site_open(&site, manner, cluster, err) < 0 && err->code != EX_TEMPFAIL ? -1 : 0;

	site_release(&site);
	return result;
}

int
steer(enum queue_order order, const char *cluster, const struct manner *manner, char **job, struct error *err)
{
	struct chain chain = {.drive = manner->drive};

	*job = steer_find_job(cluster, manner, err);
	if (!*job)
		return -1;
	if (order != QUEUE_CANCEL)
		return steer_order_queue(order, *job, manner, err);
	chain.job = *job;
	return chain_stop(&chain, err) < 0 ? -1 : steer_settle(cluster, manner, err);
}
