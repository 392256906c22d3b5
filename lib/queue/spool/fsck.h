/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a spool is in one of the states that coopr-spool(5) calls legal, and what to do where it is not. What a stopped
 * process or machine leaves behind is legal: the next one to come along puts it right.
 */
#ifndef QUEUE_SPOOL_FSCK_H
#define QUEUE_SPOOL_FSCK_H

#include "queue/spool/engine.h"

struct buffer;

struct fsck {
	struct spool_queue *queue;
	bool repair;
	struct queue_check *check;
};

/* Checks one job. No such job: EX_NO. */
int fsck_job(struct fsck *fsck, const char *job, struct error *err);

/* Adds a finding. */
void fsck_found(struct fsck *fsck, bool repaired, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
