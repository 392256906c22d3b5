/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a report's page that say what failed and why, and what was skipped.
 */
#ifndef HISTORY_REPORT_FAILURES_H
#define HISTORY_REPORT_FAILURES_H

#include "history/report.h"

/* Appends the first cause of a failure to out, with a link to its whole log, which is appended to log. */
void report_cause(const struct report *report, struct queue *queue, struct buffer *out, struct buffer *log);

/* Appends all failures, and what was skipped. */
void report_failures(const struct report *report, struct queue *queue, struct buffer *out);

#endif
