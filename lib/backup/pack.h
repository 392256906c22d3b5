/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the archive of a backup, and its manifest as the last file. Hides libarchive, as unpack.h does. All is in one folder,
 * PACK_FOLDER, so that tar(1) unpacks it neatly.
 */
#ifndef BACKUP_PACK_H
#define BACKUP_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "backup/manifest.h"

struct error;
struct pack;

#define PACK_FOLDER "coopr-backup/"
#define PACK_MANIFEST "manifest.ndjson"

/* Sets *compress to whether an archive of that name is compressed: ".tar.gz" and ".tgz" are, ".tar" is not. EX_USAGE for others. */
int pack_compression(const char *name, bool *compress, struct error *err);

/* Tells whether an operand names such a file, and no cluster: by its ending, or since it begins with "/" or ".". */
bool pack_is_file(const char *operand);

/* Begins an archive that is written to fd, borrowed; name is for messages. NULL with a reason. release it. */
struct pack *pack_open(int fd, const char *name, bool compress, struct manifest *manifest, struct error *err);

/* Adds the next size bytes of a file; in the manifest it gets path. EX_IOERR where it has fewer. */
int pack_file(struct pack *pack, const char *path, int fd, int64_t size, struct error *err);

/* Adds a folder; path ends with a slash. */
int pack_folder(struct pack *pack, const char *path, struct error *err);

/* Adds the manifest, and ends the archive. */
int pack_finish(struct pack *pack, struct error *err);

void pack_release(struct pack *pack); /* NULL is fine */

#endif
