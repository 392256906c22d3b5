/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option-print.h"
#include "base/preference.h"
#include "base/suggest.h"
#include "base/toolbox.h"

enum {
	VALUE_HELP = 256,     /* what getopt_long returns for options; letters are below */
	VALUE_VERSION,
	VALUE_FIRST,          /* ... for the first of the table */
};

enum { WORDS_MAX = 16, FOUND_BYTES = 60 /* of an argument that is repeated */ }; /* that an argument may be one of */

int
option_misuse(const struct command *command, const char *format, ...)
{
	va_list ap;
	char *what;

	va_start(ap, format);
	what = memory_vprintf(format, ap);
	va_end(ap);
	message("%s; see: %s --help", what, command->name);
	free(what);
	return EX_USAGE;
}

static const char *placed;

/* Returns whether an option has an argument, as getopt_long says it. A retired option is told whatever follows it. */
static int
option_argument(const struct option_spec *spec)
{
	if (spec->kind == OPTION_KIND_FLAG)
		return no_argument;
	return spec->kind == OPTION_KIND_UPTO || spec->kind == OPTION_KIND_RETIRED ? optional_argument : required_argument;
}

/* Returns the table as getopt_long wants it; letters receives the short options. The caller frees both. */
static struct option *
option_tables_for_getopt(const struct command *command, struct buffer *letters)
{
	size_t count = option_count(command->options), filled = 0;
	struct option *longs = memory_zeroed(count + 3, sizeof *longs);

	/* "+": stop at the first operand; ":": tell a missing argument from an unknown option. */
	buffer_text(letters, strstr(command->synopsis, "COMMAND") ? "+:h" : ":h");
	for (size_t i = 0; i < count; i++) {
		const struct option_spec *spec = &command->options[i];
		int argument = option_argument(spec);

		if (spec->name)
			longs[filled++] = (struct option){spec->name, argument, NULL, VALUE_FIRST + (int)i};
		if (spec->letter)
			buffer_printf(letters, "%c%s", spec->letter, argument == no_argument ? "" : argument == optional_argument
			    ? "::" : ":");
	}
	longs[filled++] = (struct option){"help", no_argument, NULL, VALUE_HELP};
	longs[filled] = (struct option){"version", no_argument, NULL, VALUE_VERSION};
	return longs;
}

static const struct option_spec *
option_spec_of(const struct command *command, int value)
{
	size_t count = option_count(command->options);

	if (value >= VALUE_FIRST)
		return &command->options[value - VALUE_FIRST];
	for (size_t i = 0; i < count; i++)
		if (value && command->options[i].letter == value)
			return &command->options[i];
	return NULL;
}

/* Sets a number. Returns an exit code, or -1 to continue. */
static int
option_set_number(const struct command *command, const struct option_spec *spec, const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number > OPTION_NUMBER_MAX)
		return option_misuse(command, "--%s: expected a whole number from 0 to %d, found '%s'", spec->name,
		    OPTION_NUMBER_MAX, text);
	*(long *)spec->value = number;
	return -1;
}

bool
option_is_choice(const char *argument)
{
	bool several = strchr(argument, '|') != NULL;

	for (const char *each = argument; several && *each; each += strcspn(each, "|"), each += *each == '|') {
		size_t length = strspn(each, "abcdefghijklmnopqrstuvwxyz0123456789-");

		several = length > 0 && (!each[length] || strchr("|=", each[length]));
	}
	return several;
}

/* Returns whether a word is among words; of one with an argument, "jsonpath=TEMPLATE", whether it begins so. */
static bool
option_is_among(const char *word, const char *words)
{
	for (const char *each = words; *each; each += strcspn(each, "|"), each += *each == '|') {
		size_t length = strcspn(each, "|="), whole = length + (each[length] == '=');

		if (strncmp(each, word, whole) == 0 && (whole > length || !word[length]))
			return true;
	}
	return false;
}

static int
option_wrong_word(const struct command *command, const struct option_spec *spec, const char *word)
{
	char *words = memory_string(spec->argument), *rest = words;
	const char *list[WORDS_MAX + 1] = {NULL}, *near;
	int code;

	for (size_t i = 0; i < WORDS_MAX && rest; i++) {
		char *each = strsep(&rest, "|"), *equals = strchr(each, '=');

		if (equals)
			equals[1] = '\0';
		list[i] = each;
	}
	near = suggest_word(word, list);
	code = near ? option_misuse(command, "--%s: expected %s, found '%s'; did you mean '%s'?", spec->name, spec->argument, word, near)
	            : option_misuse(command, "--%s: expected %s, found '%.*s%s'", spec->name, spec->argument, FOUND_BYTES, word,
	                  strlen(word) > FOUND_BYTES ? "..." : "");
	free(words);
	return code;
}

