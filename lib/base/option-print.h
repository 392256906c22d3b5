/* SPDX-License-Identifier: Apache-2.0
 *
 * What option.c shows of a table of options.
 */
#ifndef BASE_OPTION_PRINT_H
#define BASE_OPTION_PRINT_H

#include <stddef.h>

#include "base/option.h"

size_t option_count(const struct option_spec *options);

/* Print, and return the exit code. */
int option_print_help(const struct command *command);
int option_print_version(const struct command *command);

/* Prints the table for programs, fields with tabs between:
 *	command  NAME SUMMARY
 *	option   LETTER NAME ARGUMENT FLAGS HELP    FLAGS: "repeat", "optional" (the argument) or ""
 *	retired  LETTER NAME SUCCESSOR
 *	synopsis TEXT */
void option_print_table(const struct command *command);

#endif
