/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "tap.h"

static bool dry;
static const char *name;
static long jobs;
static struct option_list services;

static const struct option_spec options[] = {
	OPTION_STRING('t', "template", &name, "NAME", "use this template"),
	OPTION_FLAG('n', "dry-run", &dry, "show what would be done"),
	OPTION_NUMBER('j', "jobs", &jobs, "N", "so many at a time"),
	OPTION_LIST('s', "service", &services, "NAME", "this service too"),
	OPTION_FLAG(0, "time", &dry, "another that starts with t"),
	OPTION_STRING(0, "pattern", &name, "NAME", NULL),
	OPTION_STRING(0, "output", &name, "table|json", NULL),
	OPTION_RETIRED('r', "rehearse", "--dry-run"),
	OPTION_RETIRED('p', NULL, "--pattern"),
	OPTION_END
};
static const struct command plain = {"coopr-x", "[OPTION]... [FILE]...", "do something", options, "  coopr-x -t web\n"};
static const struct command sub = {"coopr-y", "COMMAND [ARGUMENT]...", "do several things", options, NULL};

enum { ARGUMENTS_MAX = 16 };

/* Parses a command line of words; returns the index of the first operand. */
static int
parse(const struct command *command, char *line, char **argv)
{
	int argc = 0;

	dry = false;
	name = NULL;
	jobs = -1;
	services.count = 0;
	for (char *word = strtok(line, " "); word && argc < ARGUMENTS_MAX - 1; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return option_parse(command, argc, argv);
}

/* The same in a child: its exit code, what it says in out. */
static int
parse_apart(const struct command *command, const char *line, struct buffer *out)
{
	char *argv[ARGUMENTS_MAX], *copy = memory_string(line);
	int ends[2], status;
	struct error err;
	pid_t pid;

	buffer_clear(out);
	if (pipe(ends) < 0)
		exit(EX_OSERR);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		parse(command, copy, argv);
		_exit(0);
	}
	close(ends[1]);
	file_read_fd(ends[0], "pipe", 1 << 20, out, &err);
	close(ends[0]);
	waitpid(pid, &status, 0);
	free(copy);
	return WEXITSTATUS(status);
}

static void
test_values(void)
{
	char *argv[ARGUMENTS_MAX], line[] = "x a -t web --service=zk -nj 4 -s db b -- -n", again[] = "y -n put -n";
	char former[] = "x --pattern old";
	int first = parse(&plain, line, argv);

	tap_is_text(name, "web", "an option takes an argument");
	tap_ok(dry, "a flag is set");
	tap_is_number(jobs, 4, "a number is read");
	tap_is_number(services.count, 2, "a repeatable option is a list");
	tap_ok(services.count == 2 && strcmp(services.list[0], "zk") == 0, "in the order given");
	tap_is_text(argv[first], "a", "operands may stand before options");
	tap_is_text(argv[first + 2], "-n", "behind -- all are operands");
	first = parse(&sub, again, argv);
	tap_is_text(argv[first], "put", "a command with subcommands stops at the first operand");
	tap_is_text(argv[first + 1], "-n", "and leaves the options of the subcommand to it");
	parse(&plain, former, argv);
	tap_is_text(name, "old", "a former name of an option still works, and the help does not have it");
	free(services.list);
	services = (struct option_list){0};
}

static void
test_help(void)
{
	struct buffer out = {0};

	tap_is_number(parse_apart(&plain, "x -n --help --nonsense", &out), 0, "--help ends with 0");
	tap_is_text(out.data,
	    "usage: coopr-x [OPTION]... [FILE]...\n\ndo something\n\nOptions:\n"
	    "  -t, --template NAME  use this template\n"
	    "  -n, --dry-run        show what would be done\n"
	    "  -j, --jobs N         so many at a time\n"
	    "  -s, --service NAME   this service too\n"
	    "      --time           another that starts with t\n"
	    "      --server SERVER  have this server do it (default: $COOPR_SERVER)\n"
	    "  -h, --help           show this help\n"
	    "      --version        show the version\n\nExamples:\n  coopr-x -t web\n",
	    "it shows usage, options and examples");
	tap_is_number(parse_apart(&plain, "x --version", &out), 0, "--version ends with 0");
	tap_is_text(out.data, "coopr-x " COOPR_VERSION "\n", "it shows name and version");
	buffer_release(&out);
}

