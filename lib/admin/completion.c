/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/completion.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/command-table.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/toolbox.h"

enum { SCRIPT_BYTES = 1024 * 1024 };

/* A command line up to the cursor, as far as it is read. */
struct completion {
	bool front;                          /* the command is coopr itself: its subcommands are programs */
	struct arguments command;            /* the program and the subcommands that were named */
	struct command_table table;          /* of that command */
	const struct command_option *last;   /* the option that is the word before; NULL: it is none */
	const struct command_option *wanted; /* the option whose argument the next word is; NULL: of none */
	size_t operands;                     /* how many there were */
	const char *first;                   /* of them, often a cluster; NULL: there was none */
	bool plain;                          /* behind "--": nothing is an option any more */
	bool lost;                           /* a command that nobody knows */
};

/* Makes the program at path the command, which may be NULL; frees path. */
static void
completion_begin_program(struct completion *line, char *path)
{
	arguments_release(&line->command);
	if (path)
		arguments_push(&line->command, path);
	line->lost = !path || !command_table_ask(&line->table, &line->command);
	free(path);
}

static void
completion_begin(struct completion *line, const char *program)
{
	const char *name = file_base_name(program);

	line->front = strcmp(name, "coopr") == 0;
	if (line->front)
		completion_begin_program(line, toolbox_front());
	else
		completion_begin_program(line, strncmp(name, "coopr-", 6) == 0 ? toolbox_find(name + 6) : NULL);
	if (line->front) {
		ARRAY_ROOM(line->table.subs, line->table.sub_count, line->table.sub_capacity);
		line->table.subs[line->table.sub_count++] = (struct command_sub){"help", "show the page of a command or a concept"};
	}
}

static void
completion_enter(struct completion *line, const char *name)
{
	bool was_front = line->front;

	command_table_release(&line->table);
	line->front = false;
	if (was_front && strcmp(name, "help") == 0) {
		command_table_add_operand(&line->table, "PAGE", false);
	} else if (was_front) {
		completion_begin_program(line, toolbox_find(name));
	} else {
		arguments_push(&line->command, name);
		line->lost = !command_table_ask(&line->table, &line->command);
	}
}

/* Reads a word that stands before the cursor. */
static void
completion_read(struct completion *line, const char *word)
{
	const struct command_option *last = line->last;
	bool is_argument = line->wanted != NULL;

	line->last = line->wanted = NULL;
	if (strcmp(word, "=") == 0 && last && last->kind) {
		line->wanted = last;
	} else if (is_argument) {
		return;
	} else if (!line->plain && strcmp(word, "--") == 0) {
		line->plain = true;
	} else if (!line->plain && word[0] == '-' && word[1]) {
		line->last = command_table_option(&line->table, word);
		line->wanted = line->last && line->last->kind && !line->last->optional ? line->last : NULL;
	} else if (line->table.sub_count == 0) {
		if (line->operands++ == 0)
			line->first = word;
	} else if (line->front || command_table_sub(&line->table, word)) {
		completion_enter(line, word);
	} else {
		line->lost = true;
	}
}

/* Pushes the names of nodes, if value is a word about them: of the cluster in front of it, else of the first operand. Returns
 * false if it is another word. */
static bool
completion_push_nodes(const struct completion *line, const char *kind, const char *value, struct arguments *names)
{
	const char *slash = strchr(value, '/'), *cluster = strcmp(kind, "NODE") == 0 ? line->first : slash ? value : NULL;
	char *name, *before;

	if (strcmp(kind, "NODE") != 0 && (strcmp(kind, "CLUSTER/NODE") != 0 || !slash))
		return false;
	if (!cluster)
		return true;
	name = memory_substring(cluster, strcspn(cluster, "/"));
	before = slash ? memory_substring(value, (size_t)(slash + 1 - value)) : memory_string("");
	completion_nodes(name, before, slash ? slash + 1 : value, names);
	free(before);
	free(name);
	return true;
}

