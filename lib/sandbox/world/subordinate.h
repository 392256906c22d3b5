/* SPDX-License-Identifier: Apache-2.0
 *
 * The subordinate ids of a user who is not root, subuid(5), and who gives them: newuidmap(1) and newgidmap(1).
 */
#ifndef SANDBOX_WORLD_SUBORDINATE_H
#define SANDBOX_WORLD_SUBORDINATE_H

#include <sys/types.h>

struct error;

/* Fails with EX_NOPERM and the remedy where this user has no 65536 subordinate user and group ids, or nothing gives them. */
int subordinate_check(struct error *err);

/* Gives them to the user namespace of the process: its ids from 1 on, and its root is this user. */
int subordinate_map(pid_t pid, struct error *err);

#endif
