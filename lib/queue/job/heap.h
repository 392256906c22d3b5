/* SPDX-License-Identifier: Apache-2.0
 *
 * Two kinds of heap over records in mapped files. Their links are numbers, and what they say of themselves may be damaged:
 * a link is looked at before it is followed, by the functions that whoever keeps the records gives.
 */
#ifndef QUEUE_JOB_HEAP_H
#define QUEUE_JOB_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* A binary heap: the items stand in an array, and each knows its place there, so that any can leave. */
struct heap {
	void *of;
	uint32_t *count;
	uint32_t *(*item)(void *of, uint32_t at);    /* the item at that place */
	uint32_t *(*place)(void *of, uint32_t item); /* link to an item's place; 0: it is not in */
	bool (*precedes)(void *of, uint32_t a, uint32_t b);
};

void heap_add(const struct heap *heap, uint32_t item);
void heap_remove(const struct heap *heap, uint32_t item); /* one that is in */
void heap_update(const struct heap *heap, uint32_t item); /* one that is in, and ranks otherwise than before */

/* A leftist heap: nothing but links in the records; two of them can be merged, and the first can leave. */
struct heap_links {
	uint32_t left, right, distance;
};

struct heap_tree {
	void *of;
	struct heap_links *(*links)(void *of, uint32_t record);
	bool (*precedes)(void *of, uint32_t a, uint32_t b);
};

/* Merges two heaps, given and returned as links to their roots. 0 where that goes deeper than any heap is: it is damaged. */
uint32_t heap_merge(const struct heap_tree *tree, uint32_t a, uint32_t b);

#endif
