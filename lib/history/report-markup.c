/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-markup.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/printable.h"

void
report_escape(const char *text, struct buffer *out)
{
	char *copy = memory_string(text);

	printable(copy);
	for (const char *p = copy; *p; p++) {
		if (*p == '&' || *p == '<' || *p == '>' || *p == '"' || *p == '\'')
			buffer_printf(out, "&#%d;", *p);
		else
			buffer_byte(out, *p);
	}
	free(copy);
}

void
report_escape_what(const struct report *report, const struct attempt *attempt, struct buffer *out)
{
	struct buffer what = {0};

	report_say_what(report, attempt, &what);
	report_escape(buffer_string(&what), out);
	buffer_release(&what);
}

void
report_duration(int64_t ms, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];

	buffer_text(out, ms < 0 ? "" : clock_duration(ms, text));
}
