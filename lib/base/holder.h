/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds the lock of flock(2) on a file, as /proc knows it; and their end.
 */
#ifndef BASE_HOLDER_H
#define BASE_HOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct holder {
	int pid;
	uid_t user;       /* that it runs as */
	int64_t begun_ms; /* wall-clock time of its start */
	char name[17]; /* of the process, as the kernel keeps it */
	bool stopped;  /* by a signal */
};

/* Finds the process that holds the lock of fd. Returns false if none does, or none that this process can see: it may be in
 * another PID namespace, or on another host. */
bool holder_find(int fd, struct holder *holder);

/* Kills the processes that hold the lock of fd, through a descriptor that they have opened or inherited: those that a signal has
 * stopped, or all. Waits for the end of each, for some seconds at most. Processes of other users, or that cannot be seen from
 * here, stay. */
void holder_kill(int fd, bool only_stopped);

#endif
