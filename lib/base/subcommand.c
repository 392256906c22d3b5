/* SPDX-License-Identifier: Apache-2.0 */
#include "base/subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/suggest.h"

int
subcommand_parse(const struct command *command, const struct subcommand *list, int argc, char **argv)
{
	struct command whole = *command;
	struct buffer summary = {0};
	int width = 0, first;

	for (const struct subcommand *each = list; each->name; each++)
		width = (int)strlen(each->name) > width ? (int)strlen(each->name) : width;
	buffer_printf(&summary, "%s\n\nCommands:\n", command->summary);
	for (const struct subcommand *each = list; each->name; each++)
		buffer_printf(&summary, "  %-*s  %s\n", width, each->name, each->summary);
	buffer_text(&summary, "\nEach has its own --help.");
	whole.summary = summary.data;
	first = option_parse(&whole, argc, argv);
	buffer_release(&summary);
	return first;
}

static int
subcommand_unknown(const struct command *command, const struct subcommand *list, const char *name)
{
	const char **names, *near;
	size_t count = 0;

	while (list[count].name)
		count++;
	names = memory_zeroed(count + 1, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = list[i].name;
	near = suggest_command(name, names);
	free(names);
	return near ? option_misuse(command, "unknown command '%s'; did you mean '%s'?", name, near)
	            : option_misuse(command, "unknown command '%s'", name);
}

int
subcommand_run(const struct command *command, const struct subcommand *list, int argc, char **argv)
{
	if (argc < 1)
		return option_misuse(command, "missing argument COMMAND");
	if (option_wants_words(argv[0])) {
		for (const struct subcommand *each = list; each->name; each++)
			printf("subcommand\t%s\t%s\n", each->name, each->summary);
		return message_end(0);
	}
	for (const struct subcommand *each = list; each->name; each++)
		if (strcmp(argv[0], each->name) == 0)
			return each->run(argc, argv);
	return subcommand_unknown(command, list, argv[0]);
}

int
subcommand_main(const struct command *command, const struct subcommand *list, int argc, char **argv)
{
	int first = subcommand_parse(command, list, argc, argv);

	return subcommand_run(command, list, argc - first, argv + first);
}
