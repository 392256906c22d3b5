/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells in one sentence why a job failed.
 */
#ifndef OPERATION_FAILURE_SUMMARY_H
#define OPERATION_FAILURE_SUMMARY_H

struct operation_job;

/* Returns "mysql could not be installed on 00000042-1002: exit code 1, ..."; the caller frees it. NULL where the queue
 * cannot tell. */
char *failure_summary(const struct operation_job *job);

#endif
