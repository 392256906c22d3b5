/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts a copy (copy.h) into a spool that has no jobs. Its files are written to the folder .restore of the spool; when all of them
 * are there, they are renamed into their places, the jobs last.
 */
#ifndef QUEUE_SPOOL_SHARED_RESTORE_H
#define QUEUE_SPOOL_SHARED_RESTORE_H

struct error;
struct spool;

/* Do what queue_restore_begin and queue_restore_end promise. */
int restore_begin(const struct spool *spool, struct error *err);
int restore_end(const struct spool *spool, struct error *err);

#endif
