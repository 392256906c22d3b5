/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a report's page. Each cell names its column, so that on a narrow screen a row can stand as a list.
 */
#ifndef HISTORY_REPORT_TABLES_H
#define HISTORY_REPORT_TABLES_H

#include "history/report.h"

/* Each appends a heading and a table; nothing where there is nothing to tell. */
void report_add_path(const struct report *report, struct buffer *out);
void report_add_groups(const struct report *report, struct buffer *out);
void report_add_attempts(const struct report *report, struct buffer *out);

#endif
