/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacks the tar of a root file system, or a layer of one, into a folder, from which it never leads out: a name with "..", a link
 * that it goes through, wherever it points, stays inside. Device nodes, pipes and sockets are left out. Hides libarchive.
 */
#ifndef SANDBOX_IMAGE_EXTRACT_H
#define SANDBOX_IMAGE_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct extract_room { /* what may still be unpacked of an image */
	int64_t bytes, entries;
	uid_t first; /* the number that user and group 0 have on this host */
};

enum { EXTRACT_ENTRIES = 1000000 };
#define EXTRACT_BYTES (INT64_C(16) << 30)

/* Unpacks what is open as tar, in whatever compression, into the folder that is open as root. name stands in messages. A layer also
 * removes what its whiteouts name of the layers before it. EX_DATAERR where it is damaged, hostile or too large. */
int extract_tar(int tar, const char *name, bool layer, int root, struct extract_room *room, struct error *err);

#endif
