/* SPDX-License-Identifier: Apache-2.0
 *
 * remote: has a command done by the server that the user means, and is that command to whoever has called it: coopr-remote(7). The
 * commands become this program as soon as a server may be meant, so that only this one carries libcurl. What is done here, or where no
 * server is meant after all, it becomes the command again. Exits with what the command exits with; 64 where a server does not do it; 69
 * where the server is not reached; 77 where it does not know who asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin/command-table.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "remote/destination.h"
#include "remote/forward.h"
#include "remote/parcel.h"
#include "remote/session.h"
#include "remote/words.h"
#include "show/login-through.h"

/* Becomes the command where it is. */
static int
remote_stay_here(const char *path, struct arguments *words)
{
	struct error err;

	setenv("COOPR_SERVER", "", 1);
	free(words->list[0]);
	words->list[0] = memory_string(path);
	execv(path, words->list);
	error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", path);
	return message_error(&err);
}

/* Takes the words without --server, whose value is returned; NULL if it is not among them. */
static const char *
remote_take_words(char **argv, struct arguments *words)
{
	const char *server = NULL;
	bool takes = true;

	for (; *argv; argv++) {
		takes = takes && strcmp(*argv, "--") != 0;
		if (takes && strcmp(*argv, "--server") == 0 && argv[1])
			server = *++argv;
		else if (takes && strncmp(*argv, "--server=", 9) == 0)
			server = *argv + 9;
		else
			arguments_push(words, *argv);
	}
	return server;
}

/* Checks what must not stand beside a server. */
static int
remote_check_place(const struct destination *destination, struct error *err)
{
	static const char *const places[] = {"COOPR_STORE", "COOPR_SPOOL"};
	const char *user = getenv("SUDO_USER");

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (home_variable(places[i]))
			return error_set(err, EX_USAGE, "%s is set, and %s acts for this command; unset one of them, or use COOPR_SERVER= for this machine",
			    places[i], destination->name);
	if (user && strcmp(user, "root") != 0)
		return error_set(err, EX_NOPERM, "%s: a server would take %s for another user, behind sudo(8); ask it without sudo",
		    destination->name, user);
	return 0;
}

/* Asks the command, or its subcommand, for its options. Returns the number of words that are its name; 0 where it has no such. */
static size_t
remote_ask_table(const char *path, const struct arguments *words, struct command_table *table)
{
	struct command_table parent = {0};
	struct arguments argv = {0};
	size_t behind = 0;

	arguments_push(&argv, path);
	if (command_table_ask(&parent, &argv) && parent.sub_count == 0) {
		*table = parent;
		behind = 1;
	} else {
		if (words->count > 1 && command_table_sub(&parent, words->list[1])) {
			arguments_push(&argv, words->list[1]);
			behind = command_table_ask(table, &argv) ? 2 : 0;
		}
		command_table_release(&parent);
	}
	arguments_release(&argv);
	return behind;
}

/* Has the server do the command; -1. */
static int
remote_run(const struct destination *destination, const struct command_table *table, char *const *words, size_t behind, struct error *err)
{
	struct parcel parcel = {0};
	struct parcel_terminal terminal;
	int code;

	session_look(&terminal);
	code = parcel_make(&parcel, table, words, behind, &terminal, err);
	if (code == 0)
		code = session_run(destination, &parcel, &terminal, err);
	parcel_release(&parcel);
	return code;
}

/* Becomes a command that logs in from here, through the server. */
static int
remote_log_in(const struct destination *destination, const char *path, struct arguments *words)
{
	struct error err;

	if (remote_check_place(destination, &err) < 0)
		return message_error(&err);
	setenv(LOGIN_THROUGH, destination->name, 1);
	return remote_stay_here(path, words);
}

/* Returns whether the server does the command. */
static bool
remote_is_done_there(enum forward where, const struct command_table *table, char *const *words, size_t behind)
{
	struct words walk = {.table = table, .argv = words + behind, .operand_max = 1};
	struct word word = {0};
	bool more;

	if (where != FORWARD_CLUSTER)
		return where == FORWARD_SERVER;
	do
		more = words_next(&walk, &word);
	while (more && word.option);
	return forward_names_cluster(words, more ? word.value : NULL);
}

/* Has the server do the command, whose program is at path, if it is to be done there. Returns its exit code. */
static int
remote_act(const struct destination *destination, const char *path, struct arguments *words)
{
	enum forward where = forward_find(words->list);
	struct command_table table = {0};
	struct error err;
	size_t behind;
	int code = 0;

	if (where == FORWARD_NEVER) {
		message("this is done on the machine of the server alone, and %s is in use; use COOPR_SERVER= for this machine", destination->name);
		return EX_USAGE;
	}
	if (where == FORWARD_LOGIN)
		return remote_log_in(destination, path, words);
	setenv("COOPR_SERVER", "", 1); /* whom we ask is asked here */
	if (strcmp(words->list[0], "show") == 0)
		setenv(LOGIN_THROUGH, destination->name, 1); /* it knows about saved plans, and this machine does not */
	behind = where == FORWARD_HERE ? 0 : remote_ask_table(path, words, &table);
	if (behind == 0 || !remote_is_done_there(where, &table, words->list, behind))
		code = remote_stay_here(path, words);
	else if (remote_check_place(destination, &err) < 0 || (code = remote_run(destination, &table, words->list, behind, &err)) < 0)
		code = message_error(&err);
	command_table_release(&table);
	return code;
}

int
main(int argc, char **argv)
{
	struct arguments words = {0};
	const char *name = argc > 1 ? file_base_name(argv[1]) : "", *option = argc > 1 ? remote_take_words(argv + 1, &words) : NULL;
	char *path = strncmp(name, "coopr-", 6) == 0 ? toolbox_find(name + 6) : NULL;
	struct destination destination = {0};
	struct error err;
	int code;

	message_program(path ? name : "remote");
	if (!path) {
		message("expected a command, as \"remote coopr-list\"");
		return EX_USAGE;
	}
	free(words.list[0]);
	words.list[0] = memory_string(name + 6);

	if (destination_find(&destination, option, &err) < 0)
		code = message_error(&err);
	else if (destination.name)
		code = remote_act(&destination, path, &words);
	else
		code = remote_stay_here(path, &words);

	destination_release(&destination);
	arguments_release(&words);
	free(path);
	return code;
}
