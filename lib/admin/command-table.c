/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/command-table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/option.h"
#include "base/process.h"

enum { TABLE_BYTES = 1024 * 1024 };

static const struct {
	const char *argument, *kind;
} kinds[] = {
	{"ACTION", "ACTION"}, {"CLUSTER", "CLUSTER"}, {"DIR", "DIR"}, {"DIR|FILE", "FILE"},
	{"DIR|-", "DIR"}, {"DIR|FILE|-", "FILE"}, {"FILE", "FILE"}, {"FILE|DIR", "FILE"}, {"FILE|DIR|-", "FILE"}, {"JOB", "JOB"}, {"JOB|-", "JOB"}, {"KIND", "KIND"},
	{"LAYOUT", "FILE"}, {"NODE", "NODE"}, {"PAGE", "PAGE"}, {"PLAN", "FILE"}, {"PROVIDER", "PROVIDER"}, {"RESULTS", "FILE"}, {"SERVICE", "SERVICE"},
	{"SERVICE,", "SERVICE,"}, {"TASK-ACTION", "TASK-ACTION"}, {"TEMPLATE", "TEMPLATE"},
	{"TENANT", "TENANT"},
};

/* Returns the kind of an argument, which has no brackets and dots. option is the name of the option it belongs to; NULL for an
 * operand. */
static const char *
command_table_kind(const char *argument, const char *option, struct arena *arena)
{
	char *upper;

	if (option_is_choice(argument))
		return arena_string(arena, argument);
	if (strncmp(argument, "CLUSTER/", 8) == 0)
		return "CLUSTER/NODE";
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

void
command_table_add_operand(struct command_table *table, const char *name, bool repeats)
{
	ARRAY_ROOM(table->operands, table->operand_count, table->operand_capacity);
	table->operands[table->operand_count++] =
	    (struct command_operand){command_table_kind(name, NULL, &table->arena), repeats};
}

/* Adds the words of a synopsis that are neither options nor what follows them: "[OPTION]... -t TEMPLATE NAME" has NAME. Those
 * behind a bar are of another form. */
static void
command_table_read_synopsis(struct command_table *table, char *text)
{
	bool is_argument = false;
	char *word;

	while ((word = strsep(&text, " ")) && strcmp(word, "|") != 0) {
		bool repeats = strstr(word, "...") != NULL;
		const struct command_option *option;
		char *to = word;

		for (const char *from = word; *from; from++)
			if (*from != '[' && *from != ']' && *from != '.')
				*to++ = *from;
		*to = '\0';
		option = command_table_option(table, word);
		if (*word == '-' && word[1])
			is_argument = option && option->kind;
		else if (is_argument || strcmp(word, "OPTION") == 0)
			is_argument = false;
		else if (*word)
			command_table_add_operand(table, word, repeats);
	}
}

/* Reads "LETTER NAME ARGUMENT FLAGS HELP", with tabs between. */
static void
command_table_read_option(struct command_table *table, char *fields)
{
	char *letter = strsep(&fields, "\t"), *name = strsep(&fields, "\t");
	char *argument = strsep(&fields, "\t"), *flags = strsep(&fields, "\t");
	size_t length = argument ? strlen(argument) : 0;

	if (!flags || !fields)
		return;
	if (length > 4 && strcmp(argument + length - 4, ",...") == 0)
		argument[length - 3] = '\0';
	ARRAY_ROOM(table->options, table->option_count, table->option_capacity);
	table->options[table->option_count++] = (struct command_option){
	    .letter = arena_string(&table->arena, letter), .name = arena_string(&table->arena, name),
	    .kind = *argument ? command_table_kind(argument, name, &table->arena) : NULL,
	    .optional = strcmp(flags, "optional") == 0, .help = arena_string(&table->arena, fields)};
}

static void
command_table_read_line(struct command_table *table, char *line)
{
	char *fields = line, *what = strsep(&fields, "\t"), *name;

	if (!fields)
		return;
	if (strcmp(what, "option") == 0) {
		command_table_read_option(table, fields);
	} else if (strcmp(what, "synopsis") == 0) {
		command_table_read_synopsis(table, fields);
	} else if (strcmp(what, "subcommand") == 0) {
		name = strsep(&fields, "\t");
		ARRAY_ROOM(table->subs, table->sub_count, table->sub_capacity);
		table->subs[table->sub_count++] = (struct command_sub){arena_string(&table->arena, name),
		    arena_string(&table->arena, fields ? fields : "")};
	}
}

bool
command_table_ask(struct command_table *table, const struct arguments *command)
{
	struct arguments argv = {0};
	struct buffer text = {0}, said = {0};
	struct error err;
	char *rest, *line;
	bool answers;

	for (size_t i = 0; i < command->count; i++)
		arguments_push(&argv, command->list[i]);
	arguments_push(&argv, "--complete-options");
	answers = process_run(argv.list, NULL, 0, &text, &said, TABLE_BYTES, &err) == 0 && text.data &&
	    strncmp(text.data, "command\t", 8) == 0;
	rest = text.data;
	while (answers && (line = strsep(&rest, "\n")))
		command_table_read_line(table, line);
	arguments_release(&argv);
	buffer_release(&text);
	buffer_release(&said);
	return answers;
}

const struct command_option *
command_table_option(const struct command_table *table, const char *word)
{
	for (size_t i = 0; i < table->option_count; i++) {
		const struct command_option *option = &table->options[i];

		if ((strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) ||
		    (word[0] == '-' && *option->letter && strcmp(word + 1, option->letter) == 0))
			return option;
	}
	return NULL;
}

const struct command_sub *
command_table_sub(const struct command_table *table, const char *name)
{
	for (size_t i = 0; i < table->sub_count; i++)
		if (strcmp(table->subs[i].name, name) == 0)
			return &table->subs[i];
	return NULL;
}

void
command_table_release(struct command_table *table)
{
	free(table->options);
	free(table->operands);
	free(table->subs);
	arena_release(&table->arena);
	*table = (struct command_table){0};
}
