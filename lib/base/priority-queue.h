/* SPDX-License-Identifier: Apache-2.0
 *
 * A priority queue in memory: a binary heap of numbers, each with a key.
 */
#ifndef BASE_PRIORITY_QUEUE_H
#define BASE_PRIORITY_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct priority_queue { /* zero-initialise; free the list */
	struct priority_entry {
		double key;
		uint32_t order; /* decides between equal keys */
		uint32_t item;
	} *list; /* the first one is the next to be popped */
	size_t count, capacity;
};

void priority_queue_push(struct priority_queue *queue, double key, uint32_t order, uint32_t item);

/* Removes the entry with the least key, and of these the least order, and returns its item. The queue must not be empty. */
uint32_t priority_queue_pop(struct priority_queue *queue);

#endif
