/* SPDX-License-Identifier: Apache-2.0 */
#include "base/subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"

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
	near = option_suggest(name, names);
	free(names);
	return near ? option_misuse(command, "unknown command '%s'; did you mean '%s'?", name, near)
	            : option_misuse(command, "unknown command '%s'", name);
}

int
subcommand_run(const struct command *command, const struct subcommand *list, int argc, char **argv)
{
	if (argc < 1)
		return option_misuse(command, "which command?");
	if (option_wants_words(argv[0])) {
		for (const struct subcommand *each = list; each->name; each++)
			printf("subcommand\t%s\n", each->name);
		return message_end(0);
	}
	for (const struct subcommand *each = list; each->name; each++)
		if (strcmp(argv[0], each->name) == 0)
			return each->run(argc, argv);
	return subcommand_unknown(command, list, argv[0]);
}