/* Standard input, standard output (the specifications of an import) or a file that was sent is none of this machine's files. Any other
 * folder that is called "-" is one, and so is a store. */
static void
option_note_place(const struct option_spec *spec, const char *text)
{
	bool is_file = strncmp(spec->argument, "FILE", 4) == 0, is_read = is_file && strcmp(spec->name, "store") != 0;
	bool is_stream = strcmp(text, "-") == 0 && (is_read || strcmp(spec->name, "specs") == 0);

	if ((is_file || strcmp(spec->argument, "DIR") == 0) && !is_stream && !(is_read && location_is_sent(text)))
		placed = spec->name;
}

const char *
option_placed(void)
{
	return placed;
}

/* Tells what has taken the place of an option; by_letter says how it was given. Returns the exit code. */
static int
option_refuse_retired(const struct command *command, const struct option_spec *spec, bool by_letter)
{
	if (by_letter)
		return option_misuse(command, "option -%c is retired; use %s", spec->letter, spec->help);
	return option_misuse(command, "option --%s is retired; use %s", spec->name, spec->help);
}

enum { GIVEN_MAX = 64 };

static const char *given[GIVEN_MAX]; /* names of options, each once */
static size_t given_count;

static void
option_note_given(const char *name)
{
	for (size_t i = 0; i < given_count; i++)
		if (strcmp(given[i], name) == 0)
			return;
	if (given_count < GIVEN_MAX)
		given[given_count++] = name;
}

void
option_only_with(const struct command *command, const char *when, const char *const *names)
{
	for (size_t i = 0; i < given_count; i++) {
		const char *const *name = names;

		while (*name && strcmp(*name, given[i]) != 0)
			name++;
		if (!*name)
			exit(option_misuse(command, "--%s: has no effect %s", given[i], when));
	}
}

static bool
option_was_given(const char *name)
{
	for (size_t i = 0; i < given_count; i++)
		if (strcmp(given[i], name) == 0)
			return true;
	return false;
}

void
option_needs(const struct command *command, const char *name, const char *const *others)
{
	struct buffer words = {0};

	if (!option_was_given(name))
		return;
	for (const char *const *other = others; *other; other++) {
		if (option_was_given(*other))
			break;
		buffer_printf(&words, "%s--%s", other == others ? "" : " or ", *other);
		if (!other[1])
			exit(option_misuse(command, "--%s: has no effect without %s", name, words.data));
	}
	buffer_release(&words);
}

void
option_excludes(const struct command *command, const char *name, const char *other)
{
	if (option_was_given(name) && option_was_given(other))
		exit(option_misuse(command, "--%s: has no effect with --%s", name, other));
}

/* Sets the variable of an option. Returns an exit code, or -1 to continue. */
static int
option_set(const struct command *command, const struct option_spec *spec, const char *text)
{
	struct option_list *list;

	if (text && !*text && strcmp(spec->argument, "TEXT") != 0)
		return option_misuse(command, "--%s: the value is empty; expected %s", spec->name, spec->argument);
	option_note_given(spec->name);
	switch (spec->kind) {
	case OPTION_KIND_FLAG:
		*(bool *)spec->value = true;
		break;
	case OPTION_KIND_STRING:
		if (option_is_choice(spec->argument) && *text == '=')
			text++; /* "-o=json", as some are used to */
		if (option_is_choice(spec->argument) && !option_is_among(text, spec->argument))
			return option_wrong_word(command, spec, text);
		*(const char **)spec->value = text;
		option_note_place(spec, text);
		break;
	case OPTION_KIND_UPTO:
		*(long *)spec->value = OPTION_NUMBER_MAX;
		return text ? option_set_number(command, spec, text) : -1;
	case OPTION_KIND_NUMBER:
		return option_set_number(command, spec, text);
	case OPTION_KIND_LIST:
		list = spec->value;
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = text;
		option_note_place(spec, text);
		break;
	case OPTION_KIND_RETIRED:
	case OPTION_KIND_END:
		break;
	}
	return -1;
}

static bool
option_is_retired(const struct command *command, int value)
{
	const struct option_spec *spec = option_spec_of(command, value);

	return spec && spec->kind == OPTION_KIND_RETIRED;
}

/* Reports an option that getopt_long does not know; word is the argument in which it stood. */
static int
option_unknown_option(const struct command *command, const struct option *longs, const char *word)
{
	size_t length = strcspn(word, "=");
	const char **names = memory_zeroed(option_count(command->options) + 3, sizeof *names), *near;
	char *name = memory_substring(word + 2, length - 2);
	size_t meant = 0, count = 0;
	int code;

	for (size_t i = 0; longs[i].name; i++) {
		if (option_is_retired(command, longs[i].val))
			continue;
		names[count++] = longs[i].name;
		meant += strncmp(longs[i].name, name, length - 2) == 0;
	}
	near = suggest_word(name, names);
	if (meant > 1)
		code = option_misuse(command, "option --%s is short for several", name);
	else if (near)
		code = option_misuse(command, "unknown option --%s; did you mean --%s?", name, near);
	else
		code = option_misuse(command, "unknown option --%s", name);
	free(names);
	free(name);
	return code;
}

