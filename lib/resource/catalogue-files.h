/* SPDX-License-Identifier: Apache-2.0
 *
 * The resources of a catalogue in a folder, beside the documents: scripts/ and files/, whose entries are resources of the automator
 * "shell" of these types, and automator/PLUGIN/TYPE/ for those of all others: a file is a file, a folder an archive.
 */
#ifndef RESOURCE_CATALOGUE_FILES_H
#define RESOURCE_CATALOGUE_FILES_H

#include <stddef.h>

#include "base/memory.h"

struct error;
struct resource_list;
struct store;
struct upload;

struct catalogue_files { /* zero-initialise; release it */
	struct arena arena;
	struct upload *list;
	size_t count, capacity;
};

/* Reads what there is in these folders of the folder at path, which may lack them. Names that begin with a dot are passed over.
 * EX_DATAERR for names that no resource can have, and for links. The plugins are not asked for their types. */
int catalogue_files_read(struct catalogue_files *files, const char *path, struct error *err);

/* Writes what is active of the tenant's to these folders of the folder at path. */
int catalogue_files_write(struct store *store, const char *path, struct error *err);

void catalogue_files_release(struct catalogue_files *files);

#endif
