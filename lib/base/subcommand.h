/* SPDX-License-Identifier: Apache-2.0
 *
 * A command made of commands: "coopr-queue put". Each has a table of options, a help and an exit code of its own; the help of
 * the whole lists them.
 */
#ifndef BASE_SUBCOMMAND_H
#define BASE_SUBCOMMAND_H

#include "base/option.h"

struct subcommand {
	const char *name; /* NULL ends a list */
	int (*run)(int argc, char **argv); /* argv[0] is the name */
	const char *summary; /* a few words */
};

/* Parses the options of the command itself. Returns the index of the first operand; exits as option_parse does. */
int subcommand_parse(const struct command *command, const struct subcommand *list, int argc, char **argv);

/* Runs the subcommand that argv[0] names and returns its exit code; EX_USAGE with a message if there is none of that name. */
int subcommand_run(const struct command *command, const struct subcommand *list, int argc, char **argv);

/* Does both: all that a main has to do. */
int subcommand_main(const struct command *command, const struct subcommand *list, int argc, char **argv);

#endif
