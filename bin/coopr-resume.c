/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-resume: let a paused operation on a cluster go on. Exits with 0; 1 where nothing
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
	"coopr-resume", "[OPTION]... CLUSTER", "Let a paused operation on a cluster go on.", options,
	"  coopr-resume shop\n"};

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct operation_options how = front_options(&command, &front);
	struct error err;
	char *job;

	if (job_control(QUEUE_RESUME, cluster, &how, &job, &err) < 0)
		return message_error(&err);
	message("%s: job %s is resumed", cluster, job);
	free(job);
	return message_end(0);
}
