/* SPDX-License-Identifier: Apache-2.0
 *
 * Images that are not a directory tree yet: the archive of one, or an OCI image layout. They are unpacked once, for all machines of
 * them, in "sandbox-images" of location_state():
 *
 *	DIGEST/root        the tree of the archive, or of the manifest, of that SHA-256
 *	DIGEST/users/NAME  is there for each machine of it
 *	names/HASH         what an image was when it was looked at, and its digest
 *	new/, making       what is being unpacked, and the lock of who does; old/ is being removed
 *
 * A tree goes when no machine uses it and no image is it any more: the image has been removed, or is another one now.
 */
#ifndef SANDBOX_IMAGE_IMAGE_H
#define SANDBOX_IMAGE_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>

struct arena;
struct error;

enum image_kind {
	IMAGE_NONE,   /* there is nothing at the path */
	IMAGE_TREE,   /* a directory tree */
	IMAGE_PACKED, /* an archive, or an OCI layout */
};

/* Tells what an image is: an absolute path, or FOLDER:TAG of an OCI layout. */
enum image_kind image_look(const char *image);

/* Finds the tree of an image that is packed, or makes it, for the machine. User 0 of the image is first on this host, and so on. Returns
 * its digest, NULL on error. */
const char *image_claim(const char *image, uid_t first, const char *machine, struct arena *arena, struct error *err);

/* Says that the machine uses none any more. */
void image_release(const char *machine);

/* Returns whether the tree at path has a file, links being followed in it only. */
bool image_has(const char *path, const char *file);

/* Returns the path of the tree of a digest, which the caller frees. */
char *image_path(const char *digest);

#endif
