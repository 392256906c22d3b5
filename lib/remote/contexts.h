/* SPDX-License-Identifier: Apache-2.0
 *
 * The servers that a user knows by a name, and which of them is in use: contexts.json in the user's folder of settings, which nobody else
 * may read.
 */
#ifndef REMOTE_CONTEXTS_H
#define REMOTE_CONTEXTS_H

#include <stddef.h>

#include "base/memory.h"

struct error;

struct context { /* strings live in the arena of the list, or are the caller's; each but name and server may be NULL */
	const char *name, *server;
	const char *ca;         /* the file of those who may have signed its certificate */
	const char *token_file;
	const char *token;
	const char *user, *expires;   /* whose token it is, and until when, as far as that is known */
};

struct contexts { /* release it */
	struct arena arena;
	char *path;
	const char *current; /* NULL: none is in use */
	struct context *list;
	size_t count, capacity;
};

/* Reads them; there are none where there is no file. EX_CONFIG where it is malformed, or others could read it. */
int contexts_read(struct contexts *contexts, struct error *err);

/* Returns the one of that name, or of that server; NULL if there is none. */
const struct context *contexts_find(const struct contexts *contexts, const char *name);

/* Returns the one in use, or NULL. */
const struct context *contexts_current(const struct contexts *contexts);

/* Sets one, by its name; removes one, which is then not in use. */
void contexts_set(struct contexts *contexts, const struct context *context);
void contexts_remove(struct contexts *contexts, const char *name);

/* Returns the path as it is from anywhere, where it is there; in the arena. */
const char *contexts_absolute(struct contexts *contexts, const char *path);

/* Writes them, for this user alone; an empty list has no file. */
int contexts_write(const struct contexts *contexts, struct error *err);

/* Refuses, with EX_CONFIG, a file that others may read. */
int contexts_check_private(const char *path, struct error *err);

void contexts_release(struct contexts *contexts);

#endif
