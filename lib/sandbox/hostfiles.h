/* SPDX-License-Identifier: Apache-2.0
 *
 * What machines of the image "host" see of the host: /usr, /var/lib/dpkg, /var/lib/apt, and a copy of the rest that a machine needs:
 * of /etc what every user of the host may read, without what says which host it is; of /var the folders, and the state of
 * packages' configuration. Nothing else of the host is there, whatever comes to be in it.
 *
 * In "sandbox-host" of location_state(), while the sandbox's folder is locked (state.h):
 *
 *	0123456789abcdef/root        the copy, whose name follows from what it was made of
 *	0123456789abcdef/usr         a layer over /usr that hides what others may not read in /usr/local; absent where there is nothing
 *	0123456789abcdef/users/NAME  is there for each machine of it
 *
 * Making a copy takes some tenths of a second: the one that is right now is kept when no machine uses it, all others go then.
 */
#ifndef SANDBOX_HOSTFILES_H
#define SANDBOX_HOSTFILES_H

#include <sys/types.h>

struct arena;
struct error;

/* Finds the copy that is right now, or makes it, for the machine. All of it belongs to owner; 0: to whom it does on the host. Returns
 * its name, NULL on error. */
const char *hostfiles_claim(const char *machine, uid_t owner, struct arena *arena, struct error *err);

/* Says that the machine uses none any more. */
void hostfiles_release(const char *machine);

/* Makes root and, where needed, usr in the folder dir. */
int hostfiles_copy(int dir, uid_t owner, struct error *err);

/* Gives the tree at path in dir to owner; one that is not there is fine. */
int hostfiles_give(int dir, const char *path, uid_t owner, struct error *err);

/* Folders of the host that are shown to machines as they are, below /: those that are none on this host are for nobody. They are
 * folders in the copy. Ends with NULL. */
extern const char *const hostfiles_shown[];

#endif
