/* SPDX-License-Identifier: Apache-2.0
 *
 * A command made of commands: "coopr-queue put". Each has a table of options, a help and an exit code of its own.
 */
#ifndef BASE_SUBCOMMAND_H
#define BASE_SUBCOMMAND_H

#include "base/option.h"

struct subcommand {
	const char *name; /* NULL ends a list */
	int (*run)(int argc, char **argv); /* argv[0] is the name */
};

/* Runs the one that argv[0] names, and returns its exit code; EX_USAGE with a message where there is none. */
int subcommand_run(const struct command *command, const struct subcommand *list, int argc, char **argv);

#endif
