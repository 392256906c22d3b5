/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "admin/completion.h"

static const char head[] =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "#\n"
    "# Completion for fish, printed by coopr completion fish.\n"
    "\n"
    "# Which command the line is about so far, and how many operands it has.\n"
    "function __coopr_look\n"
    "    set -l words (commandline -opc)\n"
    "    set -l skip 0\n"
    "    set -l path (string replace -r '.*/' '' -- $words[1] | string replace -r '^coopr-?' '')\n"
    "    set -l operands 0\n"
    "    for word in $words[2..-1]\n"
    "        if test $skip = 1\n"
    "            set skip 0\n"
    "        else if string match -q -- '-*' $word\n"
    "            contains -- \"$path/$word\" $__coopr_taking; and set skip 1\n"
    "        else if contains -- \"/$path\" $__coopr_groups\n"
    "            set path (string trim \"$path $word\")\n"
    "        else\n"
    "            set operands (math $operands + 1)\n"
    "        end\n"
    "    end\n"
    "    echo $path\n"
    "    echo $operands\n"
    "end\n"
    "\n"
    "function __coopr_at\n"
    "    test \"$argv[1]\" = (__coopr_look)[1]\n"
    "end\n"
    "\n"
    "function __coopr_operand\n"
    "    set -l look (__coopr_look)\n"
    "    test \"$argv[1]\" = \"$look[1]\"; and begin; test \"$argv[2]\" = more; or test \"$argv[2]\" = $look[2]; end\n"
    "end\n"
    "\n"
    "function __coopr_words\n"
    "    coopr-completion --words $argv[1] 2>/dev/null\n"
    "end\n"
    "\n"
    "# NAME,NAME,...: the words so far, with one more.\n"
    "function __coopr_list\n"
    "    set -l before (string match -r '.*,' -- (commandline -ct | string replace -r '^--[a-z-]+=' ''))\n"
    "    for word in (__coopr_words $argv[1])\n"
    "        echo $before$word\n"
    "    end\n"
    "end\n"
    "\n";

static void
completion_print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

/* What gives the words of a kind. */
static void
completion_print_source(const char *kind)
{
	size_t length = strlen(kind);

	if (strcmp(kind, "FILE") == 0) {
		fputs(" -F", stdout);
	} else if (strcmp(kind, "DIR") == 0) {
		fputs(" -f -a '(__fish_complete_directories (commandline -ct))'", stdout);
	} else if (strchr(kind, '|')) {
		fputs(" -f -a '", stdout);
		for (; *kind; kind++)
			putchar(*kind == '|' ? ' ' : *kind);
		putchar('\'');
	} else if (kind[length - 1] == ',') {
		printf(" -f -a '(__coopr_list %.*s)'", (int)length - 1, kind);
	} else if (strcmp(kind, "NONE") != 0) {
		printf(" -f -a '(__coopr_words %s)'", kind);
	} else {
		fputs(" -f", stdout);
	}
}

/* For coopr, and for the program that the path begins with. */
static void
completion_print_complete(const char *path, const char *condition)
{
	printf("complete -c coopr");
	if (*path)
		printf(" -c coopr-%.*s", (int)strcspn(path, " "), path);
	printf(" -n '%s'", condition);
}

static void
completion_fish_print_options(const struct completion_command *command)
{
	char condition[300];

	snprintf(condition, sizeof condition, "__coopr_at \"%s\"", command->path);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];

		completion_print_complete(command->path, condition);
		if (*option->letter)
			printf(" -s %s", option->letter);
		printf(" -l %s", option->name);
		if (option->kind) {
			fputs(option->optional ? "" : " -r", stdout);
			completion_print_source(option->kind);
		}
		fputs(" -d ", stdout);
		completion_print_quoted(option->help);
		putchar('\n');
	}
}

static void
completion_fish_print_operands(const struct completion_command *command)
{
	char condition[300];

	for (size_t i = 0; i < command->operand_count; i++) {
		const struct completion_operand *operand = &command->operands[i];

		if (operand->repeats)
			snprintf(condition, sizeof condition, "__coopr_operand \"%s\" more", command->path);
		else
			snprintf(condition, sizeof condition, "__coopr_operand \"%s\" %zu", command->path, i);
		if (strcmp(operand->kind, "NONE") != 0) {
			completion_print_complete(command->path, condition);
			completion_print_source(operand->kind);
			putchar('\n');
		}
		if (operand->repeats)
			return;
	}
}

static void
completion_print_subcommands(const struct completion *all, const struct completion_command *command)
{
	char condition[300], path[256];

	snprintf(condition, sizeof condition, "__coopr_operand \"%s\" 0", command->path);
	for (size_t i = 0; i < command->subcommand_count; i++) {
		const struct completion_command *sub;

		snprintf(path, sizeof path, "%s%s%s", command->path, *command->path ? " " : "", command->subcommands[i]);
		sub = completion_find(all, path);
		completion_print_complete(command->path, condition);
		printf(" -f -a %s -d ", command->subcommands[i]);
		completion_print_quoted(sub ? sub->summary : "");
		putchar('\n');
	}
}

static void
completion_print_tables(const struct completion *all)
{
	fputs("set -g __coopr_groups", stdout);
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].subcommand_count)
			printf(" '/%s'", all->list[i].path);
	fputs("\nset -g __coopr_taking", stdout);
	for (size_t i = 0; i < all->count; i++)
		for (size_t j = 0; j < all->list[i].option_count; j++) {
			const struct completion_option *option = &all->list[i].options[j];

			if (!option->kind || option->optional)
				continue;
			printf(" \\\n    '%s/--%s'", all->list[i].path, option->name);
			if (*option->letter)
				printf(" '%s/-%s'", all->list[i].path, option->letter);
		}
	fputs("\n\n", stdout);
}

void
completion_print_fish(const struct completion *completion)
{
	const struct completion_command *front = &completion->list[0];

	fputs(head, stdout);
	completion_print_tables(completion);
	fputs("complete -c coopr -f\n", stdout);
	for (size_t i = 0; i < front->subcommand_count; i++)
		if (strcmp(front->subcommands[i], "help") != 0)
			printf("complete -c coopr-%s -f\n", front->subcommands[i]);
	for (size_t i = 0; i < completion->count; i++) {
		completion_print_subcommands(completion, &completion->list[i]);
		completion_fish_print_options(&completion->list[i]);
		completion_fish_print_operands(&completion->list[i]);
	}
}
