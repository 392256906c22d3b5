/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a flock(2) lock, and saying who it is that keeps us waiting: a process that was stopped while it holds one
 * holds up all others until it goes on, and without a word nobody would know why.
 *
 * While it waits the first real-time signal, SIGRTMIN, comes to the calling thread: it belongs to this module.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

struct error;

enum { LOCK_PATIENCE_S = 30 };

/* Does flock(fd, how) and waits, through signals. If the lock is held by a process that is stopped, it tells so once
 * (message_notice), at once; of one that goes on, after LOCK_PATIENCE_S. 0 or -1 with errno. */
int lock_wait(int fd, int how);

/* Does the same, but does not wait for a stopped process: it fails with EX_TEMPFAIL, and its name, after some milliseconds. */
int lock_unless_stopped(int fd, int how, struct error *err);

#endif
