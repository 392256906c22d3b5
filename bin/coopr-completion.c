/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-completion: prints the completion of all commands of the installation for a shell, made of their own tables of
 * options; or the words that an argument can be, which these completions ask for. Exits with 0, 64 on misuse, 69 where
 * the commands cannot be asked.
 */
#include <string.h>

#include "admin/completion.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"

static const char *words;

static const struct option_spec options[] = {
	OPTION_STRING(0, "words", &words, "KIND", "print the names there are of this kind: CLUSTER, TEMPLATE, ..."),
	OPTION_END
};

static const struct command command = {
	"coopr-completion", "bash|zsh|fish", "Print the completion of coopr's commands for a shell.", options,
	"  coopr-completion bash >coopr.bash\n"
	"  coopr-completion --words TEMPLATE\n"};

static const struct {
	const char *shell;
	void (*print)(const struct completion *completion);
} shells[] = {{"bash", completion_print_bash}, {"zsh", completion_print_zsh}, {"fish", completion_print_fish}};

static int
completion_print_for(size_t shell)
{
	struct completion completion = {0};
	struct error err;
	int code = 0;

	if (completion_gather(&completion, &err) < 0)
		code = message_error(&err);
	else
		shells[shell].print(&completion);
	completion_release(&completion);
	return message_end(code);
}

int
main(int argc, char **argv)
{
	argv += option_parse(&command, argc, argv);
	if (words && !*argv) {
		completion_print_words(words);
		return message_end(0);
	}
	if (words || !argv[0] || argv[1])
		return option_misuse(&command, words ? "--words goes alone" : "which shell: bash, zsh or fish?");
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (strcmp(argv[0], shells[i].shell) == 0)
			return completion_print_for(i);
	return option_misuse(&command, "there is no completion for '%s'; there is for bash, zsh and fish", argv[0]);
}
