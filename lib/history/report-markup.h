/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report's page is made of.
 */
#ifndef HISTORY_REPORT_MARKUP_H
#define HISTORY_REPORT_MARKUP_H

#include "history/report.h"

/* Appends text as HTML text or the value of an attribute: nothing in it is markup. */
void report_escape(const char *text, struct buffer *out);

/* Does the same as report_say_what, escaped. */
void report_escape_what(const struct report *report, const struct attempt *attempt, struct buffer *out);

/* Appends a duration; nothing for a negative one. */
void report_duration(int64_t ms, struct buffer *out);

#endif
