/* SPDX-License-Identifier: Apache-2.0
 *
 * What coopr apply remembers of clusters: which folder of files they follow, and what the file of each said when the cluster was
 * last found to be so. Of a cluster that apply makes, the store knows that from the instant on at which it is begun.
 */
#ifndef CLUSTER_APPLIED_H
#define CLUSTER_APPLIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct account;
struct error;
struct store;

struct applied {
	int64_t cluster;
	const char *origin; /* the folder; NULL: none */
	const char *spec;   /* coopr-clusterspec(5), as clusterspec_text gives it */
	int64_t revision;   /* the cluster's (cluster_record.revision) at which it was as spec says; -1: none yet */
	bool made;          /* apply made the cluster. Once said, it stays */
};

struct applied_list { /* zero-initialise; release it. Strings live in the arena */
	struct arena arena;
	struct applied *list; /* sorted by cluster */
	size_t count, capacity;
};

/* Adds those of the clusters of the account's tenant that it sees and that are not terminated. */
int applied_list(struct account *account, struct applied_list *list, struct error *err);

/* Returns the one of a cluster; NULL where there is none. */
const struct applied *applied_find(const struct applied_list *list, int64_t cluster);

/* Returns the folder that a cluster which the account sees follows; the caller frees it. NULL where it follows none, or
 * with a reason. */
char *applied_origin(const struct account *account, int64_t cluster, struct error *err);

/* Remembers it, inside the caller's transaction. */
int applied_put(struct store *store, const struct applied *applied, struct error *err);

/* Remembers all of these at once, durably: of clusters that the account sees. */
int applied_save(struct account *account, const struct applied *list, size_t count, struct error *err);

void applied_list_release(struct applied_list *list);

#endif
