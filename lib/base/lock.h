/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits for flock(2) locks and says which process holds them: one that was stopped while it held a lock keeps all others
 * waiting until it is resumed, and without a message nobody would know why.
 *
 * While it waits, the calling thread gets the first real-time signal, SIGRTMIN, which belongs to this module.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>

struct error;

enum { LOCK_PATIENCE_S = 30 };

/* Does flock(fd, how) and waits, through signals. Tells once (message_notice) who holds the lock: at once if that process is
 * stopped, else after LOCK_PATIENCE_S. Returns 0, or -1 with errno. */
int lock_wait(int fd, int how);

/* Does the same, but fails with EX_TEMPFAIL after some milliseconds if the process that holds the lock is stopped. */
int lock_unless_stopped(int fd, int how, struct error *err);

/* Returns whether path still names what is open as fd. Who held the lock before may have removed or replaced it: then the lock
 * of fd is on nothing. */
bool lock_is_current(int fd, const char *path);

#endif
