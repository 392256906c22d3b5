/* SPDX-License-Identifier: Apache-2.0
 *
 * Who makes machines, finds and deletes them. There is more than one way to that: this process does, as root; or one that may,
 * helper/ask.h.
 */
#ifndef SANDBOX_MAKER_H
#define SANDBOX_MAKER_H

#include <stddef.h>

#include "sandbox/record.h"

struct error;

enum machine_state {
	MACHINE_HALF,    /* being made or deleted, or left so by a process that was killed */
	MACHINE_RUNNING,
	MACHINE_DEAD,    /* was running: its processes were killed, or the host was restarted */
	MACHINE_STATES,
};

/* Returns "half", "running" or "dead". */
const char *machine_state_name(enum machine_state state);

struct found { /* a machine; of one that is half made little may be known */
	struct machine machine;
	enum machine_state state;
};

struct found_list {
	struct found *list; /* sorted by their names */
	size_t count, capacity;
};

/* Adds a machine, of which nothing is known yet. It lives until the next one is added. */
struct found *found_add(struct found_list *found);

void found_release(struct found_list *found);

struct maker {
	/* Makes the machine that is wanted (all but name, address, pid and host_key), or finds the one that its token has made before;
	 * fills in these four. notice tells what the user should know, or is "". */
	int (*create)(struct machine *wanted, char notice[256], struct error *err);

	/* Removes the machine and all that belongs to it. One that does not exist is fine. */
	int (*delete)(const char *name, struct error *err);

	/* Appends the machine of that name, or all machines of a node; both NULL: all that there are. */
	int (*find)(const char *name, const char *node, struct found_list *found, struct error *err);
};

#endif
