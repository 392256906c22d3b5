/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder for what must not reach a disk, as keys: a held folder in location_memory().
 */
#ifndef SSH_MEMORY_FOLDER_H
#define SSH_MEMORY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "ssh/held-folder.h"

struct error;

struct memory_folder {
	struct held_folder held;
	bool stays;
};

/* Makes the folder, and removes those of processes that were killed. */
int memory_folder_open(struct memory_folder *folder, struct error *err);

/* Opens the one folder whose files stay until this host is started again, for programs that run later; makes it if there is none. */
int memory_folder_open_lasting(struct memory_folder *folder, struct error *err);

/* Writes a file of the mode 0600 in it, in place of what has that name. */
int memory_folder_write(const struct memory_folder *folder, const char *name, const void *bytes, size_t length, struct error *err);

/* Removes a file. */
void memory_folder_remove(const struct memory_folder *folder, const char *name);

/* Removes the folder with all that is in it, unless its files stay; one that is not open is allowed. */
void memory_folder_close(struct memory_folder *folder);

#endif
