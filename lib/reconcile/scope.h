/* SPDX-License-Identifier: Apache-2.0
 *
 * Which clusters a reconciliation is about: all of all tenants, or those that were named.
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
	int64_t listed_ms;            /* ... as they were at that time, or a little later */
};

/* names: names or ids; none of them: all. EX_NO where there is no such cluster. */
int reconcile_scope_init(struct reconcile_scope *scope, struct account *account, const struct string_list *names, struct error *err);

bool reconcile_scope_has(const struct reconcile_scope *scope, int64_t id);

/* Lists them as they are now; those terminated are not in it. */
int reconcile_scope_list(struct reconcile_scope *scope, struct account *account, struct error *err);

/* The record of one that was listed; NULL: it was not. */
const struct cluster_record *reconcile_scope_find(const struct reconcile_scope *scope, int64_t id);

/* Whether the cluster is still what it was: nothing is or was done to it. */
bool reconcile_scope_is_unchanged(const struct cluster_record *before, const struct cluster_record *now);

void reconcile_scope_release(struct reconcile_scope *scope);

#endif
