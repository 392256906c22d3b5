/* SPDX-License-Identifier: Apache-2.0
 *
 * report: what a job did, for a terminal, for scripts, or as a page that opens in a browser with nothing else.
 */
#include "verb.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/message.h"
#include "history/report-print.h"
#include "json/record.h"
#include "model/show/output.h"
#include "queue/attempts.h"
#include "queue/read.h"

static const char *spool, *format;

static const struct option_spec options[] = {
	OPTION_STRING('o', "output", &format, OUTPUT_TEXT "|html", "output format (default: text)"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue report", "[OPTION]... JOB|-",
	"Report what a job did, when, why not earlier, and what failed; or the plan and events on stdin.", options,
	"  coopr-queue report 00000042-001\n"
	"  coopr-queue report -o html 00000042-001 >report.html\n"
	"  coopr-plan layout.ndjson | coopr-work --simulate 7 -e | coopr-queue report -o html - >report.html\n"};

static int
report_verb_read_stream(struct attempts *attempts)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;
	int code = 0;

	if (record_reader_open(&reader, "-", &err) < 0)
		return message_error(&err);
	if (attempts_read(&reader, attempts, &problems, &err) < 0)
		code = message_error(&err);
	else if (problems.total > 0)
		code = problems_report(&problems, reader.name);
	record_reader_release(&reader);
	problems_release(&problems);
	return code;
}

static int
report_verb_read_job(struct queue *queue, const char *id, struct queue_job *job, struct attempts *attempts)
{
	struct error err;

	if (queue_status_of(queue, id, job, &err) < 0 || attempts_of_job(queue, id, attempts, &err) < 0)
		return message_error(&err);
	return 0;
}

int
verb_report(int argc, char **argv)
{
	struct attempts attempts = {0};
	struct queue_job job = {0};
	struct queue *queue = NULL;
	struct output output;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	verb_operands(&command, argv, 1, 1);
	output = output_open(format, NULL);
	if (strcmp(argv[0], "-") != 0)
		queue = verb_open(spool, QUEUE_READ);

	code = queue ? report_verb_read_job(queue, argv[0], &job, &attempts) : report_verb_read_stream(&attempts);
	if (code == 0 && report_print(&output, &attempts, &job, NULL, queue, &err) < 0)
		code = message_error(&err);

	attempts_release(&attempts);
	queue_close(queue);
	return message_end(code);
}
