/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/message.h"
#include "json/place.h"
#include "json/record.h"
#include "verb.h"

#include <signal.h>
#include <stdio.h>

static const char *spool, *job;
static long backoff_ms = QUEUE_BACKOFF_MS;
static struct option_change change;
static bool paused, dry;

static const struct option_spec options[] = {
	OPTION_STRING('J', "job", &job, "ID", "the id of the job (default: the plan's, or the cluster's next one)"),
	OPTION_RETIRED('j', NULL, "-J"),
	OPTION_NUMBER(0, "backoff-ms", &backoff_ms, "MS", "wait this long before the first retry (default: 1000)"),
	OPTION_FLAG(0, "paused", &paused, "pause the job: no task is taken before it is resumed"),
	OPTION_RETIRED('p', NULL, "--paused"),
	OPTION_FLAG(0, "dry-run", &dry, "only check the plan"),
	OPTION_RETIRED('n', NULL, "--dry-run"),
	OPTION_CHANGE(&change),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue put", "[OPTION]... [PLAN]", "Put a plan into the spool as a job; print the job's id.", options,
	"  coopr-plan layout.ndjson | coopr-queue put\n"
	"  coopr-queue put --job 00000042-007 plan.ndjson\n"
	"  coopr-queue put --dry-run plan.ndjson\n"};

static int
put_verb_put(struct queue *queue, struct record_reader *reader, char id[QUEUE_ID_SIZE])
{
	const struct queue_put put = {job, backoff_ms, paused};
	struct problems problems = {0};
	struct error err;
	int code = 0;

	if ((dry ? queue_check_plan(reader, &problems, &err) : queue_put(queue, reader, &put, id, &problems, &err)) < 0) {
		problems_report(&problems, reader->name);
		code = message_error(&err);
	}
	problems_release(&problems);
	return code;
}

/* Whoever cannot be told the id would put the plan again. */
static int
put_verb_tell(const char *id)
{
	int code;

	puts(id);
	code = message_end(0);
	if (code != 0)
		message("job %s was put, although its id could not be printed; do not put the plan again", id);
	return code;
}

int
verb_put(int argc, char **argv)
{
	struct record_reader reader;
	struct queue *queue = NULL;
	char id[QUEUE_ID_SIZE];
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (argv[0] && argv[1])
		return option_misuse(&command, "one plan at a time, found also '%s'", argv[1]);
	if (record_reader_open(&reader, argv[0], &err) < 0)
		return message_error(&err);
	if (!dry)
		queue = verb_open(spool, QUEUE_WRITE);

	signal(SIGPIPE, SIG_IGN); /* its end is an error like any other */

	code = put_verb_put(queue, &reader, id);

	if (code == 0 && !dry && !change.quiet)
		code = put_verb_tell(id);
	queue_close(queue);
	record_reader_release(&reader);
	return code;
}
