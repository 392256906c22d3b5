/* SPDX-License-Identifier: Apache-2.0
 *
 * The root directory of a machine, as its init makes it in a mount namespace of its own: an overlay over the image,
 * with file systems of its own for all that must not be the host's. When the init dies, the kernel unmounts all of it.
 * The steps, in this order: root_enter, root_mount, root_prepare, root_mount_proc, root_leave.
 */
#ifndef SANDBOX_ROOT_H
#define SANDBOX_ROOT_H

#include <sys/types.h>

struct error;
struct machine;

struct root { /* what is still open of the host between root_enter and root_leave */
	int host;   /* its root directory */
	int folder; /* the machine's folder */
	int user;   /* the user namespace of the machine, which sees its image as its own */
	uid_t owner; /* the machine's root, as the host sees it */
};

/* Mounts the overlay and makes it the root of this process. The working directory must be the machine's folder, before and
 * after. user is a user namespace, if the machine has one. notice (at least NOTICE_SIZE) tells where the changes go if not to the folder, else it is "". */
enum { NOTICE_SIZE = 256 };
/* Adds to a notice, which may be "". */
void root_tell(char notice[NOTICE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

int root_enter(const struct machine *machine, int user, struct root *root, char *notice, struct error *err);

/* Mounts /sys, /dev, /tmp, /run, what is the machine's own, the cluster's names, the masks and shares. */
int root_mount(const struct machine *machine, const struct root *root, struct error *err);

/* Writes what makes the image this machine: its name, keys and sshd_config; passwords and resolvers are the host's
 * and go. */
int root_prepare(const struct machine *machine, const struct root *root, struct error *err);

/* Gives what was made at path to the machine's root; a link is not followed. */
int root_give(const struct root *root, const char *path, struct error *err);

/* Mounts /proc, while the host's is still there: a user namespace mounts none otherwise. Nothing is written from here on: what is open of
 * the host is in /proc/self/fd, and a link of the image may lead there. */
int root_mount_proc(struct error *err);

/* Unmounts the host's files. */
int root_leave(struct root *root, struct error *err);

#endif
