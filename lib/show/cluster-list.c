/* SPDX-License-Identifier: Apache-2.0 */
#include "show/cluster-list.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "queue/read.h"
#include "status/state-line.h"

static int
cluster_list_compare_operations(const void *a, const void *b)
{
	const struct operation *left = a, *right = b;

	return left->cluster < right->cluster ? -1 : left->cluster > right->cluster;
}

/* Prints the first count of clusters, each with the operation that runs on it. */
static int
cluster_list_print_page(struct account *account, struct queue *queue, const struct cluster_list *clusters, size_t count,
    struct output *output, struct error *err)
{
	struct state_line *lines = memory_zeroed(count, sizeof *lines);
	struct operation_list open = {0};
	struct queue_job *jobs, *job;
	struct error unknown;
	int result = operations_open(account, &open, err) < 0 ? -1 : 0;

	if (open.count)
		qsort(open.list, open.count, sizeof *open.list, cluster_list_compare_operations);
	jobs = job = memory_zeroed(open.count, sizeof *jobs);
	for (size_t i = 0; i < count; i++) {
		const struct operation key = {.cluster = clusters->list[i].id};
		struct state_line *line = &lines[i];

		line->cluster = clusters->list[i];
		if (line->cluster.status == LIFECYCLE_PENDING && open.count)
			line->operation = bsearch(&key, open.list, open.count, sizeof key, cluster_list_compare_operations);
		if (line->operation && queue && queue_status_of(queue, line->operation->job, job, &unknown) == 0)
			line->job = job++;
	}
	if (result == 0)
		list_print(&state_line_clusters, lines, count, output);
	operation_list_release(&open);
	free(jobs);
	free(lines);
	return result;
}

/* Fails if after is an id that the account may not see: the answer would tell where its name stands among others. */
static int
cluster_list_check_after(struct account *account, const char *after, struct error *err)
{
	int64_t id = after ? cluster_id_of(after) : 0;
	struct cluster_list list = {0};
	int result = id ? clusters_find_id(account, id, &list, err) : 0;

	cluster_list_release(&list);
	return result;
}

int
cluster_list_print(const struct status_options *options, const struct cluster_filter *filter, struct output *output,
    char **last, struct error *err)
{
	struct cluster_filter one_more = *filter;
	struct cluster_list clusters = {0};
	struct account account = {0};
	struct queue *queue = NULL;
	char id[CLUSTER_ID_SIZE];
	bool more;
	int result = cluster_filter_check(filter, err) < 0 ? -1 : status_account(&account, options, err);

	*last = NULL;
	one_more.limit += filter->limit > 0;
	if (result > 0 && (result = cluster_list_check_after(&account, filter->after, err)) == 0 &&
	    (result = clusters_list(&account, &one_more, &clusters, err)) == 0) {
		more = filter->limit > 0 && clusters.count > (size_t)filter->limit;
		queue = status_queue(options);
		result = cluster_list_print_page(&account, queue, &clusters, clusters.count - more, output, err);
		if (result == 0 && more)
			*last = memory_string(cluster_id_text(clusters.list[clusters.count - 2].id, id));
		result = result < 0 ? -1 : more;
	}
	queue_close(queue);
	cluster_list_release(&clusters);
	account_release(&account);
	return result;
}
