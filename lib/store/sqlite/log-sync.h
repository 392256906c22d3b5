/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits until a transaction in the log is on disk, so that one fsync serves all that were committed before it, and so
 * that nothing is acknowledged that stands on bytes whose fsync was refused: the kernel takes such bytes for written,
 * and the next fsync says nothing of them. Who has been refused, or died meanwhile, leaves the log suspected; the next
 * one writes it over itself, in its turn as a writer, before it syncs.
 *
 * PATH.lock holds three numbers: of the last transaction, of the last that is on disk, and 1 while the log is suspected.
 * They need not be on disk themselves: after a loss of power the log is what the disk has. Who syncs holds a flock(2) on
 * the log.
 */
#ifndef STORE_SQLITE_LOG_SYNC_H
#define STORE_SQLITE_LOG_SYNC_H

#include <stdint.h>

struct error;

struct log_sync {
	char *path; /* owned */
	int fd;     /* -1: not open yet */
};

/* Opens the log, which is there, before a transaction is committed: an error of the disk from then on is seen. */
int log_sync_open(struct log_sync *log, struct error *err);
void log_sync_close(struct log_sync *log);

/* Counts a transaction that was committed, in its turn; lock is the descriptor of PATH.lock. Returns its number, or -1. */
int64_t log_sync_count(const struct log_sync *log, int lock, struct error *err);

/* Returns 0 when the transaction of that number is on disk; -1 with EX_IOERR where it is not known to be. The caller's
 * turn is over. */
int log_sync_wait(const struct log_sync *log, int lock, int64_t number, struct error *err);

#endif
