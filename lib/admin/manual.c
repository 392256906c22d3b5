/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/manual.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"

#define PREFIX "coopr-"

enum { PAGE_BYTES = 1024 * 1024 };

/* A checkout has its pages in man/, an installation in share/man/. */
static const char *const page_folders[] = {"man/man1", "share/man/man1", "man/man5", "share/man/man5", "man/man7",
	"share/man/man7"};

/* Returns what follows ".Nd " in a page; "" if there is nothing. */
static char *
manual_summary(const char *path)
{
	FILE *page = fopen(path, "re");
	char *line = NULL, *summary = NULL;
	size_t size = 0;

	while (page && !summary && getline(&line, &size, page) > 0)
		if (strncmp(line, ".Nd ", 4) == 0)
			summary = memory_substring(line + 4, strcspn(line + 4, "\n"));
	if (page)
		fclose(page);
	free(line);
	return summary ? summary : memory_string("");
}

/* Adds the page of a file "coopr-config.5"; another file is none. */
static void
manual_add(struct manual *manual, const char *folder, const char *file)
{
	const char *dot = strrchr(file, '.');
	char *path;

	if (strncmp(file, "coopr", 5) != 0 || !dot || dot[1] != folder[strlen(folder) - 1] || dot[2])
		return;
	path = memory_printf("%s/%s", folder, file);
	ARRAY_ROOM(manual->pages, manual->count, manual->capacity);
	manual->pages[manual->count++] = (struct manual_page){path, memory_substring(file, (size_t)(dot - file)),
	    manual_summary(path), dot[1]};
}

static int
manual_compare(const void *a, const void *b)
{
	const struct manual_page *left = a, *right = b;

	return left->section != right->section ? left->section - right->section : strcmp(left->name, right->name);
}

void
manual_open(struct manual *manual)
{
	*manual = (struct manual){0};
	for (size_t i = 0; i < sizeof page_folders / sizeof *page_folders; i++) {
		char *folder = location_installed(page_folders[i]);
		DIR *stream = opendir(folder);
		struct dirent *entry;

		while (stream && (entry = readdir(stream)))
			manual_add(manual, folder, entry->d_name);
		if (stream)
			closedir(stream);
		free(folder);
	}
	if (manual->count)
		qsort(manual->pages, manual->count, sizeof *manual->pages, manual_compare);
}

void
manual_release(struct manual *manual)
{
	for (size_t i = 0; i < manual->count; i++) {
		free(manual->pages[i].path);
		free(manual->pages[i].name);
		free(manual->pages[i].summary);
	}
	free(manual->pages);
	*manual = (struct manual){0};
}

const char *
manual_short(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : name;
}

/* Returns the length of a name without ".5" or "(5)", which then is in *section. */
static size_t
manual_split(const char *name, char *section)
{
	size_t length = strlen(name);
	const char *end = name + length;

	if (length > 2 && end[-2] == '.' && strchr("157", end[-1])) {
		*section = end[-1];
		return length - 2;
	}
	if (length > 3 && end[-3] == '(' && strchr("157", end[-2]) && end[-1] == ')') {
		*section = end[-2];
		return length - 3;
	}
	return length;
}

const struct manual_page *
manual_find(const struct manual *manual, const char *name, char section, const struct manual_page *from)
{
	const char *asked = manual_short(name);
	char wanted = section;
	size_t length = manual_split(asked, &wanted);

	for (const struct manual_page *page = from ? from : manual->pages; page < manual->pages + manual->count; page++) {
		const char *its = manual_short(page->name);

		if (strlen(its) == length && strncmp(its, asked, length) == 0 && (!wanted || wanted == page->section) &&
		    (!section || section == page->section))
			return page;
	}
	return NULL;
}

void
manual_names(const struct manual *manual, struct arguments *names)
{
	for (const struct manual_page *page = manual->pages; page < manual->pages + manual->count; page++)
		if (manual_find(manual, page->name, 0, NULL) == page) /* each name once */
			arguments_push(names, manual_short(page->name));
}

static bool
manual_text_has(const struct manual_page *page, const char *word)
{
	struct buffer text = {0};
	struct error ignored; /* a page that cannot be read has nothing */
	bool has = file_read(AT_FDCWD, page->path, PAGE_BYTES, &text, &ignored) == 0 && text.data && strcasestr(text.data, word);

	buffer_release(&text);
	return has;
}

size_t
manual_search(const struct manual *manual, const char *word)
{
	size_t found = 0;

	for (int in_text = 0; in_text < 2; in_text++)
		for (size_t i = 0; i < manual->count; i++) {
			const struct manual_page *page = &manual->pages[i];
			bool in_head = strcasestr(page->name, word) || strcasestr(page->summary, word);

			if (in_text ? in_head || !manual_text_has(page, word) : !in_head)
				continue;
			printf("%s(%c) - %s\n", manual_short(page->name), page->section, page->summary);
			found++;
		}
	return found;
}
