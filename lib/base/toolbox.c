/* SPDX-License-Identifier: Apache-2.0 */
#include "base/toolbox.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/process.h"

#define PREFIX "coopr-"

static const char *const program_folders[] = {"bin", "libexec/coopr"};

/* Returns the program FOLDER/coopr-NAME; NULL if there is none. Frees folder. */
static char *
toolbox_program_in(char *folder, const char *name)
{
	char *path = memory_printf("%s/" PREFIX "%s", folder, name);

	free(folder);
	if (file_is_program(path))
		return path;
	free(path);
	return NULL;
}

char *
toolbox_find(const char *name)
{
	const char *list = getenv("PATH");
	char *path = NULL, *folder;

	if (!*name || strchr(name, '/'))
		return NULL;
	for (size_t i = 0; !path && i < sizeof program_folders / sizeof *program_folders; i++)
		path = toolbox_program_in(location_installed(program_folders[i]), name);
	while (!path && (folder = location_next(&list)))
		path = toolbox_program_in(folder, name);
	return path;
}

char *
toolbox_find_internal(const char *name)
{
	char *path = toolbox_find(name);

	if (!path) {
		char *own = memory_printf("libexec/coopr/%s", name);

		path = location_installed(own);
		free(own);
	}
	return path;
}

char *
toolbox_front(void)
{
	char *path = location_installed("bin/coopr");

	if (file_is_program(path))
		return path;
	free(path);
	return NULL;
}

/* Returns whether the words ask for something that is known here: the help; *named, whether they name a server. */
static bool
toolbox_asks_for_help(char *const *words, bool all, bool *named)
{
	static const char *const known[] = {"--help", "-h", "--version", "--complete-options"};

	for (; *words && strcmp(*words, "--") != 0 && (all || **words == '-'); words++) {
		*named |= strcmp(*words, "--server") == 0 || strncmp(*words, "--server=", 9) == 0;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (strcmp(*words, known[i]) == 0)
				return true;
	}
	return false;
}

/* Returns whether the user has contexts, one of which may be in use. */
static bool
toolbox_has_contexts(void)
{
	char *path = home_user_config("contexts.json");
	bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

bool
toolbox_is_of_asker(const char *variable)
{
	static const char *const marks[] = {"COOPR_ASKER", "COOPR_SENT="};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strncmp(variable, marks[i], strlen(marks[i])) == 0)
			return true;
	return false;
}

void
toolbox_push_unasked(struct arguments *argv)
{
	arguments_push(argv, "env");
	for (char **variable = environ; *variable; variable++)
		if (toolbox_is_of_asker(*variable))
			arguments_printf(argv, "--unset=%.*s", (int)strcspn(*variable, "="), *variable);
}

void
toolbox_ask_server(char **argv, bool all)
{
	const char *variable = getenv("COOPR_SERVER");
	struct arguments words = {0};
	bool named = false;
	struct error err;
	char *path;

	if (!argv[0] || strncmp(file_base_name(argv[0]), PREFIX, strlen(PREFIX)) != 0 || toolbox_asks_for_help(argv + 1, all, &named) ||
	    (!named && (variable ? !*variable : !toolbox_has_contexts())))
		return;
	if (getenv(TOOLBOX_ASKER_FROM)) {
		error_set(&err, EX_NOPERM, "--server: a server does this already, and asks no other");
		exit(message_error(&err));
	}
	path = location_installed("libexec/coopr/remote");
	arguments_push(&words, "remote");
	for (; *argv; argv++)
		arguments_push(&words, *argv);
	execv(path, words.list);
	error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", path);
	exit(message_error(&err));
}

static int
toolbox_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
toolbox_list(struct arguments *names)
{
	for (size_t i = 0; i < sizeof program_folders / sizeof *program_folders; i++) {
		char *folder = location_installed(program_folders[i]);
		DIR *stream = opendir(folder);
		struct dirent *entry;

		while (stream && (entry = readdir(stream))) {
			const char *name = entry->d_name + strlen(PREFIX);
			char *path = NULL;

			/* A checkout has sources beside the programs. */
			if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 && !strchr(name, '.'))
				path = toolbox_program_in(memory_string(folder), name);
			if (path)
				arguments_push(names, name);
			free(path);
		}
		if (stream)
			closedir(stream);
		free(folder);
	}
	if (names->count)
		qsort(names->list, names->count, sizeof *names->list, toolbox_by_name);
}
