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

/* A checkout has its pages in man/, an installation in share/man/. */
static const char *const page_folders[] = {"man/man1", "share/man/man1", "man/man5", "share/man/man5", "man/man7",
	"share/man/man7"};

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

char *
toolbox_page(const char *name)
{
	for (size_t i = 0; i < sizeof page_folders / sizeof *page_folders; i++) {
		const char *folder = page_folders[i];
		char *page = memory_printf("%s/coopr%s%s.%c", folder, name ? "-" : "", name ? name : "",
		    folder[strlen(folder) - 1]);
		char *path = location_installed(page);

		free(page);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *
toolbox_summary(const char *name)
{
	char *path = toolbox_page(name), *line = NULL, *summary = NULL;
	FILE *page = path ? fopen(path, "re") : NULL;
	size_t size = 0;

	while (page && !summary && getline(&line, &size, page) > 0)
		if (strncmp(line, ".Nd ", 4) == 0)
			summary = memory_substring(line + 4, strcspn(line + 4, "\n"));
	if (page)
		fclose(page);
	free(line);
	free(path);
	return summary ? summary : memory_string("");
}
