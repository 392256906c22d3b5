/* SPDX-License-Identifier: Apache-2.0
 *
 * The words behind a command, as its table of options (admin/command-table.h) reads them: which of them name files. Where a word could
 * mean several options, it is taken for the one that names a file.
 */
#ifndef REMOTE_WORDS_H
#define REMOTE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct command_option;
struct command_table;

struct words { /* in the order of argv; fill in the first three */
	const struct command_table *table;
	char *const *argv; /* behind the name of the command and its subcommand */
	size_t operand_max; /* behind so many operands nothing is an option */

	size_t next, operands;
	bool all_operands;
};

enum word_use {
	WORD_PLAIN,
	WORD_INPUT,   /* a file or a folder that is read; "-": standard input */
	WORD_OUTPUT,  /* a file that is written */
	WORD_FOREIGN, /* a place that the installation chooses: its store, its spool */
};

struct word {
	const struct command_option *option; /* NULL: an operand */
	size_t index;      /* of the argument that ends with the value */
	const char *value; /* borrowed: the operand, or the value of the option; of a file, its name */
	enum word_use use;
};

/* Gives the next operand, or option that has a value. Returns false behind the last. */
bool words_next(struct words *words, struct word *word);

/* Returns whether the command reads standard input, because a word says so, or because no file is named where one could be. */
bool words_read_input(const struct command_table *table, char *const *argv, size_t operand_max);

#endif
