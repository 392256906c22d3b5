/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/scope.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

static int
reconcile_scope_compare_ids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
reconcile_scope_init(struct reconcile_scope *scope, struct account *account, const struct string_list *names, struct error *err)
{
	*scope = (struct reconcile_scope){.all = names->count == 0, .ids = memory_zeroed(names->count, sizeof *scope->ids)};
	for (size_t i = 0; i < names->count; i++) {
		struct cluster_list list = {0};
		int found = clusters_find(account, names->list[i], &list, err);

		if (found == 0)
			scope->ids[scope->count++] = list.list[0].id;
		cluster_list_release(&list);
		if (found < 0)
			return -1;
	}
	if (scope->count)
		qsort(scope->ids, scope->count, sizeof *scope->ids, reconcile_scope_compare_ids);
	return 0;
}

bool
reconcile_scope_has(const struct reconcile_scope *scope, int64_t id)
{
	return scope->all || (scope->count && bsearch(&id, scope->ids, scope->count, sizeof *scope->ids,
	    reconcile_scope_compare_ids));
}

static int
reconcile_scope_list_named(struct reconcile_scope *scope, struct account *account, struct error *err)
{
	for (size_t i = 0; i < scope->count; i++) {
		if (i > 0 && scope->ids[i] == scope->ids[i - 1])
			continue;
		if (clusters_find_id(account, scope->ids[i], &scope->clusters, err) < 0) {
			if (err->code != EX_NO)
				return -1;
		} else if (scope->clusters.list[scope->clusters.count - 1].status == LIFECYCLE_TERMINATED) {
			scope->clusters.count--;
		}
	}
	return 0;
}

int
reconcile_scope_list(struct reconcile_scope *scope, struct account *account, struct error *err)
{
	const struct cluster_filter all = {.everywhere = true, .by_number = true};

	int result;

	scope->listed_ms = clock_wall_ms();
	result = scope->all ? clusters_list(account, &all, &scope->clusters, err) : reconcile_scope_list_named(scope, account, err);
	scope->probed = memory_zeroed(scope->clusters.count, sizeof *scope->probed);
	return result;
}

static int
reconcile_scope_compare_record(const void *id, const void *record)
{
	return reconcile_scope_compare_ids(id, &((const struct cluster_record *)record)->id);
}

const struct cluster_record *
reconcile_scope_find(const struct reconcile_scope *scope, int64_t id)
{
	const struct cluster_list *list = &scope->clusters;

	return list->count ? bsearch(&id, list->list, list->count, sizeof *list->list, reconcile_scope_compare_record) : NULL;
}

void
reconcile_scope_set_probed(const struct reconcile_scope *scope, const struct cluster_record *cluster)
{
	scope->probed[cluster - scope->clusters.list] = true;
}

bool
reconcile_scope_was_probed(const struct reconcile_scope *scope, const struct cluster_record *cluster)
{
	return scope->probed[cluster - scope->clusters.list];
}

bool
reconcile_scope_is_unchanged(const struct cluster_record *before, const struct cluster_record *now)
{
	return now->status != LIFECYCLE_PENDING && now->revision == before->revision && now->operation == before->operation;
}

void
reconcile_scope_release(struct reconcile_scope *scope)
{
	cluster_list_release(&scope->clusters);
	free(scope->probed);
	free(scope->ids);
}
