/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/completion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "base/toolbox.h"

enum { TABLE_BYTES = 1024 * 1024, DEPTH_MAX = 4 };

/* What arguments and operands are called, and what they are. */
static const struct {
	const char *argument, *kind;
} kinds[] = {
	{"ACTION", "ACTION"}, {"CLUSTER", "CLUSTER"}, {"COMMAND", "COMMAND"}, {"DIR", "DIR"}, {"DIR|FILE", "FILE"},
	{"DIR|-", "DIR"}, {"FILE", "FILE"}, {"FILE|DIR", "FILE"}, {"JOB", "JOB"}, {"JOB|-", "JOB"}, {"KIND", "KIND"},
	{"LAYOUT", "FILE"}, {"PLAN", "FILE"}, {"PROVIDER", "PROVIDER"}, {"RESULTS", "FILE"}, {"SERVICE", "SERVICE"},
	{"SERVICE,", "SERVICE,"}, {"TEMPLATE", "TEMPLATE"}, {"TENANT", "TENANT"},
};

/* argument: without brackets and dots. */
static const char *
completion_kind_of(const char *argument, const char *option, struct arena *arena)
{
	char *upper;

	if (strchr(argument, '|') && strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789-|") == strlen(argument))
		return arena_string(arena, argument);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].argument, argument) == 0)
			return kinds[i].kind;
	if (strcmp(argument, "TYPE") != 0 || !option)
		return "NONE";
	upper = arena_string(arena, option); /* --hardwaretype TYPE */
	for (char *letter = upper; *letter; letter++)
		*letter = (char)toupper((unsigned char)*letter);
	return upper;
}

/* The word without "[", "]" and "...". */
static char *
completion_bare(const char *word, size_t length, bool *repeats)
{
	char *text = memory_substring(word, length), *to = text, *dots = strstr(text, "...");

	*repeats = dots != NULL;
	for (const char *from = text; *from; from++)
		if (*from != '[' && *from != ']' && *from != '.')
			*to++ = *from;
	*to = '\0';
	return text;
}

static const struct completion_option *
completion_option_of(const struct completion_command *command, const char *word)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];

		if ((strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) ||
		    (word[0] == '-' && *option->letter && strcmp(word + 1, option->letter) == 0))
			return option;
	}
	return NULL;
}

static void
completion_add_operand(struct completion *all, struct completion_command *command, const char *word, bool repeats)
{
	ARRAY_ROOM(command->operands, command->operand_count, command->operand_capacity);
	command->operands[command->operand_count++] =
	    (struct completion_operand){completion_kind_of(word, NULL, &all->arena), repeats};
}

/* The words of a synopsis that are neither options nor what follows them: "[OPTION]... -t TEMPLATE NAME" has NAME. */
static void
completion_read_synopsis(struct completion *all, struct completion_command *command, const char *text)
{
	bool argument = false, repeats;

	for (; *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");
		char *word = completion_bare(text, length, &repeats);
		const struct completion_option *option = completion_option_of(command, word);

		if (strcmp(word, "|") == 0)
			length = strlen(text); /* another form */
		else if (*word == '-' && word[1])
			argument = option && option->kind;
		else if (argument || strcmp(word, "OPTION") == 0)
			argument = false;
		else if (*word)
			completion_add_operand(all, command, word, repeats);
		free(word);
		text += length;
	}
}

static void
completion_read_option(struct completion *all, struct completion_command *command, char *fields)
{
	struct completion_option option = {.letter = strsep(&fields, "\t")};
	char *argument, *flags;

	option.name = strsep(&fields, "\t");
	argument = strsep(&fields, "\t");
	flags = strsep(&fields, "\t");
	if (!flags || !fields)
		return;
	if (strlen(argument) > 4 && strcmp(argument + strlen(argument) - 4, ",...") == 0)
		argument[strlen(argument) - 3] = '\0';
	option.letter = arena_string(&all->arena, option.letter);
	option.name = arena_string(&all->arena, option.name);
	option.kind = *argument ? completion_kind_of(argument, option.name, &all->arena) : NULL;
	option.repeats = strcmp(flags, "repeat") == 0;
	option.optional = strcmp(flags, "optional") == 0;
	option.help = arena_string(&all->arena, fields);
	ARRAY_ROOM(command->options, command->option_count, command->option_capacity);
	command->options[command->option_count++] = option;
}

