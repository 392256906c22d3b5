/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage and queue figures as a table, as records, and as text that Prometheus scrapes.
 */
#ifndef ADMIN_USAGE_PRINT_H
#define ADMIN_USAGE_PRINT_H

#include <stdbool.h>

#include "admin/queue-figures.h"
#include "cluster/usage.h"

enum usage_format { USAGE_TABLE, USAGE_RECORDS, USAGE_PROMETHEUS };

/* Print in that format. USAGE_PROMETHEUS needs usage of all time, without periods. */
void usage_print(const struct usage *usage, const struct usage_question *question, enum usage_format format, bool colour);
void queue_figures_print(const struct queue_figures *figures, enum usage_format format, bool colour);

#endif
