/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of this process alone, ABOVE/KINDXXXXXX, held locked: that tells it from one whose process was killed, which is removed by the
 * next that makes one.
 */
#ifndef SSH_HELD_FOLDER_H
#define SSH_HELD_FOLDER_H

struct error;

struct held_folder {
	char *path; /* NULL: none is open */
	int lock;   /* its descriptor */
};

/* Removes a folder, which is open at fd, with all that belongs to it. */
typedef void held_folder_end(const char *path, int fd);

/* Has end remove those of killed processes, and makes one. kind: "keys." */
int held_folder_open(struct held_folder *folder, const char *above, const char *kind, held_folder_end *end, struct error *err);

/* Lets the folder go, which stays; one that is not open is allowed. */
void held_folder_close(struct held_folder *folder);

#endif
