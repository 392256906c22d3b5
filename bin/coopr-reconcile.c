/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-reconcile: from cron, settles what is over, deletes clusters whose lease has ended, tells hooks what they are still to
 * be told, and compares the machines that are there with those that are recorded. Any number may run at once, and be killed
 * anywhere. Exits with 0 where all agrees; 1 where something differs, which it prints; 64 on misuse; 77 where one is no superadmin;
 * else as the first thing that failed, after all else was done.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "cluster/front.h"
#include "cluster/reconcile.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct reconcile_wish wish;
static bool work;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "repair", &wish.repair, "replace machines that vanished"),
	OPTION_FLAG(0, "delete-unowned", &wish.delete_unowned, "delete machines that belong to no cluster"),
	OPTION_FLAG(0, "work", &work, "work jobs off here, where no workers run"),
	OPTION_NUMBER('j', "jobs", &front.jobs, "N", "do so many tasks at one time (default: 20)"),
	FRONT_PLACES(&front),
	OPTION_STRING('o', "output", &front.format, "FORMAT", "table or json (default: table on a terminal)"),
	OPTION_STRING(0, "color", &front.colour, "WHEN", "auto, always or never"),
	OPTION_END
};

static const struct command command = {
	"coopr-reconcile", "[OPTION]...", "Make what is recorded of clusters agree with what is there.", options,
	"  coopr-reconcile\n"
	"  coopr-reconcile --repair\n"
	"  coopr-reconcile --repair --delete-unowned --work\n"};

static void
print(const struct drift_list *drift)
{
	if (front.format ? strcmp(front.format, "table") == 0 : isatty(STDOUT_FILENO))
		drift_print(drift, stdout, terminal_colour(front.colour, stdout));
	else
		drift_write(drift, stdout);
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct drift_list drift = {0};
	struct error err;
	int code;

	if (operands[0])
		return option_misuse(&command, "no operand is wanted, found '%s'", operands[0]);
	wish.manner = front_manner(&command, &front);
	wish.manner.detach = !work;

	code = reconcile(&wish, &drift, &err);

	if (code < 0)
		code = message_error(&err);
	print(&drift);
	if (code == 0 && drift.count > 0)
		code = EX_NO;
	drift_release(&drift);
	return message_end(code);
}
