/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/answer/demand.h"
#include "model/request.h"

struct worded { /* a demand and what tells it from others, whatever the order of the request's lists */
	struct demand demand;
	size_t section;
	const char *service;
	struct buffer words;
};

static int
demand_compare_worded(const void *a, const void *b)
{
	const struct worded *x = a, *y = b;
	int order = strcmp(x->service, y->service);

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (order)
		return order;
	if (x->demand.kind != y->demand.kind)
		return x->demand.kind > y->demand.kind ? -1 : 1;
	order = strcmp(x->words.data, y->words.data);
	return order ? order : x->demand.index < y->demand.index ? -1 : 1;
}

static bool
demand_is_of_constraint(const struct demand *demand)
{
	return demand->kind == DEMAND_MIN || demand->kind == DEMAND_MAX || demand->kind == DEMAND_HARDWARETYPES ||
	    demand->kind == DEMAND_IMAGETYPES;
}

static bool
demand_is_of_hardware(const struct demand *demand)
{
	return demand->kind == DEMAND_AVAILABLE || demand->kind == DEMAND_CAPACITY;
}

void
demands_sort(struct demands *demands)
{
	struct worded *list = memory_zeroed(demands->count, sizeof *list);

	for (size_t i = 0; i < demands->count; i++) {
		const struct demand *demand = &demands->list[i];
		bool same = i && (demand->kind == demands->list[i - 1].kind ||
		    (demand_is_of_constraint(demand) && demand_is_of_constraint(&demands->list[i - 1])) ||
		    (demand_is_of_hardware(demand) && demand_is_of_hardware(&demands->list[i - 1])));

		list[i] = (struct worded){.demand = *demand, .section = same ? list[i - 1].section : i, .service = ""};
		if (demand_is_of_constraint(demand))
			list[i].service = demands->request->template.constraints[demand->index].service;
		demand_words(demands, demand, &list[i].words);
	}
	if (demands->count)
		qsort(list, demands->count, sizeof *list, demand_compare_worded);
	for (size_t i = 0; i < demands->count; i++) {
		demands->list[i] = list[i].demand;
		buffer_release(&list[i].words);
	}
	free(list);
}