static void
completion_read_line(struct completion *all, struct completion_command *command, char *line)
{
	char *fields = line, *what = strsep(&fields, "\t");

	if (!fields)
		return;
	if (strcmp(what, "option") == 0) {
		completion_read_option(all, command, fields);
	} else if (strcmp(what, "synopsis") == 0) {
		completion_read_synopsis(all, command, fields);
	} else if (strcmp(what, "subcommand") == 0) {
		ARRAY_ROOM(command->subcommands, command->subcommand_count, command->subcommand_capacity);
		command->subcommands[command->subcommand_count++] = arena_string(&all->arena, fields);
	} else if (strcmp(what, "command") == 0 && strchr(fields, '\t')) {
		command->summary = arena_string(&all->arena, strchr(fields, '\t') + 1);
	}
}

/* What the program of a path prints; false where there is none, or it knows no such option. */
static bool
completion_ask(const char *path, struct buffer *table)
{
	struct arguments argv = {0};
	struct buffer said = {0};
	struct error err;
	char *words = memory_string(path), *rest = words, *first = strsep(&rest, " "), *program, *word;
	int code = -1;

	program = *first ? toolbox_find(first) : toolbox_front();
	if (program) {
		arguments_push(&argv, program);
		while ((word = strsep(&rest, " ")))
			arguments_push(&argv, word);
		arguments_push(&argv, "--complete-options");
		code = process_run(argv.list, NULL, 0, table, &said, TABLE_BYTES, &err);
	}
	arguments_release(&argv);
	buffer_release(&said);
	free(program);
	free(words);
	return code == 0 && table->data && strncmp(table->data, "command\t", 8) == 0;
}

/* Adds the command of a path and all below it. */
static bool
admin_completion_gather(struct completion *all, const char *path, int depth)
{
	struct completion_command command = {.path = arena_string(&all->arena, path), .summary = ""};
	struct buffer table = {0};
	char *rest, *line;
	bool found = completion_ask(path, &table);

	rest = table.data;
	while (found && (line = strsep(&rest, "\n")))
		completion_read_line(all, &command, line);
	buffer_release(&table);
	if (!found)
		return false;
	if (command.subcommand_count)
		command.operand_count = 0;
	ARRAY_ROOM(all->list, all->count, all->capacity);
	all->list[all->count++] = command;
	for (size_t i = 0; i < command.subcommand_count && depth < DEPTH_MAX; i++)
		admin_completion_gather(all, arena_printf(&all->arena, "%s%s%s", path, *path ? " " : "", command.subcommands[i]),
		    depth + 1);
	return true;
}

/* "coopr help COMMAND" is no program. */
static void
completion_add_help(struct completion *all)
{
	struct completion_command help = {.path = "help", .summary = "Show the man page of a command or a concept."};

	completion_add_operand(all, &help, "COMMAND", false);
	ARRAY_ROOM(all->list, all->count, all->capacity);
	all->list[all->count++] = help;
	ARRAY_ROOM(all->list[0].subcommands, all->list[0].subcommand_count, all->list[0].subcommand_capacity);
	all->list[0].subcommands[all->list[0].subcommand_count++] = "help";
}

int
completion_gather(struct completion *completion, struct error *err)
{
	if (!admin_completion_gather(completion, "", 0))
		return error_set(err, EX_UNAVAILABLE,
		    "coopr: it does not say which commands there are; is the installation whole?");
	completion_add_help(completion);
	return 0;
}

const struct completion_command *
completion_find(const struct completion *completion, const char *path)
{
	for (size_t i = 0; i < completion->count; i++)
		if (strcmp(completion->list[i].path, path) == 0)
			return &completion->list[i];
	return NULL;
}

void
completion_release(struct completion *completion)
{
	for (size_t i = 0; i < completion->count; i++) {
		free(completion->list[i].options);
		free(completion->list[i].operands);
		free(completion->list[i].subcommands);
	}
	free(completion->list);
	arena_release(&completion->arena);
	*completion = (struct completion){0};
}
