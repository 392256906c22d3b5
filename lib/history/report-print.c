/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-print.h"

#include "base/buffer.h"
#include "history/report.h"
#include "model/show/output.h"

int
report_print(struct output *output, struct attempts *attempts, const struct queue_job *job, const char *operation,
    struct queue *queue, struct error *err)
{
	struct buffer out = {0};
	struct report report;
	int result = 0;

	report_make(&report, attempts);
	report.job = *job;
	report.operation = operation;
	if (output_is_records(output))
		report_json(&report, queue, &out);
	else if (output->format == OUTPUT_TABLE)
		report_text(&report, queue, &out);
	else
		result = report_html(&report, queue, &out, err);
	if (result == 0 && output_is_records(output))
		output_lines(output, &out);
	else if (result == 0)
		buffer_print(&out);
	buffer_release(&out);
	report_release(&report);
	return result;
}
