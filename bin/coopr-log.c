/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-log: prints what the tasks of an operation on a cluster have printed, the newest attempt at each. Exits with 0;
 * 1 where there is no such cluster or task, or the operation that was followed is not complete; 64 on misuse.
 */
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "model/action.h"
#include "operation/front.h"
#include "operation/target.h"
#include "show/transcript.h"
#include "status/status.h"

static struct status_options places;
static struct target_options chosen;
static struct transcript transcript;
static bool follow;
static long number;

static const struct option_spec options[] = {
	OPTION_FLAG('f', "follow", &follow, "follow until the operation is over (exit code 1: it failed)"),
	OPTION_STRING('a', "action", &transcript.action, "TASK-ACTION", "only tasks of this action: create, install, configure, start, ..."),
	OPTION_NUMBER(0, "operation", &number, "N", "operation N of coopr history (default: the last)"),
	TARGET_OPTIONS(&chosen),
	STATUS_PLACES(&places),
	OPTION_COLOUR(&places.colour),
	OPTION_END
};

static const struct command command = {
	"coopr-log", "[OPTION]... CLUSTER[/NODE|/@SERVICE][/SERVICE]", "Show the output of the tasks of an operation on a cluster.", options,
	"  coopr-log shop/1000\n"
	"  coopr-log -a install shop/@nginx/nginx\n"
	"  coopr-log -f shop\n"};

/* As a list that is empty, an empty log is no error. */
static int
log_print(struct error *err)
{
	int printed = transcript_print(&transcript, err);

	if (printed == 0)
		message("job %s: nothing was printed there", transcript.job);
	return printed < 0 ? -1 : 0;
}

static int
log_act(const struct target *target)
{
	struct cluster_status status;
	struct error err;
	int result;

	transcript.target = target;
	result = status_open(&status, &places, target->cluster, &err);
	if (result == 0)
		result = transcript_open(&transcript, &status, number, &err);
	if (result == 0 && follow)
		result = transcript_follow(&transcript, &err);
	else if (result == 0)
		result = log_print(&err);
	if (result < 0)
		message_error(&err);
	transcript_release(&transcript);
	status_release(&status);
	return result < 0 ? err.code : result;
}

int
main(int argc, char **argv)
{
	const char *operand = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct target target;
	int code;

	if (transcript.action && action_of_name(transcript.action) == ACTION_NONE)
		return option_misuse(&command, "--action: there is no action '%s' of tasks", transcript.action);
	target_operand(&command, operand, &chosen, &target);
	message_reader_may_leave();
	transcript.colour = terminal_colour(places.colour, stdout);
	transcript.plain = !isatty(STDOUT_FILENO);
	code = log_act(&target);
	target_release(&target);
	return message_end(code);
}
