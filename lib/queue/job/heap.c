/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/heap.h"

/* No path of right links is longer than the logarithm of 2^32 records; deeper is damage. */
enum { DEPTH_MAX = 64 };

static void
heap_put_at(const struct heap *heap, uint32_t at, uint32_t item)
{
	*heap->item(heap->of, at) = item;
	*heap->place(heap->of, item) = at + 1;
}

static void
heap_sift_up(const struct heap *heap, uint32_t at)
{
	uint32_t item = *heap->item(heap->of, at);

	while (at > 0) {
		uint32_t up = (at - 1) / 2, above = *heap->item(heap->of, up);

		if (!heap->precedes(heap->of, item, above))
			break;
		heap_put_at(heap, at, above);
		at = up;
	}
	heap_put_at(heap, at, item);
}

static void
heap_sift_down(const struct heap *heap, uint32_t at)
{
	uint32_t item = *heap->item(heap->of, at), child;

	for (; (child = 2 * at + 1) < *heap->count; at = child) {
		if (child + 1 < *heap->count &&
		    heap->precedes(heap->of, *heap->item(heap->of, child + 1), *heap->item(heap->of, child)))
			child++;
		if (!heap->precedes(heap->of, *heap->item(heap->of, child), item))
			break;
		heap_put_at(heap, at, *heap->item(heap->of, child));
	}
	heap_put_at(heap, at, item);
}

void
heap_add(const struct heap *heap, uint32_t item)
{
	heap_put_at(heap, (*heap->count)++, item);
	heap_sift_up(heap, *heap->count - 1);
}

void
heap_update(const struct heap *heap, uint32_t item)
{
	heap_sift_down(heap, *heap->place(heap->of, item) - 1);
	heap_sift_up(heap, *heap->place(heap->of, item) - 1);
}

void
heap_remove(const struct heap *heap, uint32_t item)
{
	uint32_t at = *heap->place(heap->of, item) - 1, last = --*heap->count;

	*heap->place(heap->of, item) = 0;
	if (at == last)
		return;
	heap_put_at(heap, at, *heap->item(heap->of, last));
	heap_update(heap, *heap->item(heap->of, at));
}

static uint32_t
heap_distance(const struct heap_tree *tree, uint32_t link)
{
	return link ? tree->links(tree->of, link - 1)->distance : 0;
}

static uint32_t
heap_merge_below(const struct heap_tree *tree, uint32_t a, uint32_t b, int depth)
{
	struct heap_links *links;
	uint32_t right;

	if (a == 0 || b == 0 || depth > DEPTH_MAX)
		return depth > DEPTH_MAX ? 0 : a + b;
	if (tree->precedes(tree->of, b - 1, a - 1)) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	links = tree->links(tree->of, a - 1);
	right = heap_merge_below(tree, links->right, b, depth + 1);
	if (heap_distance(tree, links->left) < heap_distance(tree, right)) {
		links->right = links->left;
		links->left = right;
	} else {
		links->right = right;
	}
	links->distance = heap_distance(tree, links->right) + 1;
	return a;
}

uint32_t
heap_merge(const struct heap_tree *tree, uint32_t a, uint32_t b)
{
	return heap_merge_below(tree, a, b, 0);
}