/* Prints what an argument of that kind can be; before stands in the same word, in front of it. */
static void
completion_print_values(const struct completion *line, const char *kind, const char *before, const char *value)
{
	bool is_list = kind[strlen(kind) - 1] == ',';
	const char *comma = is_list ? strrchr(value, ',') : NULL;
	struct arguments names = {0};
	char *name = memory_substring(kind, strlen(kind) - is_list);

	if (strcmp(kind, "FILE") == 0 || strcmp(kind, "DIR") == 0) {
		puts(*kind == 'F' ? "files" : "folders");
	} else if (strchr(kind, '|')) {
		puts("words");
		for (; *kind; kind += strcspn(kind, "|"), kind += *kind == '|')
			printf("%s%.*s%s\t\n", before, (int)strcspn(kind, "|="), kind, kind[strcspn(kind, "|=")] == '=' ? "=" : "");
	} else {
		puts(is_list ? "list" : "words");
		if (!completion_push_nodes(line, kind, value, &names))
			completion_words(strcmp(name, "CLUSTER/NODE") == 0 ? "CLUSTER" : name, &names);
		for (size_t i = 0; i < names.count; i++)
			printf("%s%.*s%s\t\n", before, comma ? (int)(comma + 1 - value) : 0, value, names.list[i]);
	}
	arguments_release(&names);
	free(name);
}

static void
completion_print_options(const struct command_table *table)
{
	puts("words");
	for (size_t i = 0; i < table->option_count; i++) {
		const struct command_option *option = &table->options[i];

		printf("--%s\t%s\n", option->name, option->help);
		if (*option->letter)
			printf("-%s\t%s\n", option->letter, option->help);
	}
}

/* Prints what the word at the cursor can become. */
static void
completion_print_word(const struct completion *line, const char *word)
{
	const struct command_table *table = &line->table;
	size_t last = table->operand_count - 1;

	if (line->wanted) {
		completion_print_values(line, line->wanted->kind, "", word);
	} else if (!line->plain && *word == '-') {
		size_t length = strcspn(word, "=");
		char *name = memory_substring(word, length), *before = memory_substring(word, length + (word[length] == '='));
		const struct command_option *option = command_table_option(table, name);

		if (!word[length])
			completion_print_options(table);
		else if (option && option->kind)
			completion_print_values(line, option->kind, before, word + length + 1);
		free(name);
		free(before);
	} else if (table->sub_count) {
		puts("words");
		for (size_t i = 0; i < table->sub_count; i++)
			printf("%s\t%s\n", table->subs[i].name, table->subs[i].summary);
	} else if (line->operands < table->operand_count) {
		completion_print_values(line, table->operands[line->operands].kind, "", word);
	} else if (table->operand_count && table->operands[last].repeats) {
		completion_print_values(line, table->operands[last].kind, "", word);
	} else {
		puts("nothing");
	}
}

void
completion_print_line(char *const *words)
{
	struct completion line = {0};
	size_t last = 0;

	while (words[last + 1])
		last++;
	completion_begin(&line, words[0]);
	for (size_t i = 1; i < last && !line.lost; i++)
		completion_read(&line, words[i]);
	if (line.lost || last == 0) {
		puts("nothing");
	} else if (strcmp(words[last], "=") == 0) {
		completion_read(&line, "=");
		completion_print_word(&line, "");
	} else {
		completion_print_word(&line, words[last]);
	}
	arguments_release(&line.command);
	command_table_release(&line.table);
}

int
completion_print_script(const char *shell, struct error *err)
{
	static const struct {
		const char *shell, *file;
	} scripts[] = {{"bash", "coopr.bash"}, {"fish", "coopr.fish"}, {"zsh", "_coopr"}};
	struct buffer text = {0};
	char *path = NULL, *name;
	int result;

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
		if (strcmp(scripts[i].shell, shell) == 0) {
			name = memory_printf("share/coopr/completions/%s", scripts[i].file);
			path = location_installed(name);
			free(name);
		}
	if (!path)
		return error_set(err, EX_USAGE, "no completion for '%s'; there is one for bash, zsh and fish", shell);
	result = file_read(AT_FDCWD, path, SCRIPT_BYTES, &text, err);
	if (result == 0)
		buffer_print(&text);
	buffer_release(&text);
	free(path);
	return result;
}
