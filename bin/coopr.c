/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr COMMAND [ARGUMENT]... becomes coopr-COMMAND. coopr alone lists the commands and the other pages, coopr help NAME shows
 * a man page, coopr help -k WORD searches them. Exit codes: those of the command; 64 where there is no such command.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin/manual.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/toolbox.h"

static const char *server;
static const struct option_spec options[] = {
	OPTION_STRING(0, "server", &server, "SERVER", "have this server do it (default: $COOPR_SERVER)"),
	OPTION_END
};
static const struct command command = {"coopr", "COMMAND [ARGUMENT]...",
	"Provision and run clusters: \"coopr solve\" runs coopr-solve.", options,
	"  coopr                                  the commands\n"
	"  coopr help solve                       the man page of coopr-solve\n"
	"  coopr help layout                      ... and of a format\n"
	"  coopr help 5 config                    the page of that section\n"
	"  coopr help -k quota                    the pages that have a word\n"
	"  coopr create shop -t web -n 4          make a cluster\n"};

/* Returns in a few words what a command does, from its man page; "" if there is none. */
static const char *
coopr_summary(const struct manual *manual, const char *name)
{
	const struct manual_page *page = manual_find(manual, name, '1', NULL);

	return page ? page->summary : "";
}

static const char *const list_columns[] = {"", "", NULL};

static void
coopr_list_commands(const struct manual *manual)
{
	struct arguments names = {0};
	struct table table = {0};

	toolbox_list(&names);
	table_columns(&table, list_columns);
	for (size_t i = 0; i < names.count; i++) {
		table_cell(&table, STYLE_BOLD, "  %s", names.list[i]);
		table_cell(&table, STYLE_PLAIN, "%s", coopr_summary(manual, names.list[i]));
	}
	printf("usage: %s %s\n\nThe commands, each with --help and a man page (coopr help COMMAND):\n\n", command.name,
	    command.synopsis);
	table_print(&table, stdout, terminal_colour(NULL, stdout), false);
	table_release(&table);
	arguments_release(&names);
}

/* Lists the pages of a section by the words behind "coopr help" that show them: a page of an earlier section that has the same
 * name would be shown instead, so the section precedes the name then. */
static void
coopr_list_pages(const struct manual *manual, char section, const char *heading)
{
	struct table table = {0};

	table_columns(&table, list_columns);
	for (const struct manual_page *page = manual->pages; page < manual->pages + manual->count; page++) {
		if (page->section != section)
			continue;
		if (manual_find(manual, page->name, 0, NULL) == page)
			table_cell(&table, STYLE_BOLD, "  %s", manual_short(page->name));
		else
			table_cell(&table, STYLE_BOLD, "  %c %s", section, manual_short(page->name));
		table_cell(&table, STYLE_PLAIN, "%s", page->summary);
	}
	printf("\n%s\n\n", heading);
	table_print(&table, stdout, terminal_colour(NULL, stdout), false);
	table_release(&table);
}

static int
coopr_list(void)
{
	struct manual manual;

	manual_open(&manual);
	coopr_list_commands(&manual);
	if (manual.count) {
		coopr_list_pages(&manual, '5', "The formats and files (coopr help NAME):");
		coopr_list_pages(&manual, '7', "The concepts and tutorials (coopr help NAME); coopr help -k WORD searches all pages:");
	}
	manual_release(&manual);
	return message_end(0);
}

/* For the completion of shells. */
static int
coopr_list_words(void)
{
	struct arguments names = {0};
	struct manual manual;

	manual_open(&manual);
	toolbox_list(&names);
	for (size_t i = 0; i < names.count; i++)
		printf("subcommand\t%s\t%s\n", names.list[i], coopr_summary(&manual, names.list[i]));
	arguments_release(&names);
	manual_release(&manual);
	return message_end(0);
}

/* The words for things that other tools do and coopr does not, and what there is instead. */
static const struct {
	const char *word, *instead;
} absent[] = {
	{"annotate", "what is said with -m is kept in the history of a cluster"},
	{"label", "there are no labels; clusters have a name, an owner, a group and a tenant"},
	{"port-forward", "coopr ssh-config lets ssh forward ports"},
	{"tag", "there are no tags; clusters have a name, an owner, a group and a tenant"},
	{"uncordon", "nodes are not closed; coopr expand adds nodes"},
	{0}};

