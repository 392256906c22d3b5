/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine takes of the host at most: processes, memory and processor time, by a control group of its own, in the hierarchy
 * of cgroup v2 or those of v1, whichever has the controller. Groups are below "coopr" in the group that is seen as the root.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include <sys/types.h>

struct buffer;
struct machine;

/* Sets what a machine gets whose provider says nothing: half of the host's memory, and so on. */
void limits_default(struct machine *machine);

/* Puts the process, and all that it will start, into groups with the limits of the machine. What this host cannot limit it appends
 * to missing, in words, commas between. */
void limits_put(const struct machine *machine, pid_t pid, struct buffer *missing);

/* Removes the groups of the machine, in which no process is any more. */
void limits_remove(const char *name);

/* Removes the groups of this installation's machines in which no process is: call it where there is no machine. */
void limits_tidy(void);

#endif
