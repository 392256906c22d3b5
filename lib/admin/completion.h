/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion for shells, made of the tables of options that the commands themselves print (--complete-options). A command
 * is called by its path: "" is coopr itself, "queue put" is coopr-queue put.
 */
#ifndef ADMIN_COMPLETION_H
#define ADMIN_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

struct error;

struct completion_option {
	const char *letter, *name; /* letter "": none */
	const char *kind;          /* of its argument, see below; NULL: it takes none */
	bool repeats;              /* it may be given more than once */
	bool optional;             /* its argument stands behind "=", or is left out */
	const char *help;
};

/* What an argument or operand is: words ("table|json"), FILE, DIR, NONE (nothing is known of it), or something that
 * completion_words knows (TEMPLATE), with a comma at the end where it is a list of these. */
struct completion_operand {
	const char *kind;
	bool repeats;
};

struct completion_command {
	const char *path, *summary;
	struct completion_option *options;
	size_t option_count, option_capacity;
	struct completion_operand *operands;
	size_t operand_count, operand_capacity;
	const char **subcommands; /* their last words */
	size_t subcommand_count, subcommand_capacity;
};

struct completion { /* zero-initialise; release it */
	struct arena arena;
	struct completion_command *list; /* coopr first; a command before its subcommands */
	size_t count, capacity;
};

/* Asks all commands of the installation. */
int completion_gather(struct completion *completion, struct error *err);
void completion_release(struct completion *completion);

/* The command of a path, NULL where there is none. */
const struct completion_command *completion_find(const struct completion *completion, const char *path);

/* Print the script for a shell. */
void completion_print_bash(const struct completion *completion);
void completion_print_zsh(const struct completion *completion);
void completion_print_fish(const struct completion *completion);

/* Prints the words that something of this kind can be here and now, one a line: names of clusters, of templates, ... None
 * for a kind that it does not know. */
void completion_print_words(const char *kind);

#endif
