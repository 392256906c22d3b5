/* SPDX-License-Identifier: Apache-2.0
 *
 * The other end of a stream to or from a node: libexec/coopr/archive, which keeps what a backup prints, or gives what a restore reads.
 */
#ifndef SSH_ARCHIVE_PIPE_H
#define SSH_ARCHIVE_PIPE_H

#include <stdbool.h>

#include "base/process.h"

struct arena;
struct error;
struct task;

struct archive_pipe {
	const char *key;
	bool gives; /* what a restore reads */
	int fd;     /* our end; -1: closed */
	struct process process;
};

/* Returns the key of the archive that the task makes, JOB-NODENUM-SERVICE, or is to put back; EX_DATAERR where it names none. */
const char *archive_pipe_key(const struct task *task, struct arena *arena, struct error *err);

/* Begins to keep an archive under that key, or (gives) to give it back, after all of it was looked at: EX_DATAERR where it is damaged.
 * The key is borrowed. */
int archive_pipe_open(struct archive_pipe *pipe, const char *key, bool gives, struct error *err);

/* Ends it. What was to be kept is, durably, when this returns 0. EX_TEMPFAIL where it may be tried again, EX_DATAERR where what was given
 * was damaged or cut. */
int archive_pipe_close(struct archive_pipe *pipe, struct error *err);

/* Gives up: nothing is kept. Does nothing where it has ended. */
void archive_pipe_abandon(struct archive_pipe *pipe);

#endif
