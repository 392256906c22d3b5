/* SPDX-License-Identifier: Apache-2.0
 *
 * The manual pages of the installation, found and searched without man-db. Hides the folders they are in, and what mdoc looks
 * like.
 */
#ifndef ADMIN_MANUAL_H
#define ADMIN_MANUAL_H

#include <stddef.h>

struct arguments;

struct manual_page {
	char *path, *name, *summary; /* name: "coopr-config" */
	char section;                /* '1', '5', '7' */
};

struct manual { /* release it */
	struct manual_page *pages; /* by section and name */
	size_t count, capacity;
};

/* Finds all pages. */
void manual_open(struct manual *manual);
void manual_release(struct manual *manual);

/* Returns the first page from from on, NULL if there is none, of a name: "config", "coopr-config", "config.5", "config(5)".
 * section is one that the page has to be of; 0: any. */
const struct manual_page *manual_find(const struct manual *manual, const char *name, char section,
    const struct manual_page *from);

/* Returns the name of a page as people ask for it, without "coopr-". */
const char *manual_short(const char *name);

/* Pushes the names of all pages as people ask for them: "config". */
void manual_names(const struct manual *manual, struct arguments *names);

/* Prints the pages that have a word: "config(5) - what a person or an administrator chose". Those that have it in name or
 * summary come first, then those that have it in their text. Upper and lower case do not matter. Returns how many there are. */
size_t manual_search(const struct manual *manual, const char *word);

#endif
