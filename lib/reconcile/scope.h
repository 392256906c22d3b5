/* SPDX-License-Identifier: Apache-2.0
 *
 * The clusters that a reconciliation is about: all of all tenants, or those that were named.
 */
#ifndef RECONCILE_SCOPE_H
#define RECONCILE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/clusters.h"
#include "json/place.h"

struct account;
struct error;

struct reconcile_scope { /* release it, also where it could not be made */
	bool all;
	int64_t *ids;  /* of those named, sorted */
	size_t count;
	struct cluster_list clusters; /* after reconcile_scope_list: they, by number */
	bool *probed;                 /* of each of them: all of its machines were asked */
	int64_t listed_ms;            /* ... as they were at that time, or a little later */
};

/* Takes names or ids of clusters; none: all. Fails with EX_NO where there is no such cluster. */
int reconcile_scope_init(struct reconcile_scope *scope, struct account *account, const struct string_list *names, struct error *err);

bool reconcile_scope_has(const struct reconcile_scope *scope, int64_t id);

/* Lists the clusters as they are now, without terminated ones. */
int reconcile_scope_list(struct reconcile_scope *scope, struct account *account, struct error *err);

/* Returns the record of a listed cluster, or NULL. */
const struct cluster_record *reconcile_scope_find(const struct reconcile_scope *scope, int64_t id);

/* Record, and return, that all machines of a listed cluster were asked. */
void reconcile_scope_set_probed(const struct reconcile_scope *scope, const struct cluster_record *cluster);
bool reconcile_scope_was_probed(const struct reconcile_scope *scope, const struct cluster_record *cluster);

/* Returns whether the cluster is still what it was: no operation runs or ran on it. */
bool reconcile_scope_is_unchanged(const struct cluster_record *before, const struct cluster_record *now);

void reconcile_scope_release(struct reconcile_scope *scope);

#endif
