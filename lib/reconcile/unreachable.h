/* SPDX-License-Identifier: Apache-2.0
 *
 * Since when machines of a cluster have not answered: STATE/clusters/ID/unreachable, a line for each, "NODE MILLISECONDS" since
 * the epoch. It is there only while there are any. Whoever writes it last is right: all have asked.
 */
#ifndef RECONCILE_UNREACHABLE_H
#define RECONCILE_UNREACHABLE_H

#include <stdint.h>

#include "base/memory.h"

struct error;

struct unreachable { /* release it */
	struct arena arena;
	struct unreachable_node {
		const char *node;
		int64_t since_ms;
	} *list;
	size_t count, capacity;
};

/* Reads what is known of a cluster; nothing where that cannot be read. */
void unreachable_read(struct unreachable *unreachable, const char *cluster);

/* Since when; 0: it is not known to be silent. */
int64_t unreachable_since(const struct unreachable *unreachable, const char *node);

void unreachable_add(struct unreachable *unreachable, const char *node, int64_t since_ms);

/* Makes it what is known of the cluster, in place of what was. */
int unreachable_write(const struct unreachable *unreachable, const struct unreachable *was, const char *cluster, struct error *err);
void unreachable_release(struct unreachable *unreachable);

#endif
