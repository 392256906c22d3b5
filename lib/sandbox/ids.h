/* SPDX-License-Identifier: Apache-2.0
 *
 * Users and groups of a machine: its ids 0 to 65535 are others of the host, which nobody else has, by a user namespace. Its root is
 * an ordinary user of the host there, and has capabilities only over what the namespace owns: its network, its host name and what
 * its processes share.
 *
 * Ranges begin at IDS_FIRST, which no other program gives away, or where /etc/subuid has a line of the user "coopr". The sandbox's
 * folder must be locked (state.h) around each claim and release: ids/N is a link whose text is the name of the machine that has the
 * range N.
 */
#ifndef SANDBOX_IDS_H
#define SANDBOX_IDS_H

#include <stdint.h>
#include <sys/types.h>

struct error;

enum { IDS_COUNT = 65536, IDS_NESTED = 1 /* where the range begins that all machines of a user share who is not root */ };
#define IDS_FIRST UINT32_C(1879048192)

/* Gives the machine the first free range, or the one that it has. Fails with EX_UNAVAILABLE if all are taken. */
int ids_claim(int sandbox, const char *machine, uint32_t *first, struct error *err);

/* Takes back what the machine has; nothing is fine. */
void ids_release(int sandbox, const char *machine);

struct spaces { /* namespaces, open; -1: none */
	int user, net, ipc, uts;
	pid_t holder; /* a process in them, which ends when end is closed */
	int end;
};

/* Makes a user namespace whose ids begin at first, and the namespaces that belong to it. */
int spaces_open(uint32_t first, struct spaces *spaces, struct error *err);

/* Enters those that a machine has before it is prepared: all but the user namespace. */
int spaces_enter(const struct spaces *spaces);

/* Closes them; those that a process is in stay. */
void spaces_close(struct spaces *spaces);

/* Becomes root of the user namespace for ever, with a keyring of its own; closes it. */
int ids_become_root(int user, struct error *err);

#endif
