/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-abort: give up the operation that is under way on a cluster; what it has made stays until it is tried again, rolled back or deleted. Exits with 0; 1 where nothing
 * is under way; 64 on misuse.
 */
#include <stdlib.h>

#include "base/message.h"
#include "operation/front.h"
#include "operation/job-control.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-abort", "[OPTION]... CLUSTER", "Give up the operation that is under way on a cluster.", options,
	"  coopr-abort shop\n"};

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct operation_options how = front_options(&command, &front);
	struct error err;
	char *job;

	if (job_control(QUEUE_CANCEL, cluster, &how, &job, &err) < 0)
		return message_error(&err);
	message("%s: job %s is cancelled", cluster, job);
	free(job);
	return message_end(0);
}
