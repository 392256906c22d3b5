/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a report's page that says what failed and why, and what was skipped.
 */
#ifndef HISTORY_REPORT_FAILURES_H
#define HISTORY_REPORT_FAILURES_H

#include "history/report.h"

void report_failures(const struct report *report, struct queue *queue, struct buffer *out);

#endif
