/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-completion: prints the completion script for a shell; and what the scripts ask for when a key is pressed: what can stand
 * at the end of a line, and the words that an argument can be. Exits with 0, 64 on misuse, 66 where the script is not
 * installed.
 */
#include <stdio.h>

#include "admin/completion.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"

static const char *words;
static bool line;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "line", &line, "print what the last one of the words that follow -- can become"),
	OPTION_RETIRED('l', NULL, "--line"),
	OPTION_STRING(0, "words", &words, "KIND", "print the names of this kind: CLUSTER, TEMPLATE, ..."),
	OPTION_END
};

static const struct command command = {
	"coopr-completion", "bash|zsh|fish | --line -- COMMAND [ARGUMENT]...", "Print the completion of coopr's commands for a shell.", options,
	"  coopr-completion bash >coopr.bash\n"
	"  coopr-completion --words TEMPLATE\n"
	"  coopr-completion --line -- coopr create --te\n"};

static int
completion_print_words(const char *kind)
{
	struct arguments names = {0};

	completion_words(kind, &names);
	for (size_t i = 0; i < names.count; i++)
		puts(names.list[i]);
	arguments_release(&names);
	return message_end(0);
}

int
main(int argc, char **argv)
{
	struct error err;

	argv += option_parse(&command, argc, argv);
	if (words && !line && !argv[0])
		return completion_print_words(words);
	if (line && !words && argv[0]) {
		completion_print_line(argv);
		return message_end(0);
	}
	if (words || line || !argv[0] || argv[1])
		return option_misuse(&command, "missing argument bash|zsh|fish");

	if (completion_print_script(argv[0], &err) == 0)
		return message_end(0);
	return err.code == EX_USAGE ? option_misuse(&command, "%s", err.text) : message_error(&err);
}
