/* SPDX-License-Identifier: Apache-2.0
 *
 * What a table of options looks like: to a person, and to the programs that make completions of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/message.h"
#include "base/option-print.h"

enum { HELP_COLUMN_MAX = 32 }; /* a longer option has its help on the next line */

static const struct option_spec standard_options[] = {
	{OPTION_KIND_FLAG, 'h', "help", NULL, NULL, "show this help"},
	{OPTION_KIND_FLAG, 0, "version", NULL, NULL, "show the version"},
	OPTION_END
};

/* Every command has it, but "coopr", which has one of its own. It is taken before options are parsed (toolbox_ask_server). */
static const struct option_spec server_options[] = {
	{OPTION_KIND_STRING, 0, "server", NULL, "SERVER", "have this server do it (default: $COOPR_SERVER)"},
	OPTION_END
};

static const struct option_spec *
option_server_of(const struct command *command)
{
	return strncmp(command->name, "coopr-", 6) == 0 ? server_options : NULL;
}

size_t
option_count(const struct option_spec *options)
{
	size_t count = 0;

	while (options && options[count].kind != OPTION_KIND_END)
		count++;
	return count;
}

/* Returns whether an option is one for people to use: no earlier name, and not retired. */
static bool
option_is_shown(const struct option_spec *option)
{
	return option->help && option->kind != OPTION_KIND_RETIRED;
}

/* Writes the part that stands left of an option's help: "  -t, --template NAME". */
static void
option_describe(const struct option_spec *option, struct buffer *out)
{
	buffer_clear(out);
	if (option->letter)
		buffer_printf(out, "  -%c, --%s", option->letter, option->name);
	else
		buffer_printf(out, "      --%s", option->name);
	if (option->argument)
		buffer_printf(out, option->kind == OPTION_KIND_UPTO ? "[=%s]" : " %s", option->argument);
}

static size_t
option_widest(const struct option_spec *options, struct buffer *scratch, size_t width)
{
	for (size_t i = 0; i < option_count(options); i++) {
		if (!option_is_shown(&options[i]))
			continue;
		option_describe(&options[i], scratch);
		if (scratch->length > width && scratch->length <= HELP_COLUMN_MAX)
			width = scratch->length;
	}
	return width;
}

static void
option_print_options(const struct option_spec *options, struct buffer *scratch, size_t width)
{
	for (size_t i = 0; i < option_count(options); i++) {
		if (!option_is_shown(&options[i]))
			continue;
		option_describe(&options[i], scratch);
		if (scratch->length > width)
			printf("%s\n%*s", scratch->data, (int)width, "");
		else
			printf("%-*s", (int)width, scratch->data);
		printf("  %s\n", options[i].help);
	}
}

int
option_print_help(const struct command *command)
{
	struct buffer scratch = {0};
	size_t width = option_widest(command->options, &scratch, option_widest(standard_options, &scratch, 0));

	printf("usage: %s%s%s\n\n%s\n\nOptions:\n", command->name, *command->synopsis ? " " : "",
	    command->synopsis, command->summary);
	option_print_options(command->options, &scratch, width);
	option_print_options(option_server_of(command), &scratch, width);
	option_print_options(standard_options, &scratch, width);
	if (command->examples) {
		size_t length = strlen(command->examples);

		printf("\nExamples:\n%s%s", command->examples,
		    length && command->examples[length - 1] == '\n' ? "" : "\n");
	}
	buffer_release(&scratch);
	return message_end(0);
}

/* Prints the version of the program: of "coopr-queue" if the command is "coopr-queue put". */
int
option_print_version(const struct command *command)
{
	printf("%.*s %s\n", (int)strcspn(command->name, " "), command->name, COOPR_VERSION);
	return message_end(0);
}

static void
option_print_rows(const struct option_spec *options)
{
	for (size_t i = 0; i < option_count(options); i++) {
		const struct option_spec *option = &options[i];

		if (option->kind == OPTION_KIND_RETIRED)
			printf("retired\t%.*s\t%s\t%s\n", option->letter ? 1 : 0, &option->letter,
			    option->name ? option->name : "", option->help);
		if (!option_is_shown(option))
			continue;
		printf("option\t%.*s\t%s\t%s\t%s\t%s\n", option->letter ? 1 : 0, &option->letter, option->name,
		    option->argument ? option->argument : "",
		    option->kind == OPTION_KIND_LIST ? "repeat" : option->kind == OPTION_KIND_UPTO ? "optional" : "",
		    option->help);
	}
}

void
option_print_table(const struct command *command)
{
	printf("command\t%s\t%.*s\n", command->name, (int)strcspn(command->summary, "\n"), command->summary);
	option_print_rows(command->options);
	if (option_server_of(command))
		option_print_rows(option_server_of(command));
	option_print_rows(standard_options);
	printf("synopsis\t%.*s\n", (int)strcspn(command->synopsis, "\n"), command->synopsis);
}
