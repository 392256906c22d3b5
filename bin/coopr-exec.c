/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-exec CLUSTER COMMAND...: runs a command on all nodes of a cluster at once, and prints what it says, the node
 * before each line. Exits with the highest exit code of any, 255 where a node was not reached; 1 where there is no such
 * cluster or node, 64 on misuse.
 *
 * Without operands: reads one task from stdin, as coopr-queue take prints it, has its plugin do it, and prints one
 * result record, whatever became of the task. What the plugin says goes to the task's log and to stderr as it comes.
 *
 * Exits 0 once a result is printed, whatever its status; 64 usage, 65 the task is malformed or not one, 66 there is
 * none, 71 or 73 where it cannot even be tried; with -n also 78, there is no such plugin.
 */
#include <stdio.h>
#include <unistd.h>

#include "account/guest.h"
#include "archive/receipt.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/terminal.h"
#include "exec/attempt-result.h"
#include "exec/redaction.h"
#include "exec/run.h"
#include "json/record.h"
#include "model/take/task.h"
#include "operation/target.h"
#include "show/everywhere.h"
#include "ssh/archive-pipe.h"
#include "status/status.h"
#include "volume/serve.h"
#include "worker/identity.h"
#include "worker/login-files.h"
#include "worker/machine-claims.h"
#include "worker/secrets.h"

static struct option_change change;
static bool dry_run;
static struct status_options places;
static struct target_options chosen;
static long at_once = 32;

static const struct option_spec options[] = {
	TARGET_OPTIONS(&chosen),
	OPTION_FLAG(0, "dry-run", &dry_run, "print what would be run, and run nothing"),
	OPTION_RETIRED('n', NULL, "--dry-run"),
	OPTION_FLAG('y', "yes", &change.yes, "do not ask for confirmation"),
	OPTION_FLAG('q', "quiet", &change.quiet, "do not show the output of the plugin or command"),
	OPTION_NUMBER('j', "jobs", &at_once, "N", "run on at most N nodes in parallel (default: 32)"),
	STATUS_PLACES(&places),
	OPTION_COLOUR(&places.colour),
	OPTION_END
};

static const struct command command = {
	"coopr-exec", "[OPTION]... [CLUSTER[/NODE|/@SERVICE] [OPTION]... [--] COMMAND [ARGUMENT]...]",
	"Run a command on all nodes of a cluster; without operands, do one task read from standard input.", options,
	"  coopr-exec shop uptime                              on each node\n"
	"  coopr-exec shop -N 1000 -N 1001 -- uptime           on two nodes\n"
	"  coopr-exec shop/@nginx 'nginx -t && df -h /var'     where nginx is\n"
	"  coopr-queue take | coopr-exec | coopr-queue done    one task by hand\n"
	"  coopr-queue take | tee task.json | coopr-exec --dry-run    see what would be run\n"
	"  coopr-exec <task.json                               the same task again\n"
};

static int
exec_run_everywhere(const struct target *target, char *const *words)
{
	struct everywhere what = {.target = target, .words = words, .at_once = (size_t)at_once, .dry = dry_run,
	    .quiet = change.quiet,
	    .colour = terminal_colour(places.colour, stdout)};
	struct cluster_status status;
	struct error err;
	int code = -1;

	if (status_open(&status, &places, target->cluster, &err) == 0 && status_layout(&status, &err) == 0) {
		what.status = &status;
		code = everywhere_run(&what, &err);
	}
	status_release(&status);
	return code < 0 ? message_error(&err) : code;
}

/* operands are the cluster, options that stand behind it, and the command. */
static int
exec_on_cluster(int count, char **operands)
{
	char **words = operands + option_parse(&command, count, operands);
	struct target target;
	int code;

	if (at_once < 1)
		return option_misuse(&command, "--jobs: expected a number from 1 on");
	target_operand_nodes(&command, operands[0], &chosen, &target);
	code = words[0] ? exec_run_everywhere(&target, words) : option_misuse(&command, "missing argument COMMAND");
	target_release(&target);
	return code;
}