static int
option_wrong_option(const struct command *command, const struct option *longs, int found, const char *word)
{
	const struct option_spec *spec = option_spec_of(command, optopt);

	if (found == ':' && spec)
		return option_misuse(command, "option --%s needs an argument: %s", spec->name, spec->argument);
	if (optopt >= VALUE_HELP)
		return option_misuse(command, "option %.*s takes no argument", (int)strcspn(word, "="), word);
	if (optopt)
		return option_misuse(command, "unknown option -%c", optopt);
	return option_unknown_option(command, longs, word);
}

/* Tells whether the first operand is a command, which parses the words behind it. */
static bool
option_takes_command(const struct command *command)
{
	return strncmp(command->synopsis, "COMMAND", 7) == 0;
}

/* Sets options that were not given to what the user prefers. A preferred output format is for terminals only: what a script
 * reads must not depend on who runs it. An invalid file is refused here, by the command that is run in the end, so that --help
 * of a subcommand and "coopr help" work in spite of it. */
static void
option_set_preferences(const struct command *command)
{
	struct error err;

	if (option_takes_command(command))
		return;
	if (preference_read(&err) < 0)
		exit(message_error(&err));
	for (size_t i = 0; i < option_count(command->options); i++) {
		const struct option_spec *spec = &command->options[i];
		enum preference which = spec->kind == OPTION_KIND_STRING ? preference_of(spec->name) : PREFERENCE_COUNT;
		const char **value = spec->value, *preferred;

		if ((which != PREFERENCE_TENANT && which != PREFERENCE_OUTPUT) || *value)
			continue;
		preferred = preference_value(which, NULL);
		if (which == PREFERENCE_TENANT || (isatty(STDOUT_FILENO) && preferred && option_is_choice(spec->argument) &&
		    option_is_among(preferred, spec->argument)))
			*value = preferred;
	}
}

bool
option_wants_words(const char *argument)
{
	return argument && strcmp(argument, "--complete-options") == 0;
}

/* Refuses an operand without a character: a script's unset variable. Those of another command are its own. */
static int
option_check_operands(const struct command *command, char **operands)
{
	for (; *operands && !strstr(command->synopsis, "COMMAND"); operands++)
		if (!**operands)
			return option_misuse(command, "an argument is empty");
	return -1;
}

/* Leaves the owner of what is made all rights to it, whatever the umask: nobody could open it otherwise. */
static void
option_repair_umask(void)
{
	umask(umask(0) & ~(mode_t)S_IRWXU);
}

/* Leaves the command to a server, if one is meant: before the first of its options is looked at. */
static void
option_ask_server(const struct command *command, char **argv)
{
	static bool asked;

	if (!asked)
		toolbox_ask_server(argv, !strstr(command->synopsis, " COMMAND"));
	asked = true;
}

int
option_parse(const struct command *command, int argc, char **argv)
{
	struct buffer letters = {0};
	struct option *longs;
	int found, code = -1;

	message_program(command->name);
	option_ask_server(command, argv);
	option_repair_umask();
	if (option_wants_words(argv[1])) {
		option_print_table(command);
		if (option_takes_command(command))
			return 1;
		exit(message_end(0));
	}
	opterr = 0;
	optind = 0; /* starts over: a command with subcommands parses twice */
	longs = option_tables_for_getopt(command, &letters);
	while (code < 0 && (found = getopt_long(argc, argv, letters.data, longs, NULL)) != -1) {
		const struct option_spec *spec = option_spec_of(command, found);

		if (found == '?' || found == ':')
			code = option_wrong_option(command, longs, found, argv[optind - 1]);
		else if (option_is_retired(command, found))
			code = option_refuse_retired(command, spec, found < VALUE_HELP);
		else if (spec)
			code = option_set(command, spec, optarg);
		else
			code = found == VALUE_VERSION ? option_print_version(command) : option_print_help(command);
	}
	free(longs);
	buffer_release(&letters);
	if (code < 0)
		code = option_check_operands(command, argv + optind);
	if (code >= 0)
		exit(code);
	option_set_preferences(command);
	return optind;
}

const struct command *
option_command(const struct command *commands, const char *argv0)
{
	const char *name = argv0 ? file_base_name(argv0) : NULL;

	for (const struct command *command = commands; name && command->name; command++)
		if (strcmp(command->name, name) == 0)
			return command;
	message_program(commands->name);
	message("called as \"%s\"; the name selects the command, as \"%s\" does", name ? name : "", commands->name);
	exit(EX_USAGE);
}
