/* SPDX-License-Identifier: Apache-2.0
 *
 * Where what is there differs from what the store says, as coopr reconcile reports it.
 */
#ifndef CLUSTER_DRIFT_H
#define CLUSTER_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

enum drift_what {
	DRIFT_VANISHED, /* the store says that the machine is there, its provider does not */
	DRIFT_UNOWNED,  /* the provider has a machine that belongs to no cluster of the store */
	DRIFT_STOPPED,  /* a service says that it does not run */
};

struct drift { /* strings live in the list's arena; NULL where there is nothing to say */
	enum drift_what what;
	int64_t cluster;     /* its number; 0: none of the store */
	const char *tenant, *name; /* of the cluster */
	const char *node, *service;
	const char *record;  /* of a machine that nobody owns: as its provider lists it */
	const char *provider; /* the same: its provider's entity, JSON */
	const char *mended;  /* by which job, or "deleted" */
};

struct drift_list { /* zero-initialise; release it */
	struct arena arena;
	struct drift *list;
	size_t count, capacity;
};

/* Adds one; its strings are copied. */
void drift_add(struct drift_list *list, const struct drift *drift);

/* As records of the kind "drift", or as a table. */
void drift_write(const struct drift_list *list, FILE *stream);
void drift_print(const struct drift_list *list, FILE *stream, bool colour);

void drift_release(struct drift_list *list);

#endif
