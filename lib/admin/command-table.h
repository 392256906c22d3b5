/* SPDX-License-Identifier: Apache-2.0
 *
 * What a command says of itself when it is asked for its table of options (--complete-options): options, operands, and
 * subcommands. Hides the lines it is told in, and what the names of arguments mean ("FILE", "TEMPLATE", "table|json").
 */
#ifndef ADMIN_COMMAND_TABLE_H
#define ADMIN_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

struct arguments;

struct command_option {
	const char *letter, *name; /* letter "": it has none */
	const char *kind;          /* of its argument, see below; NULL: it takes none */
	bool optional;             /* its argument stands behind "=", or is left out */
	const char *help;
};

/* The kind of an argument or operand: words ("table|json"), FILE, DIR, NONE (nothing is known of it), or one that
 * completion_words knows (TEMPLATE), with a comma at the end if it is a list of these. */
struct command_operand {
	const char *kind;
	bool repeats;
};

struct command_sub {
	const char *name, *summary;
};

struct command_table { /* zero-initialise; release it; strings live in its arena */
	struct arena arena;
	struct command_option *options;
	size_t option_count, option_capacity;
	struct command_operand *operands;
	size_t operand_count, operand_capacity;
	struct command_sub *subs;
	size_t sub_count, sub_capacity;
};

/* Asks the program that stands first in command, with the subcommands behind it. False if it cannot be asked or does not
 * understand. */
bool command_table_ask(struct command_table *table, const struct arguments *command);

/* Adds an operand as a synopsis calls it: "CLUSTER". */
void command_table_add_operand(struct command_table *table, const char *name, bool repeats);

/* Returns the option that word, "-t" or "--template", names; NULL if there is none. */
const struct command_option *command_table_option(const struct command_table *table, const char *word);

/* Returns the subcommand of that name; NULL if there is none. */
const struct command_sub *command_table_sub(const struct command_table *table, const char *name);

void command_table_release(struct command_table *table);

#endif
