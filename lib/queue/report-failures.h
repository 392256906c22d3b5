/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a report's page that says what failed and why, and what was skipped.
 */
#ifndef QUEUE_REPORT_FAILURES_H
#define QUEUE_REPORT_FAILURES_H

#include "queue/report.h"

void report_failures(const struct report *report, struct queue *queue, struct buffer *out);

#endif
