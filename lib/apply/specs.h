/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that say what clusters shall be: a folder of them, or one.
 */
#ifndef APPLY_SPECS_H
#define APPLY_SPECS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "catalogue/clusterspec.h"

struct error;

struct spec {
	const char *file; /* where it stands */
	struct clusterspec wanted;
};

struct specs { /* zero-initialise; release it */
	struct arena arena;
	struct spec *list; /* sorted by the names of the clusters, of which each has one */
	size_t count, capacity;
	bool folder;       /* not a single file */
	char *origin;      /* the folder's path without symbolic links; NULL of a pipe */
};

/* Reads the clusterspecs of a folder, of a file, or of "-". All that is wrong is told (notice), a line a fact; then -1, with
 * EX_DATAERR, or EX_NOINPUT where something cannot be read or nothing is there. */
int specs_read(const char *path, struct specs *specs, void (*notice)(const char *text), struct error *err);

void specs_release(struct specs *specs);

#endif
