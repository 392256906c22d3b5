/* SPDX-License-Identifier: Apache-2.0
 *
 * The stock OpenSSH client, so that it asks nothing, trusts no key but the node's pinned ones, and reads no
 * configuration that is not ours. What it says when it fails becomes a sentence and a status. A connection
 * is kept for later tasks if there is a directory for its socket (ssh/sockets.h), else it ends with its
 * task.
 */
#ifndef SSH_SSH_H
#define SSH_SSH_H

#include "base/process.h"

struct buffer;
struct error;
struct machine;
struct tail;

struct ssh { /* zero-initialise */
	struct arguments argv;
	int known_hosts;       /* a file in memory, which ssh reads through /proc; -1: it has a path */
};

/* Begins the words of a command for the machine. Fails with EX_NOPERM without a pinned host key, with EX_TEMPFAIL without an
 * address. */
int ssh_prepare(const struct machine *machine, struct ssh *ssh, struct error *err);
void ssh_release(struct ssh *ssh);

/* The same, where the file known_hosts is to have the lines that ssh_print_known_hosts appends: for a program that does not see this process. */
int ssh_prepare_by(const struct machine *machine, const char *known_hosts, struct ssh *ssh, struct error *err);
void ssh_print_known_hosts(const struct machine *machine, struct buffer *lines);

/* Pushes the word ssh, and what it needs to have where a password or a passphrase is in a file. */
void ssh_begin(const struct machine *machine, struct arguments *argv);

/* Has the client use the connection that is kept for the machine, or keep a new one, if there is a directory for sockets. */
void ssh_share(const struct machine *machine, struct ssh *ssh);

/* Has the client do nothing but hold a connection, behind the socket. */
void ssh_hold(const char *socket, struct ssh *ssh);

/* Appends where it goes, behind the options; a command for the machine may follow. */
void ssh_address(const struct machine *machine, struct ssh *ssh);

/* Returns the path of the socket for connections to the machine, the same for all that would make the same connection: a node
 * that was made again has another host key. NULL if none are kept. The caller frees it. */
char *ssh_socket(const struct machine *machine);

/* Writes "node 00000042-1000 (203.0.113.4:22)"; returns text. */
enum { SSH_NAME_SIZE = 600 };
char *ssh_name(const struct machine *machine, char text[SSH_NAME_SIZE]);

/* Explains why ssh could not run a command there, from what it said: EX_TEMPFAIL (refused, unreachable, lost),
 * EX_NOPERM (host key, login). Always returns -1. */
int ssh_explain(const struct machine *machine, const struct tail *said, struct error *err);

#endif
