/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of a session: all that a command has started, in whatever groups, but the daemons that made a session of
 * their own.
 */
#ifndef EVENT_SESSION_H
#define EVENT_SESSION_H

#include <sys/types.h>

enum { SESSION_GRACE_MS = 5000 }; /* for what is killed to be gone */

/* Kills what is left of the session behind its leader, which is dead but not yet waited for (so that its number is nobody
 * else's), and waits until that is gone. What the kernel holds longer than SESSION_GRACE_MS does nothing more either. */
void session_end(pid_t leader);

#endif
