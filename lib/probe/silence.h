/* SPDX-License-Identifier: Apache-2.0
 *
 * Since when machines of a cluster have not answered: STATE/clusters/ID/unreachable, a line for each, "NODE MILLISECONDS" since
 * the epoch. It is there only while there are any. Whoever writes it last is right: all have asked.
 */
#ifndef PROBE_SILENCE_H
#define PROBE_SILENCE_H

#include <stdint.h>

#include "base/memory.h"

struct error;

struct silence { /* release it */
	struct arena arena;
	struct silent {
		const char *node;
		int64_t since_ms;
	} *list;
	size_t count, capacity;
};

/* Reads what is known of a cluster; nothing where that cannot be read. */
void silence_read(struct silence *silence, const char *cluster);

/* Since when; 0: it is not known to be silent. */
int64_t silence_since(const struct silence *silence, const char *node);

void silence_add(struct silence *silence, const char *node, int64_t since_ms);

/* Makes it what is known of the cluster, in place of what was. */
int silence_keep(const struct silence *silence, const struct silence *was, const char *cluster, struct error *err);
void silence_release(struct silence *silence);

#endif
