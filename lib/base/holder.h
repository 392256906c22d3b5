/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds the lock of flock(2) on a file, as /proc knows it.
 */
#ifndef BASE_HOLDER_H
#define BASE_HOLDER_H

#include <stdbool.h>

struct holder {
	int pid;
	char name[17]; /* of the process, as the kernel keeps it */
	bool stopped;  /* by a signal */
};

/* False where nobody holds it, or none that this process can see: another PID namespace, another host. */
bool lock_holder(int fd, struct holder *holder);

#endif
