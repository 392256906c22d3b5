/* SPDX-License-Identifier: Apache-2.0 */
#include "base/priority-queue.h"

#include <stdbool.h>

#include "base/memory.h"

static bool
priority_precedes(const struct priority_entry *a, const struct priority_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

void
priority_queue_push(struct priority_queue *queue, double key, uint32_t order, uint32_t item)
{
	struct priority_entry entry = {key, order, item}, *list;
	size_t i;

	ARRAY_ROOM(queue->list, queue->count, queue->capacity);
	list = queue->list;
	for (i = queue->count++; i > 0 && priority_precedes(&entry, &list[(i - 1) / 2]); i = (i - 1) / 2)
		list[i] = list[(i - 1) / 2];
	list[i] = entry;
}

uint32_t
priority_queue_pop(struct priority_queue *queue)
{
	struct priority_entry *list = queue->list, last = list[--queue->count];
	uint32_t item = list[0].item;
	size_t i = 0, child;

	while ((child = 2 * i + 1) < queue->count) {
		if (child + 1 < queue->count && priority_precedes(&list[child + 1], &list[child]))
			child++;
		if (!priority_precedes(&list[child], &last))
			break;
		list[i] = list[child];
		i = child;
	}
	list[i] = last;
	return item;
}
