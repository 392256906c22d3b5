/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of a cluster that are on record as gone, because their provider was asked and does not have them: nothing can be done on them,
 * and nobody waits for them.
 */
#ifndef CLUSTER_GONE_H
#define CLUSTER_GONE_H

#include <stdint.h>

#include "cluster/observation.h"
#include "model/layout.h"

struct buffer;
struct error;
struct store;

struct gone { /* zero-initialise; release it */
	struct layout layout;   /* at present */
	struct observations seen;
	struct string_list nodes; /* their ids, in the arena of the layout */
};

/* Finds those of a cluster, whose present layout is a text; NULL: it has none. */
int gone_find(struct store *store, int64_t id, const char *layout, struct gone *gone, struct error *err);

/* Appends "the machines of the nodes 1001 and 1002 are gone, as seen 2 min ago", of those in the list. */
void gone_tell(const struct gone *gone, const struct string_list *nodes, struct buffer *out);

/* Appends the command that replaces them. */
void gone_tell_remedy(const struct gone *gone, const char *cluster, const struct string_list *nodes, struct buffer *out);

/* Fails with EX_NO, and says both. */
int gone_refuse(const struct gone *gone, const char *cluster, const struct string_list *nodes, struct error *err);

void gone_release(struct gone *gone);

#endif
