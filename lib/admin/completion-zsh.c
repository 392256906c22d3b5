/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "admin/completion.h"

static const char head[] =
    "\n# SPDX-License-Identifier: Apache-2.0\n"
    "#\n"
    "# Completion for zsh, printed by coopr completion zsh.\n"
    "\n"
    "# The kind is the last argument; what _arguments has to say to compadd stands before it.\n"
    "_coopr_words() {\n"
    "	local -a list\n"
    "	list=(${(f)\"$(coopr-completion --words ${@[-1]} 2>/dev/null)\"})\n"
    "	compadd \"${@[1,-2]}\" -a list\n"
    "}\n"
    "\n"
    "_coopr_list() {\n"
    "	local -a list\n"
    "	list=(${(f)\"$(coopr-completion --words ${@[-1]} 2>/dev/null)\"})\n"
    "	compset -P '*,'\n"
    "	compadd \"${@[1,-2]}\" -q -S , -a list\n"
    "}\n";

/* Prints text inside of quotes and brackets. */
static void
completion_zsh_print_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);
		else if (strchr("[]:\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

/* "_coopr_queue_put" */
static void
completion_print_function(const char *path)
{
	fputs("_coopr_in", stdout);
	for (const char *each = path; *each; each++) {
		if (each == path)
			putchar('_');
		putchar(*each == ' ' || *each == '-' ? '_' : *each);
	}
}

/* ":TEMPLATE:_coopr_words TEMPLATE" */
static void
completion_print_action(const char *kind, bool optional)
{
	size_t length = strlen(kind);

	printf("%s", optional ? "::" : ":");
	if (strcmp(kind, "FILE") == 0) {
		fputs("file:_files", stdout);
	} else if (strcmp(kind, "DIR") == 0) {
		fputs("folder:_files -/", stdout);
	} else if (strcmp(kind, "NONE") == 0) {
		fputs("argument: ", stdout);
	} else if (strchr(kind, '|')) {
		fputs("word:(", stdout);
		for (; *kind; kind++)
			putchar(*kind == '|' ? ' ' : *kind);
		putchar(')');
	} else if (kind[length - 1] == ',') {
		printf("%.*s:_coopr_list %.*s", (int)length - 1, kind, (int)length - 1, kind);
	} else {
		printf("%s:_coopr_words %s", kind, kind);
	}
}

/* A specification for each of the names, so that no braces are to be expanded. */
static void
completion_print_option_as(const struct completion_option *option, const char *dashes, const char *name)
{
	const char *sign = !option->kind ? "" : strlen(dashes) == 1 ? (option->optional ? "-" : "+") : option->optional ? "=-"
	    : "=";

	fputs(" \\\n\t\t'", stdout);
	if (option->repeats)
		putchar('*');
	else if (*option->letter)
		printf("(-%s --%s)", option->letter, option->name);
	printf("%s%s%s[", dashes, name, sign);
	completion_zsh_print_quoted(option->help);
	putchar(']');
	if (option->kind)
		completion_print_action(option->kind, option->optional);
	putchar('\'');
}

static void
completion_zsh_print_options(const struct completion_command *command)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];

		if (*option->letter)
			completion_print_option_as(option, "-", option->letter);
		completion_print_option_as(option, "--", option->name);
	}
}

static void
completion_zsh_print_operands(const struct completion_command *command)
{
	for (size_t i = 0; i < command->operand_count; i++) {
		const struct completion_operand *operand = &command->operands[i];

		if (operand->repeats) {
			fputs(" \\\n\t\t'*", stdout);
			completion_print_action(operand->kind, false);
			putchar('\'');
			return;
		}
		printf(" \\\n\t\t'%zu", i + 1);
		completion_print_action(operand->kind, false);
		putchar('\'');
	}
}

/* With subcommands: which, then that one's function with the words from its name on. */
static void
completion_print_group(const struct completion *all, const struct completion_command *command)
{
	fputs(" \\\n\t\t'1: :->command' '*:: :->argument'\n\tcase $state in\n\tcommand)\n\t\tlocal -a commands\n\t\tcommands=(\n",
	    stdout);
	for (size_t i = 0; i < command->subcommand_count; i++) {
		char path[256];
		const struct completion_command *sub;

		snprintf(path, sizeof path, "%s%s%s", command->path, *command->path ? " " : "", command->subcommands[i]);
		sub = completion_find(all, path);
		printf("\t\t\t'%s:", command->subcommands[i]);
		completion_zsh_print_quoted(sub ? sub->summary : "");
		puts("'");
	}
	puts("\t\t)\n\t\t_describe command commands\n\t\t;;\n\targument)\n\t\tcase $words[1] in");
	for (size_t i = 0; i < command->subcommand_count; i++) {
		printf("\t\t%s) ", command->subcommands[i]);
		completion_print_function(command->path);
		putchar('_');
		for (const char *each = command->subcommands[i]; *each; each++)
			putchar(*each == '-' ? '_' : *each);
		puts(" ;;");
	}
	puts("\t\tesac\n\t\t;;\n\tesac");
}

static void
completion_print_command(const struct completion *all, const struct completion_command *command)
{
	putchar('\n');
	completion_print_function(command->path);
	fputs("() {\n", stdout);
	if (command->subcommand_count)
		fputs("\tlocal curcontext=$curcontext state line\n\ttypeset -A opt_args\n\t_arguments -C -s", stdout);
	else
		fputs("\t_arguments -s -S", stdout);
	completion_zsh_print_options(command);
	if (command->subcommand_count) {
		completion_print_group(all, command);
	} else {
		completion_zsh_print_operands(command);
		putchar('\n');
	}
	puts("}");
}

void
completion_print_zsh(const struct completion *completion)
{
	const struct completion_command *front = &completion->list[0];

	fputs("#compdef coopr", stdout);
	for (size_t i = 0; i < front->subcommand_count; i++)
		if (strcmp(front->subcommands[i], "help") != 0)
			printf(" coopr-%s", front->subcommands[i]);
	fputs(head, stdout);
	for (size_t i = 0; i < completion->count; i++)
		completion_print_command(completion, &completion->list[i]);
	puts("\ncase $service in\ncoopr) _coopr_in \"$@\" ;;\n*) ${${service/coopr-/_coopr_in_}//-/_} \"$@\" ;;\nesac");
}
