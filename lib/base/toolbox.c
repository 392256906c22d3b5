/* SPDX-License-Identifier: Apache-2.0 */
#include "base/toolbox.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
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
toolbox_front(void)
{
	char *path = location_installed("bin/coopr");

	if (file_is_program(path))
		return path;
	free(path);
	return NULL;
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