/* Says what would be run. */
static int
exec_show(const struct task *task)
{
	struct arguments argv = {0};
	struct error err;
	jv record;

	if (run_command(task, &argv, &err) < 0)
		return message_error(&err);
	record = jv_object();
	json_set_string(&record, "kind", "command");
	json_set_string(&record, "task", task->id);
	json_set(&record, "argv", json_strings((const char *const *)argv.list, argv.count));
	json_set_number(&record, "timeout_s", (double)task->timeout_s);
	json_set_string(&record, "log", task->log);
	record_write(record, stdout);
	jv_free(record);
	arguments_release(&argv);
	return 0;
}

/* Refuses the success of a task that is to move an archive and has not. */
static void
exec_judge_archive(const struct task *task, int receipt, jv *result)
{
	bool gives = task->action == ACTION_RESTORE;
	struct arena arena = {0};
	struct error err;
	const char *key = archive_pipe_key(task, &arena, &err);

	if (key && !receipt_has(receipt, gives ? "get" : "put", key))
		error_set(&err, EX_SOFTWARE, "automator/%s ended with 0, but it has not %s the archive %s (see coopr-plugins(7))", task->type,
		    gives ? "read all of" : "made", key);
	else if (key)
		err.code = 0;
	if (err.code != 0) {
		jv_free(*result);
		*result = attempt_refusal(task, err.code, err.text);
	}
	arena_release(&arena);
}

/* Has the plugin do the task, again with every machine that it asks for. */
static int
exec_call(struct task *task, struct redaction *secrets, jv *result, struct error *err)
{
	int receipt = -1, again = 0, code = 0;

	if (action_moves_archive(task->action) && (receipt = receipt_begin(err)) < 0)
		return -1;
	do {
		jv_free(*result);
		code = run_task(task, secrets, change.quiet, result, err);
		if (code == 0)
			again = machine_claims_serve(task, result);
	} while (code == 0 && again);
	if (code == 0)
		volume_serve_end(task, result);
	if (code == 0 && receipt >= 0 && json_get_number(*result, "status", 1) == 0)
		exec_judge_archive(task, receipt, result);
	if (receipt >= 0)
		close(receipt);
	return code;
}

/* Gives the task what it logs in with. A machine is given back also where that is not there any more. */
static int
exec_give_login(const struct task *task, struct login_files *logins, jv *handed, struct login_file **login, struct error *err)
{
	if (task->action == ACTION_FENCE)
		return 0; /* nobody logs in to that machine any more */
	if (login_files_fill(logins, handed, login, err) == 0)
		return login_files_add_key(task, handed, err);
	if (task->action != ACTION_DELETE)
		return -1;
	message("%s", err->text);
	return 0;
}

static int
exec_act(struct task *task)
{
	struct login_files logins = {0};
	struct login_file *login = NULL;
	struct redaction secrets = {0};
	struct error err;
	int code = 0;
	jv result = jv_invalid();

	task->handed = jv_copy(task->source);
	if (machine_claims_check_own(task, &err) < 0 || identity_tell(task, &task->handed, &err) < 0 ||
	    secrets_fill(&task->handed, &secrets, &err) < 0 || exec_give_login(task, &logins, &task->handed, &login, &err) < 0 || volume_serve_begin(task, &err) < 0)
		result = attempt_refusal(task, err.code, err.text);
	else if (exec_call(task, &secrets, &result, &err) < 0)
		code = message_error(&err);
	if (code == 0) {
		record_write(result, stdout);
		jv_free(result);
	}
	login_files_leave(login);
	login_files_close(&logins);
	redaction_release(&secrets);
	return code;
}

static int
exec_task(void)
{
	struct problems problems = {0};
	struct error err;
	struct task task;
	int code;

	if (guest_refuse("doing a task", &err) < 0)
		return message_error(&err);
	if (task_read(STDIN_FILENO, "standard input", &task, &problems, &err) < 0)
		code = message_error(&err);
	else if (problems.total > 0)
		code = problems_report(&problems, "standard input");
	else
		code = dry_run ? exec_show(&task) : exec_act(&task);
	problems_release(&problems);
	task_release(&task);
	return code;
}

int
main(int argc, char **argv)
{
	int first = option_parse(&command, argc, argv);

	if (argv[first])
		return message_end(exec_on_cluster(argc - first, argv + first));
	if (chosen.nodes.count || chosen.services.count)
		return option_misuse(&command, "missing argument CLUSTER");
	option_only_with(&command, "without a cluster", (const char *const[]){"dry-run", "yes", "quiet", NULL});
	return message_end(exec_task());
}
