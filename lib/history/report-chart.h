/* SPDX-License-Identifier: Apache-2.0
 *
 * The timeline of a job as SVG: how much ran, the critical path, and a class for each node. A job too large for that gets a class
 * for each group of nodes, filled as much as they were busy, so that a page stays a page.
 */
#ifndef HISTORY_REPORT_CHART_H
#define HISTORY_REPORT_CHART_H

#include "history/report.h"

/* Appends the chart. */
void report_chart(const struct report *report, struct buffer *out);

#endif
