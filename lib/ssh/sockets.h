/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections that are kept, one for each node, while a worker runs: it makes a directory for their
 * sockets, the held folder RUNTIME/ssh.XXXXXX, its children find that in the environment, and it closes them all when it
 * ends.
 */
#ifndef SSH_SOCKETS_H
#define SSH_SOCKETS_H

#include "ssh/held-folder.h"

struct error;

#define SOCKETS_VARIABLE "COOPR_SSH_SOCKETS"

struct sockets {
	struct held_folder held;
};

/* Makes the directory and names it in our environment; closes what workers that were killed left behind. */
int sockets_open(struct sockets *sockets, struct error *err);

/* Names the directory in the environment so that nobody else's descriptor is needed: those are out of reach once this process is
 * confined. Returns that name, NULL where there is none. */
const char *sockets_keep(void);

/* Closes the connections and removes the directory. */
void sockets_close(struct sockets *sockets);

#endif
