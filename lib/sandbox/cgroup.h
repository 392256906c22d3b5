/* SPDX-License-Identifier: Apache-2.0
 *
 * A control group for each machine. It limits nothing: it keeps a service manager, which knows processes by their
 * group, from taking a machine for a part of the service or the session that made it, and ending it with that. Hosts
 * where no group can be made have no such manager either, so what fails here is let pass.
 */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include <sys/types.h>

/* Puts the process pid in the group of the machine name. */
void cgroup_enter(const char *name, pid_t pid);

/* Removes that group, which is empty. */
void cgroup_remove(const char *name);

#endif
