/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-exec: reads one task from stdin, as coopr-queue take prints it, has its plugin do it, and prints
 * one result record, whatever became of the task. What the plugin says goes to the task's log and to stderr
 * as it comes.
 *
 * Exits 0 once a result is printed, whatever its status; 64 usage, 65 the task is malformed or not one, 66
 * there is none, 71 or 73 where it cannot even be tried; with -n also 78, there is no such plugin.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "cluster/secrets.h"
#include "exec/redaction.h"
#include "exec/run.h"
#include "exec/task.h"
#include "exec/verdict.h"
#include "json/record.h"

static bool dry_run, quiet;

static const struct option_spec options[] = {
	OPTION_FLAG('n', "dry-run", &dry_run, "print what would be run, and run nothing"),
	OPTION_FLAG('q', "quiet", &quiet, "do not show on stderr what the plugin says"),
	OPTION_END
};

static const struct command command = {
	"coopr-exec", "[-nq]", "Do one task, read from standard input, and print its result.", options,
	"  coopr-queue take | coopr-exec | coopr-queue done    one task by hand\n"
	"  coopr-queue take | tee task.json | coopr-exec -n    see what would be run\n"
	"  coopr-exec <task.json                               the same task again\n"
};

/* Says what would be run. */
static int
show(const struct task *task)
{
	struct arguments argv = {0};
	struct error err;
	jv record, words;

	if (run_command(task, &argv, &err) < 0)
		return message_error(&err);
	record = jv_object();
	words = jv_array();
	for (size_t i = 0; i < argv.count; i++)
		words = jv_array_append(words, jv_string(argv.list[i]));
	json_set_string(&record, "kind", "command");
	json_set_string(&record, "task", task->id);
	json_set(&record, "argv", words);
	json_set_number(&record, "timeout_s", (double)task->timeout_s);
	json_set_string(&record, "log", task->log);
	record_write(record, stdout);
	jv_free(record);
	arguments_release(&argv);
	return 0;
}

static int
act(struct task *task)
{
	struct redaction secrets = {0};
	struct error err;
	int code = 0;
	jv result;

	task->handed = jv_copy(task->source);
	if (secrets_fill(&task->handed, &secrets, &err) < 0)
		result = verdict_refusal(task, err.code, err.text);
	else if (run_task(task, &secrets, quiet, &result, &err) < 0)
		code = message_error(&err);
	if (code == 0) {
		record_write(result, stdout);
		jv_free(result);
	}
	redaction_release(&secrets);
	return code;
}

int
main(int argc, char **argv)
{
	struct problems problems = {0};
	struct error err;
	struct task task;
	int code;

	message_program("coopr-exec");
	if (argv[option_parse(&command, argc, argv)])
		return option_misuse(&command, "the task is read from standard input; there are no operands");

	if (task_read(STDIN_FILENO, "standard input", &task, &problems, &err) < 0)
		code = message_error(&err);
	else if (problems.total > 0)
		code = problems_report(&problems, "standard input");
	else
		code = dry_run ? show(&task) : act(&task);

	problems_release(&problems);
	task_release(&task);
	return message_end(code);
}
