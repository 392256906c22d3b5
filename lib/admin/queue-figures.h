/* SPDX-License-Identifier: Apache-2.0
 *
 * How much waits, runs and has failed in a spool, tenant by tenant.
 */
#ifndef ADMIN_QUEUE_FIGURES_H
#define ADMIN_QUEUE_FIGURES_H

#include <stddef.h>

#include "base/memory.h"
#include "base/names.h"
#include "queue/read.h"

struct error;

struct queue_figures { /* zero-initialise; release it */
	struct arena arena;
	struct names tenants; /* in the order first seen */
	struct queue_tenant {
		const char *tenant;
		size_t jobs[QUEUE_CANCELLED + 1];
		size_t tasks[STEP_STATUS_COUNT];
	} *list; /* by the number of the name */
	size_t count, capacity;
	size_t workers;
};

/* Counts the jobs in the spool (NULL: the default one), of a tenant or of all (NULL). Fails with EX_NOINPUT if there is no spool. */
int queue_figures_read(struct queue_figures *figures, const char *spool, const char *tenant, struct error *err);
void queue_figures_release(struct queue_figures *figures);

#endif
