/* SPDX-License-Identifier: Apache-2.0
 *
 * The stock OpenSSH client, so that it asks nothing, trusts no key but the node's pinned ones, and reads no
 * configuration that is not ours. What it says when it fails becomes a sentence and a status. A connection
 * is kept for later tasks where there is a directory for its socket (exec/sockets.h), else it ends with its
 * task.
 */
#ifndef SSH_SSH_H
#define SSH_SSH_H

#include "base/process.h"

struct error;
struct machine;
struct tail;

struct ssh { /* zero-initialise */
	struct arguments argv;
	int known_hosts;       /* a file in memory, which ssh reads through /proc */
};

/* Begins the words of a command for the machine. -1: EX_NOPERM without a pinned host key, EX_TEMPFAIL without an address. */
int ssh_prepare(const struct machine *machine, struct ssh *ssh, struct error *err);
void ssh_release(struct ssh *ssh);

/* Then how the connection is kept, if at all: for whoever comes next, by this one or one before, where there is a directory
 * for sockets; or as a client that does nothing but hold it, behind the socket. At last, where it goes. */
void ssh_share(const struct machine *machine, struct ssh *ssh);
void ssh_hold(const char *socket, struct ssh *ssh);
void ssh_address(const struct machine *machine, struct ssh *ssh);

/* The path of the socket for connections to the machine, the caller's to free: shared by what would make the same
 * connection; a node that was made anew has another host key. NULL where none are kept. */
char *ssh_socket(const struct machine *machine);

/* "node 00000042-1000 (203.0.113.4:22)", in the buffer that is given; returns text. */
enum { SSH_NAME_SIZE = 600 };
char *ssh_name(const struct machine *machine, char text[SSH_NAME_SIZE]);

/* Why ssh could not run a command there, from what it said: EX_TEMPFAIL (refused, unreachable, lost),
 * EX_NOPERM (host key, login). Always -1. */
int ssh_explain(const struct machine *machine, const struct tail *said, struct error *err);

#endif
