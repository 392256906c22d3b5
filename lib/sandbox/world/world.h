/* SPDX-License-Identifier: Apache-2.0
 *
 * The world of a user who is not root: a user namespace in which the user is root, with the subordinate ids of the user, and a network
 * namespace of it, where the host's ends of cables are. A process that enters it makes machines there as root does on the host.
 * A process holds it, in the folder sandbox-world of location_state():
 *
 *	held	the number of that process, which has it locked
 *	use	locked by who is in the world, and alone by who makes or ends it
 *
 * It is made by who needs it first, and ends with the last machine.
 */
#ifndef SANDBOX_WORLD_WORLD_H
#define SANDBOX_WORLD_WORLD_H

#include <sys/types.h>

struct error;

/* Enters the world for ever, and makes it first where there is none. Only one thread may be there. Returns a descriptor, which keeps
 * the world until it is closed. */
int world_enter(struct error *err);

/* Returns the process that holds the world, 0 if there is none. */
pid_t world_holder(void);

/* Ends the world, if nobody else is in it. use is what world_enter returned, and is closed. */
void world_end(int use);

#endif
