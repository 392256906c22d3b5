/* SPDX-License-Identifier: Apache-2.0
 *
 * How a machine comes to life and how its life ends. The plugin clones a process into new namespaces, which becomes
 * sandbox-init and holds the lock of "life" from its first instant to its last. They talk through two pipes:
 *
 *	plugin                              sandbox-init
 *	makes its user namespace, clones    makes its root directory, still as the host's root
 *	it, limits it, lays the cable,      becomes its own root, configures the cable, gives up its privileges, has its
 *	orders CONNECTED                    system calls filtered, reports
 *	writes its pid, orders LIVE         no longer dies with the plugin, says so, starts sshd
 *
 * Until then the init dies with the plugin (PR_SET_PDEATHSIG, and the end of the orders pipe): at whatever instant the
 * plugin is killed, either no process is left or the machine's record has its pid.
 */
#ifndef SANDBOX_START_H
#define SANDBOX_START_H

#include <stdbool.h>

#include "base/error.h"

struct machine;
struct network;

enum { /* descriptors of sandbox-init, beside stdout and stderr, which are the console */
	START_LIFE = 3,
	START_ORDERS = 4,
	START_REPORT = 5,
	START_USER = 6, /* the user namespace that it is to enter; /dev/null: none */
};

enum { ORDER_CONNECTED = 'c', ORDER_LIVE = 'l' }; /* LIVE is answered with the same byte */

struct report { /* what sandbox-init says, in one write */
	struct error error; /* why there is no machine; code 0: there is one */
	char notice[256];   /* what the user should know, or "" */
};

/* Starts the machine whose folder is dir, all else being ready, and writes its pid to its record. Fills notice. */
int start_machine(int dir, struct machine *machine, const struct network *network, char notice[256],
    struct error *err);

/* Ends the machine whose folder is dir and waits until nothing of it runs; one that does not run is fine. */
int start_end(int dir, struct error *err);

/* Returns whether the machine whose folder is dir runs. */
bool start_is_alive(int dir);

#endif
