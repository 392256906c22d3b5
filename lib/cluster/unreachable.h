/* SPDX-License-Identifier: Apache-2.0
 *
 * The machines of a cluster that did not answer when they were asked last, and since when. The last record is right: each time
 * all machines are asked.
 */
#ifndef CLUSTER_UNREACHABLE_H
#define CLUSTER_UNREACHABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;

struct unreachable { /* zero-initialise; release it */
	struct arena arena;
	struct unreachable_node {
		const char *node;
		int64_t since_ms; /* wall clock */
	} *list;
	size_t count, capacity;
};

/* Adds the machines of the cluster that did not answer last. */
int unreachable_read(struct store *store, int64_t cluster, struct unreachable *list, struct error *err);

/* Returns since when a node has not answered; 0: it did answer, or nobody has asked. */
int64_t unreachable_since(const struct unreachable *list, const char *node);

void unreachable_add(struct unreachable *list, const char *node, int64_t since_ms);

/* Records now in place of was, which has been read before; writes nothing where they are the same. A terminated cluster has no
 * machines that could be unreachable. */
int unreachable_record(struct store *store, int64_t cluster, const struct unreachable *was, const struct unreachable *now,
    struct error *err);

void unreachable_release(struct unreachable *list);

#endif
