/* SPDX-License-Identifier: Apache-2.0
 *
 * The stock OpenSSH client, so that it asks nothing, trusts no key but the node's pinned ones, and reads no
 * configuration that is not ours. What it says when it fails becomes a sentence and a status. A connection
 * is kept for later tasks where there is a directory for its socket (exec/sockets.h), else it ends with its
 * task.
 */
#ifndef EXEC_SSH_H
#define EXEC_SSH_H

#include "base/process.h"

struct error;
struct machine;
struct tail;

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

/* Why ssh could not run a command there, from what it said: EX_TEMPFAIL (refused, unreachable, lost),
 * EX_NOPERM (host key, login). Always -1. */
int ssh_explain(const struct machine *machine, const struct tail *said, struct error *err);

#endif
