/* SPDX-License-Identifier: Apache-2.0
 *
 * The log of an attempt, which one node cannot fill the disk with: what is said first is written as it comes, and of what
 * follows on ATTEMPT_LOG_HEAD bytes the last ATTEMPT_LOG_TAIL bytes are written when the attempt ends. Lines between say so. If
 * the logs of the job are many and large, both are ATTEMPT_LOG_SMALL bytes.
 */
#ifndef EXEC_ATTEMPT_LOG_H
#define EXEC_ATTEMPT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

enum {
	ATTEMPT_LOG_HEAD = 6 * 1024 * 1024,
	ATTEMPT_LOG_TAIL = 1024 * 1024,
	ATTEMPT_LOG_SMALL = 64 * 1024,
	ATTEMPT_LOG_JOB = 256 * 1024 * 1024, /* of all logs of a job */
};

struct error;
struct redaction;

struct attempt_log {
	const char *path; /* borrowed; NULL: nothing is kept */
	const struct redaction *secrets; /* replaced in each piece that is added; or NULL */
	int fd;           /* -1: not open */
	size_t written, head;
	bool measured;    /* the logs of the job were */
	struct buffer tail;
	size_t dropped;   /* of what follows on the head, before the tail */
};

/* Prepares a log that is made by the first bytes; path is NULL where none is kept. */
void attempt_log_init(struct attempt_log *log, const char *path);

/* Makes the log now. */
int attempt_log_open(struct attempt_log *log, struct error *err);

/* Adds to the log. If it cannot be kept, that is told once, and the task goes on. */
void attempt_log_append(struct attempt_log *log, const char *bytes, size_t length);

/* Writes what was kept of the end, and closes the log. */
void attempt_log_close(struct attempt_log *log);

#endif
