/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage and queue figures as a table, as records, and as text that Prometheus scrapes.
 */
#ifndef ADMIN_USAGE_PRINT_H
#define ADMIN_USAGE_PRINT_H

#include "admin/queue-figures.h"
#include "cluster/usage.h"
#include "model/show/output.h"

/* Print them; OUTPUT_OTHER is what Prometheus reads, which needs usage of all time, without periods. */
void usage_print(const struct usage *usage, const struct usage_question *question, struct output *output);
void queue_figures_print(const struct queue_figures *figures, struct output *output);

struct cluster_list;

/* Prints the condition of each cluster for Prometheus. */
void usage_print_conditions(const struct cluster_list *clusters);

#endif
