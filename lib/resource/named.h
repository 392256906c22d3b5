/* SPDX-License-Identifier: Apache-2.0
 *
 * What a word of a document means: "web.sh" is the resource of that name, "web/install.sh" a file in the archive "web". Only active
 * versions count.
 */
#ifndef RESOURCE_NAMED_H
#define RESOURCE_NAMED_H

#include <stdbool.h>

#include <jv.h>

struct arena;
struct bundle;
struct error;
struct resource_name;
struct store;

/* Adds what the word names to the bundle, of the resources of that plugin ("automator/shell") and of one of the types (an array of
 * strings, the first that has one): a file, an archive with all that is in it, or a file or folder of an archive. as_script: what is named is a
 * file, which comes first, and all else that is in its archive follows. sums, an array, gets the digest of the resource. 1, 0 where there
 * is no such resource, -1 with EX_CONFIG. */
int named_add(struct store *store, const char *plugin, jv types, const char *word, bool as_script, struct bundle *bundle, jv *sums,
    struct error *err);

/* Adds all resources of that plugin and type, each below the folder that is called as the type: "cookbooks/nginx/...". sums as above. */
int named_add_all(struct store *store, const char *plugin, const char *type, struct bundle *bundle, jv *sums, struct error *err);

/* Reads "KIND/PLUGIN/TYPE/NAME@VERSION", of which least parts have to be there (2 to 4) and the version need not; strings go to the arena.
 * EX_USAGE. */
int named_parse(const char *text, int least, struct arena *arena, struct resource_name *name, struct error *err);

#endif
