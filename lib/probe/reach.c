/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/reach.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

static int
reach_compare_ids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
reach_init(struct reach *reach, struct account *account, const struct string_list *names, struct error *err)
{
	*reach = (struct reach){.all = names->count == 0, .ids = memory_zeroed(names->count, sizeof *reach->ids)};
	for (size_t i = 0; i < names->count; i++) {
		struct cluster_list list = {0};
		int found = clusters_find(account, names->list[i], &list, err);

		if (found == 0)
			reach->ids[reach->count++] = list.list[0].id;
		cluster_list_release(&list);
		if (found < 0)
			return -1;
	}
	if (reach->count)
		qsort(reach->ids, reach->count, sizeof *reach->ids, reach_compare_ids);
	return 0;
}

bool
reach_has(const struct reach *reach, int64_t id)
{
	return reach->all || (reach->count && bsearch(&id, reach->ids, reach->count, sizeof *reach->ids, reach_compare_ids));
}

static int
reach_list_named(struct reach *reach, struct account *account, struct error *err)
{
	for (size_t i = 0; i < reach->count; i++) {
		if (i > 0 && reach->ids[i] == reach->ids[i - 1])
			continue;
		if (clusters_find_id(account, reach->ids[i], &reach->clusters, err) < 0) {
			if (err->code != EX_NO)
				return -1;
		} else if (reach->clusters.list[reach->clusters.count - 1].status == LIFE_TERMINATED) {
			reach->clusters.count--;
		}
	}
	return 0;
}

int
reach_list(struct reach *reach, struct account *account, struct error *err)
{
	const struct cluster_filter all = {.everywhere = true, .by_number = true};

	reach->listed_ms = clock_wall_ms();
	return reach->all ? clusters_list(account, &all, &reach->clusters, err) : reach_list_named(reach, account, err);
}

static int
reach_compare_record(const void *id, const void *record)
{
	return reach_compare_ids(id, &((const struct cluster_record *)record)->id);
}

const struct cluster_record *
reach_find(const struct reach *reach, int64_t id)
{
	const struct cluster_list *list = &reach->clusters;

	return list->count ? bsearch(&id, list->list, list->count, sizeof *list->list, reach_compare_record) : NULL;
}

bool
reach_is_unchanged(const struct cluster_record *before, const struct cluster_record *now)
{
	return now->status != LIFE_PENDING && now->revision == before->revision && now->operation == before->operation;
}

void
reach_release(struct reach *reach)
{
	cluster_list_release(&reach->clusters);
	free(reach->ids);
}
