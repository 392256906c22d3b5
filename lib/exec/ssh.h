/* SPDX-License-Identifier: Apache-2.0
 *
 * The stock OpenSSH client, so that it asks nothing, trusts no key but the node's pinned ones, and reads no
 * configuration that is not ours. What it says when it fails becomes a sentence and a status.
 *
 * Connections are kept, one for each node, while a worker runs: it makes a directory of sockets (ssh_sockets_open), its
 * children find it in the environment, and it closes them all when it ends. Without one, a connection ends with its task.
 */
#ifndef EXEC_SSH_H
#define EXEC_SSH_H

#include "base/process.h"

struct error;
struct machine;
struct tail;

#define SSH_SOCKETS_VARIABLE "COOPR_SSH_SOCKETS"

struct ssh { /* zero-initialise */
	struct arguments argv; /* the words in front of the remote command */
	int known_hosts;       /* a file in memory, which ssh reads through /proc */
};

/* Fills ssh for the machine. -1: EX_NOPERM without a pinned host key, EX_TEMPFAIL without an address. */
int ssh_prepare(const struct machine *machine, struct ssh *ssh, struct error *err);
void ssh_release(struct ssh *ssh);

/* "node 00000042-1000 (203.0.113.4:22)", in the buffer that is given; returns text. */
enum { SSH_NAME_SIZE = 600 };
char *ssh_name(const struct machine *machine, char text[SSH_NAME_SIZE]);

/* Why ssh could not run a command there, from what it said: EX_TEMPFAIL (refused, unreachable, lost), EX_NOPERM (host key, login). Always
 * -1. */
int ssh_explain(const struct machine *machine, const struct tail *said, struct error *err);

struct ssh_sockets {
	char *path; /* NULL: connections are not kept */
	int lock;
};

/* Makes the directory and names it in our environment; closes what workers that were killed left behind. Where there is no place short
 * enough for a socket, path is NULL. */
int ssh_sockets_open(struct ssh_sockets *sockets, struct error *err);

/* Closes the connections and removes the directory. */
void ssh_sockets_close(struct ssh_sockets *sockets);

#endif
