/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr COMMAND [ARGUMENT]... becomes coopr-COMMAND. coopr alone lists the commands, coopr help NAME shows
 * a man page. Exit codes: those of the command; 64 where there is no such command.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/toolbox.h"

static const struct option_spec options[] = {OPTION_END};
static const struct command command = {"coopr", "COMMAND [ARGUMENT]...",
	"Provision and run clusters: \"coopr solve\" runs coopr-solve.", options,
	"  coopr                                  the commands\n"
	"  coopr help solve                       the man page of coopr-solve\n"
	"  coopr help layout                      ... and of a format\n"
	"  coopr create shop -t web -n 4          make a cluster\n"};

static int
coopr_list_commands(void)
{
	static const char *const columns[] = {"", "", NULL};
	struct arguments names = {0};
	struct table table = {0};

	toolbox_list(&names);
	table_columns(&table, columns);
	for (size_t i = 0; i < names.count; i++) {
		char *summary = toolbox_summary(names.list[i]);

		table_cell(&table, STYLE_BOLD, "  %s", names.list[i]);
		table_cell(&table, STYLE_PLAIN, "%s", summary);
		free(summary);
	}
	printf("usage: %s %s\n\nThe commands, each with --help and a man page (coopr help COMMAND):\n\n", command.name,
	    command.synopsis);
	table_print(&table, stdout, terminal_colour(NULL, stdout), false);
	table_release(&table);
	arguments_release(&names);
	return message_end(0);
}

/* For the completion of shells. */
static int
coopr_list_words(void)
{
	struct arguments names = {0};

	toolbox_list(&names);
	for (size_t i = 0; i < names.count; i++) {
		char *summary = toolbox_summary(names.list[i]);

		printf("subcommand\t%s\t%s\n", names.list[i], summary);
		free(summary);
	}
	arguments_release(&names);
	return message_end(0);
}

static int
coopr_no_such(const char *name)
{
	struct arguments names = {0};
	const char *near;
	int code;

	toolbox_list(&names);
	arguments_push(&names, "help");
	near = suggest_word(name, (const char *const *)names.list);
	if (near)
		code = option_misuse(&command, "unknown command '%s'; did you mean '%s'?", name, near);
	else
		code = option_misuse(&command, "unknown command '%s'; \"coopr\" lists all", name);
	arguments_release(&names);
	return code;
}

/* Becomes path; only returns when that fails. */
static int
coopr_become(const char *path, char *const *argv)
{
	struct error err;

	execv(path, argv);
	error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", path);
	return message_error(&err);
}

/* Shows a page with man(1), else with mandoc(1), else what the command itself says. */
static int
coopr_help(const char *name)
{
	char *page = toolbox_page(strcmp(name, "coopr") == 0 ? NULL : name), *path = toolbox_find(name);

	/* A pager runs what it is told to, with the rights that sudo(8) has given. */
	if (getenv("SUDO_USER"))
		setenv("MANPAGER", "cat", 1);
	if (page) {
		execlp("man", "man", "-l", page, (char *)NULL);
		execlp("mandoc", "mandoc", "-a", page, (char *)NULL);
	}
	if (!path && page)
		message("%s: to read it, install man-db or mandoc", page);
	if (!path)
		return page ? EX_UNAVAILABLE : coopr_no_such(name);
	return coopr_become(path, (char *[]){path, (char[]){"--help"}, NULL});
}

int
main(int argc, char **argv)
{
	char *path;

	argv += option_parse(&command, argc, argv);
	if (!argv[0])
		return coopr_list_commands();
	if (option_wants_words(argv[0]))
		return coopr_list_words();
	if (strcmp(argv[0], "help") == 0)
		return argv[1] ? coopr_help(argv[1]) : coopr_list_commands();

	path = toolbox_find(argv[0]);
	if (!path)
		return coopr_no_such(argv[0]);
	argv[0] = path;
	return coopr_become(path, argv);
}
