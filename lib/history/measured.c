/* SPDX-License-Identifier: Apache-2.0 */
#include "history/measured.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "queue/history.h"
#include "queue/read.h"

enum { TASKS_READ = 2000 }; /* of more tasks than these a plan need not know, nor anybody wait until they are read */

/* Returns whether no task of the job was attempted yet: it has nothing to tell. */
static bool
measured_is_untouched(const struct queue_job *job)
{
	return job->blocked + job->ready + job->skipped == job->tasks;
}

/* Adds the newest jobs that were begun. One that was damaged or removed meanwhile tells nothing. */
static void
measured_add_jobs(struct queue *queue, const struct queue_job *list, size_t count, struct history *history)
{
	struct error ignored;
	size_t tasks = 0;

	while (count-- > 0 && tasks < TASKS_READ) {
		struct attempts attempts = {0};

		if (measured_is_untouched(&list[count]))
			continue;
		if (attempts_of_job(queue, list[count].id, &attempts, &ignored) == 0)
			history_add(history, &attempts);
		tasks += list[count].tasks;
		attempts_release(&attempts);
	}
}

int
measured_expectations(struct queue *queue, struct buffer *out, struct error *err)
{
	struct history history = {0};
	struct queue_job *list = NULL;
	struct error ignored;
	size_t count = 0;
	int result = queue_history(queue, &history, err);

	if (result == 0) {
		queue_list(queue, true, &list, &count, &ignored);
		measured_add_jobs(queue, list, count, &history);
		history_print_expectations(&history, out);
	}
	free(list);
	history_release(&history);
	return result;
}
