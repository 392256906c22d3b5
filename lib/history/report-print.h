/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes and prints a report in the format that was asked for.
 */
#ifndef HISTORY_REPORT_PRINT_H
#define HISTORY_REPORT_PRINT_H

struct attempts;
struct error;
struct output;
struct queue;
struct queue_job;

/* Makes the report of attempts, which it takes over, and of the job, if it is in the queue, and prints it: as text, as records, or
 * as a page. operation may be NULL. */
int report_print(struct output *output, struct attempts *attempts, const struct queue_job *job, const char *operation,
    struct queue *queue, struct error *err);

#endif
