/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults of which coopr reconcile has told, in the store: so that it need not tell of the same each minute.
 */
#ifndef CLUSTER_TOLD_FAULTS_H
#define CLUSTER_TOLD_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/names.h"

struct error;
struct store;

struct told_fault {
	int64_t cluster;            /* 0: none of the store */
	const char *node, *service; /* "": the cluster, or the machine, itself */
	const char *what, *stage;   /* what is wrong, and how far its repair was */
	int64_t told_ms;
	bool seen;                  /* of whoever reads them */
};

struct told_faults { /* zero-initialise; release it */
	struct arena arena;
	struct names keys;
	struct told_fault *list;
	size_t count, capacity;
};

int told_faults_read(struct store *store, struct told_faults *faults, struct error *err);

/* Returns the fault of the same object; NULL where there is none. */
struct told_fault *told_faults_find(const struct told_faults *faults, const struct told_fault *fault);

/* Remember a fault in place of that of the same object, or no more; durably. */
int told_faults_put(struct store *store, const struct told_fault *fault, struct error *err);
int told_faults_remove(struct store *store, const struct told_fault *fault, struct error *err);

void told_faults_release(struct told_faults *faults);

#endif
