/* SPDX-License-Identifier: Apache-2.0
 *
 * The way from the host to the sshd of a machine whose network is in a user's world: a process that takes connections at an address of
 * the host's loopback and passes them on. It ends with the machine. The file "relay" in the machine's folder has the address and the
 * port, and is locked as long as it works.
 */
#ifndef SANDBOX_WORLD_RELAY_H
#define SANDBOX_WORLD_RELAY_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct machine;

/* Returns a socket of the network that this process is in, for relay_start. */
int relay_socket(struct error *err);

/* Finds the relay of a machine, and says in access and port of the machine where it is. Returns false if none works. */
bool relay_find(struct machine *machine);

/* Starts one for a machine that runs, by the socket; the address is the machine's, with 127 in front. It ends with the machine and with
 * the holder of the world. */
int relay_start(int socket, pid_t holder, struct machine *machine, struct error *err);

#endif
