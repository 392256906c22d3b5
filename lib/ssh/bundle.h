/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that go to a node with a service script, read where the catalogue has them: an absolute path,
 * CATALOGUE/scripts/NAME, or share/coopr/services/NAME of the installation. They are read when the task
 * runs: a retry sends a script that was corrected meanwhile. Only a task that names kept scripts has them from ssh/script-store.h.
 */
#ifndef SSH_BUNDLE_H
#define SSH_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/names.h"

struct error;

enum {
	BUNDLE_BYTES = 64 * 1024 * 1024, /* of all files together */
	BUNDLE_FILES = 10000,
	BUNDLE_DEPTH = 32, /* folders inside one another */
};

struct bundle_file {
	char *name; /* relative, where it is put in the private directory */
	struct buffer content;
	bool is_folder; /* it has no content; stands before what is in it */
	bool executable;
	bool has_secrets; /* it is in memory only, and found by a link */
	bool cached;      /* a node may keep it for later tasks */
};

struct bundle { /* zero-initialise */
	struct bundle_file *list;
	size_t count, capacity, bytes;
	const char *plugin;  /* borrowed: whose folders of the catalogue are searched, too ("automator/itamae"); NULL: it has none */
	const char *program; /* borrowed: the name of the file that is run on the node; NULL: the first file is */
	bool no_links;      /* links among the files that are added are refused, else followed */
	bool caches;        /* what is added is cached: it is the same for many tasks, and for no one of them alone */
	struct names names; /* of the list, in its order */
	bool beneath; /* what is added is in a folder of scripts, and no link leads there: a tenant has named it */
};

/* Adds a file, or a folder with all that is in it. catalogue is its path, or NULL. A relative name is kept, of an absolute one its
 * last part. Returns -1 with EX_CONFIG, which says where it was looked for. */
int bundle_add(struct bundle *bundle, const char *catalogue, const char *name, struct error *err);

/* Adds all that a catalogue's folder has for the bundle's plugin in the folder of a type ("cookbooks"), below that name; it may have none. */
int bundle_add_all(struct bundle *bundle, const char *catalogue, const char *type, struct error *err);

/* Adds what stands at path under that name: a file, or a folder with all that is in it. */
int bundle_add_path(struct bundle *bundle, const char *path, const char *name, struct error *err);

enum bundle_kind { BUNDLE_FILE, BUNDLE_PROGRAM, BUNDLE_FOLDER, BUNDLE_SECRET };

/* Adds a copy of length bytes as a file, or a folder, which may be there. Returns -1 with EX_CONFIG if there is something else of that name,
 * or too much. bundle_put_parents adds the folders above name's last part, so that they are made first. */
int bundle_put(struct bundle *bundle, const char *name, enum bundle_kind kind, const void *bytes, size_t length, struct error *err);
int bundle_put_parents(struct bundle *bundle, const char *name, struct error *err);

/* Returns whether any of the files contains word. */
bool bundle_mentions(const struct bundle *bundle, const char *word);

void bundle_release(struct bundle *bundle);

#endif
