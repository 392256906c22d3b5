/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-hook: lists the hooks of coopr-hooks(7), tries them, and delivers what they could not be told when it happened.
 * Exits with 0; 1 where a hook refuses, or not all has been delivered; 64 on misuse; 75 where a required hook cannot be
 * asked; 78 where a hook is not configured as it has to be.
 */
#include "account/guest.h"
#include "base/error.h"
#include "base/message.h"
#include "base/subcommand.h"
#include "hook/hook-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", hook_verb_list, "list the hooks, and how many messages wait for each"},
	{"try", hook_verb_try, "tell all hooks of an event that does not happen"},
	{"deliver", hook_verb_deliver, "deliver the messages that are due"},
	{0}};

static const struct command command = {
	"coopr-hook", "COMMAND [OPTION]... [ARGUMENT]...",
	"Manage hooks, which are told when clusters change.", options,
	"  coopr-hook list\n"
	"  coopr-hook try start create\n"
	"  coopr-hook deliver\n"};

int
main(int argc, char **argv)
{
	struct error err;
	int first;

	first = subcommand_parse(&command, subcommands, argc, argv);
	if (guest_refuse("hooks", &err) < 0)
		return message_error(&err);
	return subcommand_run(&command, subcommands, argc - first, argv + first);
}
