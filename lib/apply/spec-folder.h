/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of cluster specifications: which of its files are such, by their names, and which are not.
 */
#ifndef APPLY_SPEC_FOLDER_H
#define APPLY_SPEC_FOLDER_H

#include "base/buffer.h"
#include "base/process.h"

struct error;

struct spec_folder { /* zero-initialise; release it */
	struct arguments files; /* their paths, sorted by name */
	struct buffer skipped;  /* the names of all others and why they are not read; empty: there are none. Of names that begin with
	                           a dot only those of specifications */
};

/* Looks through the folder, not through those in it. Returns 0, or -1 with EX_NOINPUT. */
int spec_folder_list(const char *path, struct spec_folder *folder, struct error *err);

void spec_folder_release(struct spec_folder *folder);

#endif
