/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"
#include "queue/status-print.h"

static const char *spool, *format, *colour;
static bool active;

static const struct option_spec options[] = {
	OPTION_FLAG('a', "active", &active, "only jobs that are not finished"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_NAMES),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue ls", "[OPTION]...", "List the jobs, the one put first at the top.", options,
	"  coopr-queue ls\n"
	"  coopr-queue ls -o name | xargs -n1 coopr-queue show\n"};

int
verb_ls(int argc, char **argv)
{
	struct queue_job *list = NULL;
	struct output output;
	struct queue *queue;
	struct error err;
	size_t count = 0;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	verb_no_operands(&command, argv);
	output = output_open(format, colour);
	queue = verb_open(spool, QUEUE_READ);

	if (queue_list(queue, !active, &list, &count, &err) < 0)
		code = message_error(&err);
	list_print(&status_job_list, list, count, &output);

	free(list);
	queue_close(queue);
	return message_end(code);
}
