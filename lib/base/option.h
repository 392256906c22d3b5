/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a command as a table, beside the variables they set: parsed with
 * getopt_long(3), shown by --help. -h/--help and --version come by themselves, and --complete-options as the only
 * argument, which prints the table for programs (option-print.h). An argument that is one of some words is called by
 * them, "table|json", and others are refused. Options that were not given take what the user prefers (preference.h): tenant, and output on a
 * terminal.
 *
 *	static struct option_spec options[] = {
 *		OPTION_STRING('t', "template", &name, "NAME", "use this cluster template"),
 *		OPTION_FLAG('n', "dry-run", &dry, "show what would be done"),
 *		OPTION_END
 *	};
 *	static const struct command command = {
 *		"coopr-request", "[OPTION]... -t TEMPLATE", "make a request ...", options, examples };
 *
 *	argv += option_parse(&command, argc, argv);  // exits: 64 on misuse, 0 after --help
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>

struct option_list { /* a repeatable option, in the order given */
	const char **list;
	size_t count, capacity;
};

struct option_change { /* see OPTION_CHANGE */
	bool yes; /* where there is nothing to ask it changes nothing */
	bool quiet;
};

enum { OPTION_NUMBER_MAX = 2147483647 }; /* days of it in milliseconds still fit 64 bits */

enum option_kind {
	OPTION_KIND_END,
	OPTION_KIND_FLAG,   /* bool */
	OPTION_KIND_STRING, /* const char * */
	OPTION_KIND_NUMBER, /* long, 0 to OPTION_NUMBER_MAX */
	OPTION_KIND_UPTO,   /* long, like a number; its argument, behind "=", may be left out: OPTION_NUMBER_MAX */
	OPTION_KIND_LIST,   /* struct option_list */
	OPTION_KIND_RETIRED, /* an earlier letter or name, which is refused; its help is the successor */
};

struct option_spec {
	enum option_kind kind;
	char letter; /* 0: none */
	const char *name; /* NULL: only a letter, of a retired option */
	void *value;
	const char *argument; /* its name in the help, NULL for a flag */
	const char *help;     /* NULL: an earlier name of another option, which is not shown */
};

/* The pointers are checked as those of a conditional are: a table is made of constants. */
#define OPTION_POINTER(type, value) (true ? (value) : (type *)NULL)
#define OPTION_FLAG(letter, name, value, help) \
	{OPTION_KIND_FLAG, letter, name, OPTION_POINTER(bool, value), NULL, help}
#define OPTION_STRING(letter, name, value, argument, help) \
	{OPTION_KIND_STRING, letter, name, OPTION_POINTER(const char *, value), argument, help}
#define OPTION_NUMBER(letter, name, value, argument, help) \
	{OPTION_KIND_NUMBER, letter, name, OPTION_POINTER(long, value), argument, help}
#define OPTION_UPTO(letter, name, value, argument, help) \
	{OPTION_KIND_UPTO, letter, name, OPTION_POINTER(long, value), argument, help}
#define OPTION_LIST(letter, name, value, argument, help) \
	{OPTION_KIND_LIST, letter, name, OPTION_POINTER(struct option_list, value), argument, help}
/* An option of an earlier release: it ends with EX_USAGE and names what to use instead. The help does not have it. */
#define OPTION_RETIRED(letter, name, successor) \
	{OPTION_KIND_RETIRED, letter, name, NULL, NULL, successor}
/* The options of a command that changes something, and has neither to ask nor much to print: others have them beside their own. */
#define OPTION_CHANGE(change) \
	OPTION_FLAG('y', "yes", &(change)->yes, "do not ask"), \
	OPTION_FLAG('q', "quiet", &(change)->quiet, "print nothing but errors")
#define OPTION_COLOUR(value) \
	OPTION_STRING(0, "color", value, "auto|always|never", "when to colour (default: auto, on a terminal)")
#define OPTION_END {OPTION_KIND_END, 0, NULL, NULL, NULL, NULL}

struct command {
	const char *name;
	const char *synopsis; /* what follows the name */
	const char *summary;  /* one sentence */
	const struct option_spec *options;
	const char *examples; /* lines, each indented by two blanks */
};

/* Sets the variables and the name for messages. Returns the index of the first operand.
 * Exits with EX_USAGE after a message on misuse, with 0 after --help or --version. Parsing stops
 * at the first operand where synopsis has the word COMMAND, which has options of its own; where it starts with that (a command
 * with subcommands), --complete-options is an operand, too. */
int option_parse(const struct command *command, int argc, char **argv);

/* Returns which of the commands (the last has no name) a program is called as: one program that has several names in bin/ does
 * what argv[0] says. Exits with EX_USAGE if it is called otherwise. */
const struct command *option_command(const struct command *commands, const char *argv0);

/* Returns the name of an option that was given a file or a folder (its argument is called FILE, FILE|DIR or DIR), other than a
 * "-" that is standard input or output; NULL: none was. */
const char *option_placed(void);

/* Returns whether an option's argument is one of some words, "table|json|jsonpath=TEMPLATE"; what follows an equals sign is free. */
bool option_is_choice(const char *argument);

/* Exits with EX_USAGE if an option was given that is not among names, which end with NULL: it has no effect
 * when, as "with --check" or "without operands". */
void option_only_with(const struct command *command, const char *when, const char *const *names);

/* Exits with EX_USAGE if the option was given, but none of others, which end with NULL and without which it has no effect. */
void option_needs(const struct command *command, const char *name, const char *const *others);

/* Exits with EX_USAGE if both options were given: one of them has no effect then. */
void option_excludes(const struct command *command, const char *name, const char *other);

/* Returns whether argument is --complete-options. A command prints its subcommands then, if it has some: lines of "subcommand",
 * the name and a summary, with tabs between. */
bool option_wants_words(const char *argument);

/* Tells what is wrong with the call and how to get help; returns EX_USAGE. */
int option_misuse(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
