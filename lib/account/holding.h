/* SPDX-License-Identifier: Apache-2.0
 *
 * What a layout takes: machines, what they cost, and the resources they have. Layouts do not say what a machine costs; the
 * prices of the hardware types do, as they were when the operation was planned.
 */
#ifndef ACCOUNT_HOLDING_H
#define ACCOUNT_HOLDING_H

#include <stddef.h>

#include <jv.h>

#include "base/memory.h"

struct error;
struct request;

struct holding_node {
	const char *id, *hardwaretype; /* the latter may be NULL */
	double cost;
	const char *capacity; /* JSON: {"cpu":4} */
};

struct holding { /* zero-initialise; release it */
	struct arena arena;
	struct holding_node *list;
	size_t count, capacity;
};

/* Prices, owned JSON text, of the hardware types of a request at its provider: {"large":{"capacity":{"cpu":16},"cost":0.64}}. */
char *prices_of(const struct request *request);

enum holding_nodes {
	HOLDING_ALL,   /* also those that are to be made, at the most that they may cost, and those that leave */
	HOLDING_NAMED, /* the same, at their own price */
	HOLDING_THERE, /* those on which something stood before ("was" is not null): they are there */
	HOLDING_LEAVING, /* those that leave */
};

/* Adds the nodes of a layout (NDJSON; other records are skipped), with their prices (NULL: none). EX_DATAERR. */
int holding_take(struct holding *holding, enum holding_nodes which, const char *layout, const char *prices,
    struct error *err);

void holding_release(struct holding *holding);

#endif