static void
test_misuse(void)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{"x -z", "coopr-x: unknown option -z; see: coopr-x --help\n"},
		{"x --tempalte w", "coopr-x: unknown option --tempalte; did you mean --template?; see: coopr-x --help\n"},
		{"x --xyzzyx", "coopr-x: unknown option --xyzzyx; see: coopr-x --help\n"},
		{"x --t", "coopr-x: option --t is short for several; see: coopr-x --help\n"},
		{"x -t", "coopr-x: option --template needs an argument: NAME; see: coopr-x --help\n"},
		{"x --dry-run=yes", "coopr-x: option --dry-run takes no argument; see: coopr-x --help\n"},
		{"x --output=tabel", "coopr-x: --output: expected table|json, found 'tabel'; did you mean 'table'?; see: coopr-x --help\n"},
		{"x --output=", "coopr-x: --output: the value is empty; expected table|json; see: coopr-x --help\n"},
		{"x --output=prometheus", "coopr-x: --output: expected table|json, found 'prometheus'; see: coopr-x --help\n"},
		{"x -r", "coopr-x: option -r is retired; use --dry-run; see: coopr-x --help\n"},
		{"x -nr4", "coopr-x: option -r is retired; use --dry-run; see: coopr-x --help\n"},
		{"x --rehearse=now", "coopr-x: option --rehearse is retired; use --dry-run; see: coopr-x --help\n"},
		{"x -p a", "coopr-x: option -p is retired; use --pattern; see: coopr-x --help\n"},
		{"x --rehaerse", "coopr-x: unknown option --rehaerse; see: coopr-x --help\n"},
		{"x a b --jobs", "coopr-x: option --jobs needs an argument: N; see: coopr-x --help\n"},
	};
	struct buffer out = {0};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_is_number(parse_apart(&plain, cases[i].line, &out), EX_USAGE, "misuse: %s", cases[i].line);
		tap_is_text(out.data, cases[i].text, "and its message");
	}
	buffer_release(&out);
}

static void
test_numbers(void)
{
	static const char *const wrong[] = {"x -j -1", "x -j +1", "x -j 1x", "x -j 0x10", "x -j 1.5", "x --jobs=",
		"x -j 99999999999999999999"};
	struct buffer out = {0};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		tap_is_number(parse_apart(&plain, wrong[i], &out), EX_USAGE, "no number: %s", wrong[i]);
	tap_is_number(parse_apart(&plain, "x -j 0", &out), 0, "0 is a number");
	buffer_release(&out);
}

static void
test_suggestions(void)
{
	static const char *const words[] = {"solve", "plan", "queue", "exec", "work", "show", "validate", NULL};
	static const char *const outputs[] = {"table", "json", "wide", "yaml", NULL};

	tap_is_text(suggest_word("sovle", words), "solve", "neighbours swapped");
	tap_is_text(suggest_word("plna", words), "plan", "in a short word too");
	tap_is_text(suggest_word("validat", words), "validate", "a letter missing");
	tap_is_text(suggest_word("queu", words), "queue", "the beginning of a word");
	tap_is_text(suggest_word("que", words), "queue", "a short beginning too");
	tap_is_text(suggest_word("xyzzy", words), NULL, "nothing that is not near");
	tap_is_text(suggest_word("name", outputs), NULL, "nothing that has half of its four letters only");
	tap_is_text(suggest_word("html", outputs), NULL, "the other half neither");
	tap_is_text(suggest_word("yml", outputs), "yaml", "a letter missing in a short word");
	tap_is_text(suggest_word("", words), NULL, "nothing for nothing");
	tap_is_text(suggest_command("describe", words), "show", "a word of another tool");
	tap_is_text(suggest_command("destroy", words), NULL, "unless there is none of ours");
	tap_is_text(suggest_command("plna", words), "plan", "else the nearest");
}

int
main(void)
{
	test_values();
	test_help();
	test_misuse();
	test_numbers();
	test_suggestions();
	return tap_end();
}
