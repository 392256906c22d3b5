/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a machine: made, confirmed, deleted. All may be called at any time, by any number of processes, and again
 * after any of them was killed at any instant.
 */
#ifndef SANDBOX_MACHINE_H
#define SANDBOX_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "sandbox/record.h"

struct error;

enum machine_state {
	MACHINE_HALF,    /* being made or deleted, or left so by a process that was killed */
	MACHINE_RUNNING,
	MACHINE_DEAD,    /* was running: its processes were killed, or the host was restarted */
};

/* Returns "half", "running" or "dead". */
const char *machine_state_name(enum machine_state state);

/* Makes the machine that is wanted (all but name, address, pid and host_key), or finds the one that its token has made before;
 * fills in these four. notice tells what the user should know, or is "". */
int machine_create(struct machine *wanted, char notice[256], struct error *err);

/* Waits until the machine answers to ssh with its own host key, at most timeout_ms; fills machine. */
int machine_confirm(const char *name, int64_t timeout_ms, struct machine *machine, struct error *err);

/* Removes the machine and all that belongs to it. One that does not exist is fine. */
int machine_delete(const char *name, struct error *err);

struct machine_list {
	struct arena arena;
	const char **names; /* sorted */
	size_t count;
};

/* Lists the machines, of one node if node is not NULL. */
int machine_names(const char *node, struct machine_list *list, struct error *err);

/* Reads what is known of a machine; of one that is half made that may be little. Fails with EX_NO if there is no such machine. */
int machine_look(const char *name, struct machine *machine, enum machine_state *state, struct error *err);

#endif
