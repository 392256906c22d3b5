/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "history/status-print.h"

static const char *spool, *format, *colour;
static bool active;

static const struct option_spec options[] = {
	OPTION_FLAG('a', "active", &active, "only jobs that are not finished"),
	OPTION_STRING('o', "output", &format, "table|json|name", "output format (default: table on a terminal, else json)"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue ls", "[OPTION]...", "List the jobs, the one put first at the top.", options,
	"  coopr-queue ls\n"
	"  coopr-queue ls -o name | xargs -n1 coopr-queue show\n"};

static void
ls_verb_print_table(const struct queue_job *list, size_t count)
{
	static const char *const columns[] = {"JOB", "STATUS", "DONE", "RUNNING", "FAILED", "ACTION", "TENANT", "AGE", NULL};
	char age[CLOCK_RFC3339_SIZE];
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < count; i++) {
		const struct queue_job *job = &list[i];

		table_cell(&table, STYLE_PLAIN, "%s", job->id);
		table_cell(&table, status_style(job->status), "%s", queue_status_name(job->status));
		table_cell(&table, STYLE_PLAIN, "%zu/%zu", job->done, job->tasks);
		table_cell(&table, STYLE_PLAIN, "%zu", job->running);
		table_cell(&table, job->failed ? STYLE_BAD : STYLE_PLAIN, "%zu", job->failed);
		table_cell(&table, STYLE_PLAIN, "%s", job->action);
		table_cell(&table, STYLE_PLAIN, "%s", job->tenant);
		table_cell(&table, STYLE_PLAIN, "%s", clock_duration(clock_wall_ms() - job->put_ms, age));
	}
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
}

static void
ls_verb_print_records(const struct queue_job *list, size_t count)
{
	struct buffer line = {0};

	for (size_t i = 0; i < count; i++) {
		buffer_clear(&line);
		status_print(&list[i], NULL, &line);
		fwrite(line.data, 1, line.length, stdout);
	}
	buffer_release(&line);
}

int
verb_ls(int argc, char **argv)
{
	enum status_format wanted;
	struct queue_job *list = NULL;
	struct queue *queue;
	struct error err;
	size_t count = 0;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	wanted = status_format(&command, format, argv[0]);
	queue = verb_open(spool, QUEUE_READ);

	if (queue_list(queue, !active, &list, &count, &err) < 0)
		code = message_error(&err);

	if (wanted == STATUS_TABLE)
		ls_verb_print_table(list, count);
	else if (wanted == STATUS_JSON)
		ls_verb_print_records(list, count);
	for (size_t i = 0; wanted == STATUS_NAME && i < count; i++)
		puts(list[i].id);
	free(list);
	queue_close(queue);
	return message_end(code);
}
