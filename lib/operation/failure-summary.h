/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a job did not come to its end, in one sentence.
 */
#ifndef OPERATION_FAILURE_SUMMARY_H
#define OPERATION_FAILURE_SUMMARY_H

struct chain;

/* "mysql could not be installed on 00000042-1002: exit code 1, ..."; the caller frees it. NULL where the queue cannot tell. */
char *failure_summary(const struct chain *chain);

#endif