/* Tells that there is no such command. That of another tool may be of two words: "rollout undo". */
static int
coopr_no_such(const char *name, const char *next)
{
	char *both = next && *next != '-' ? memory_printf("%s %s", name, next) : NULL;
	struct arguments names = {0};
	const char *near, *instead = NULL;
	int code;

	toolbox_list(&names);
	arguments_push(&names, "help");
	near = both ? suggest_synonym(both, (const char *const *)names.list) : NULL;
	for (size_t i = 0; absent[i].word; i++)
		if (strcmp(name, absent[i].word) == 0)
			instead = absent[i].instead;
	if (near)
		name = both;
	else if (!instead)
		near = suggest_command(name, (const char *const *)names.list);
	if (instead)
		code = option_misuse(&command, "unknown command '%s'; %s", name, instead);
	else if (near)
		code = option_misuse(&command, "unknown command '%s'; did you mean '%s'?", name, near);
	else
		code = option_misuse(&command, "unknown command '%s'; \"coopr\" lists all", name);
	arguments_release(&names);
	free(both);
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

/* Tells that there is no such page. */
static int
coopr_no_page(const struct manual *manual, const char *name, char section)
{
	const struct manual_page *other = manual_find(manual, name, 0, NULL);
	struct arguments names = {0};
	const char *near;
	int code;

	toolbox_list(&names);
	manual_names(manual, &names);
	near = suggest_command(name, (const char *const *)names.list);
	if (section && other)
		code = option_misuse(&command, "section %c has no page %s; there is %s(%c)", section, name, other->name, other->section);
	else if (near)
		code = option_misuse(&command, "no page about '%s'; did you mean '%s'? coopr help -k %s searches all pages", name, near, name);
	else
		code = option_misuse(&command, "no page about '%s'; coopr help -k %s searches all pages", name, name);
	arguments_release(&names);
	return code;
}

/* Says which other pages have the name. */
static void
coopr_tell_of_others(const struct manual *manual, const char *name, const struct manual_page *page)
{
	while ((page = manual_find(manual, name, 0, page + 1)))
		message("there is also %s(%c): coopr help %c %s", page->name, page->section, page->section, name);
}

/* Shows a page with man(1), else with mandoc(1), else what the command itself says. */
static int
coopr_help(const char *name, char section)
{
	char *path = section ? NULL : toolbox_find(name);
	const struct manual_page *page;
	struct manual manual;
	int code;

	manual_open(&manual);
	page = manual_find(&manual, name, section, NULL);
	/* A pager runs what it is told to, with the rights that sudo(8) has given. */
	if (getenv("SUDO_USER"))
		setenv("MANPAGER", "cat", 1);
	if (page) {
		if (!section)
			coopr_tell_of_others(&manual, name, page);
		execlp("man", "man", "-l", page->path, (char *)NULL);
		execlp("mandoc", "mandoc", "-a", page->path, (char *)NULL);
	}
	if (!path && page)
		message("%s: to read it, install man-db or mandoc", page->path);
	code = path ? coopr_become(path, (char *[]){path, (char[]){"--help"}, NULL})
	            : page ? EX_UNAVAILABLE : coopr_no_page(&manual, name, section);
	free(path);
	manual_release(&manual);
	return code;
}

/* Becomes coopr-NAME SUBCOMMAND --help. */
static int
coopr_help_subcommand(const char *name, char *subcommand)
{
	char *path = toolbox_find(name);

	if (!path)
		return option_misuse(&command, "expected one page, found also '%s'", subcommand);
	return coopr_become(path, (char *[]){path, subcommand, (char[]){"--help"}, NULL});
}

static int
coopr_search(const char *word)
{
	struct manual manual;
	size_t found;

	manual_open(&manual);
	found = manual_search(&manual, word);
	manual_release(&manual);
	if (found)
		return message_end(0);
	message("no page has \"%s\"", word);
	return EX_NO;
}

/* Does "coopr help": alone, -k WORD, NAME, SECTION NAME, COMMAND SUBCOMMAND. */
static int
coopr_help_about(char **words)
{
	bool is_section = words[0] && strlen(words[0]) == 1 && strchr("157", *words[0]);
	size_t count = 0;

	while (words[count])
		count++;
	if (count == 0)
		return coopr_list();
	if (option_wants_words(words[0]))
		return 0;
	if (strcmp(words[0], "-h") == 0 || strcmp(words[0], "--help") == 0)
		return coopr_help("coopr", 0);
	if (strcmp(words[0], "-k") == 0)
		return count == 2 && *words[1] ? coopr_search(words[1]) : option_misuse(&command, "help -k: expected one word to search for");
	if (*words[0] == '-')
		return option_misuse(&command, "help: unknown option %s; did you mean -k?", words[0]);
	if (count > 2)
		return option_misuse(&command, "help: expected [SECTION] NAME, found also '%s'", words[2]);
	if (count == 2 && !is_section)
		return coopr_help_subcommand(words[0], words[1]);
	return count == 2 ? coopr_help(words[1], *words[0]) : coopr_help(words[0], 0);
}

int
main(int argc, char **argv)
{
	char *path;

	argv += option_parse(&command, argc, argv);
	if (server)
		setenv("COOPR_SERVER", server, 1);
	if (!argv[0])
		return coopr_list();
	if (option_wants_words(argv[0]))
		return coopr_list_words();
	if (strcmp(argv[0], "help") == 0)
		return coopr_help_about(argv + 1);

	path = toolbox_find(argv[0]);
	if (!path)
		return coopr_no_such(argv[0], argv[1]);
	argv[0] = path;
	return coopr_become(path, argv);
}
