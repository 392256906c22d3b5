/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/board-tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "queue/spool/shared/board-names.h"

/* --- tenants, providers, lanes --- */

uint32_t
board_tables_party(struct board *board, enum board_party_kind kind, const char *name)
{
	uint32_t count = board->header->party_count[kind], at = count;
	struct board_party *party;

	for (uint32_t i = 0; i < count; i++) {
		party = &board_entry(board, i)->party[kind];
		if (strncmp(party->name, name, sizeof party->name - 1) == 0)
			return i;
		if (party->jobs == 0)
			at = i;
	}
	party = &board_entry(board, at)->party[kind];
	*party = (struct board_party){.max = QUEUE_UNLIMITED};
	snprintf(party->name, sizeof party->name, "%s", name);
	board->header->party_count[kind] += at == count;
	/* Whoever takes next looks its limit up. */
	memset(board->header->limits, 0, sizeof board->header->limits);
	return at;
}

static uint32_t
board_lane_of(struct board *board, const uint32_t party[BOARD_PARTY_KINDS])
{
	uint32_t count = board->header->lane_count, at = count;

	for (uint32_t i = 0; i < count; i++) {
		const struct board_lane *lane = &board_entry(board, i)->lane;

		if (lane->jobs > 0 && memcmp(lane->party, party, sizeof lane->party) == 0)
			return i;
		if (lane->jobs == 0 && lane->first == 0)
			at = i;
	}
	board_entry(board, at)->lane = (struct board_lane){.party = {party[BOARD_TENANT], party[BOARD_PROVIDER]}};
	board->header->lane_count += at == count;
	return at;
}

static struct heap_links *
board_slot_links(void *of, uint32_t slot)
{
	return &board_entry(of, slot)->slot.links;
}

static bool
board_slot_precedes(void *of, uint32_t a, uint32_t b)
{
	uint64_t order = board_entry(of, a)->slot.order;

	return order < board_entry(of, b)->slot.order;
}

bool
board_offers(const struct board_slot *slot)
{
	return slot->used && !slot->closed && !slot->finished && !slot->behind && slot->offers > 0;
}

/* Into its lane, where it has something to offer and is not there. */
static void
board_list_slot(struct board *board, uint32_t link)
{
	struct heap_tree tree = {board, board_slot_links, board_slot_precedes};
	struct board_slot *slot = board_slot(board, link);
	struct board_lane *lane = &board_entry(board, slot->lane)->lane;

	if (slot->listed || !board_offers(slot))
		return;
	slot->listed = 1;
	slot->links = (struct heap_links){0, 0, 1};
	lane->first = heap_merge(&tree, lane->first, link);
}

static void
board_push_free(struct board *board, uint32_t link)
{
	board_slot(board, link)->next_free = board->header->free;
	board->header->free = link;
}

uint32_t
board_first_of(struct board *board, struct board_lane *lane)
{
	struct heap_tree tree = {board, board_slot_links, board_slot_precedes};

	while (lane->first && !board_offers(board_slot(board, lane->first))) {
		uint32_t link = lane->first;
		struct board_slot *slot = board_slot(board, link);

		lane->first = heap_merge(&tree, slot->links.left, slot->links.right);
		slot->listed = 0;
		if (!slot->used) {
			board->header->ghosts--;
			board_push_free(board, link);
		}
	}
	return lane->first;
}

void
board_tables_count(struct board *board, uint32_t link, int64_t more)
{
	const struct board_slot *slot = board_slot(board, link);

	board->header->running += (uint64_t)more;
	for (int kind = 0; kind < BOARD_PARTY_KINDS; kind++)
		board_entry(board, slot->party[kind])->party[kind].running += (uint64_t)more;
}

/* --- timers --- */

static uint32_t *
board_timer_item(void *of, uint32_t at)
{
	return &board_entry(of, at)->timer;
}

static uint32_t *
board_timer_place(void *of, uint32_t slot)
{
	return &board_entry(of, slot)->slot.timer;
}

static bool
board_timer_precedes(void *of, uint32_t a, uint32_t b)
{
	int64_t timer_ms = board_entry(of, a)->slot.timer_ms;

	return timer_ms < board_entry(of, b)->slot.timer_ms;
}

void
board_tables_set_timer(struct board *board, uint32_t link, int64_t timer_ms)
{
	struct heap heap = {board, &board->header->timer_count, board_timer_item, board_timer_place, board_timer_precedes};
	struct board_slot *slot = board_slot(board, link);
	bool was = slot->timer != 0, is = timer_ms != INT64_MAX;

	if (was && !is)
		heap_remove(&heap, link - 1);
	slot->timer_ms = timer_ms;
	if (was && is)
		heap_update(&heap, link - 1);
	else if (is)
		heap_add(&heap, link - 1);
}

uint32_t
board_first_timer(const struct board *board)
{
	return board->header->timer_count ? board_entry(board, 0)->timer + 1 : 0;
}

/* --- all of it --- */

void
board_tables_set_busy(struct board *board, uint32_t link, bool busy)
{
	struct board_slot *slot = board_slot(board, link);

	if (slot->busy == busy)
		return;
	slot->busy = busy;
	if (busy) {
		slot->next_busy = board->header->busy;
		slot->previous_busy = 0;
		board->header->busy = link;
		if (slot->next_busy)
			board_slot(board, slot->next_busy)->previous_busy = link;
		return;
	}
	if (slot->next_busy)
		board_slot(board, slot->next_busy)->previous_busy = slot->previous_busy;
	if (slot->previous_busy)
		board_slot(board, slot->previous_busy)->next_busy = slot->next_busy;
	else
		board->header->busy = slot->next_busy;
}

void
board_tables_enter(struct board *board, uint32_t link)
{
	struct board_slot *slot = board_slot(board, link);
	bool busy = slot->busy;

	slot->behind = slot->before = slot->listed = slot->timer = slot->busy = 0;
	board_names_enter(board, link);
	for (int kind = 0; kind < BOARD_PARTY_KINDS; kind++)
		board_entry(board, slot->party[kind])->party[kind].jobs++;
	slot->lane = board_lane_of(board, slot->party);
	board_entry(board, slot->lane)->lane.jobs++;
	board_tables_count(board, link, (int64_t)slot->running + slot->reserved);
	board_tables_set_busy(board, link, busy);
	board_tables_set_timer(board, link, slot->timer_ms);
	board_list_slot(board, link);
}

void
board_tables_leave(struct board *board, uint32_t link)
{
	struct board_slot *slot = board_slot(board, link);
	uint32_t next = board_names_leave(board, link);

	board_tables_count(board, link, -((int64_t)slot->running + slot->reserved));
	board_tables_set_timer(board, link, INT64_MAX);
	board_tables_set_busy(board, link, false);
	for (int kind = 0; kind < BOARD_PARTY_KINDS; kind++)
		board_entry(board, slot->party[kind])->party[kind].jobs--;
	board_entry(board, slot->lane)->lane.jobs--;
	slot->used = 0;
	board->header->ghosts += slot->listed;
	if (!slot->listed)
		board_push_free(board, link);
	if (next)
		board_list_slot(board, next);
}

void
board_tables_update(struct board *board, uint32_t link, const struct board_hint *hint)
{
	struct board_slot *slot = board_slot(board, link);

	board_tables_count(board, link, (int64_t)hint->running - slot->running - slot->reserved);
	slot->running = hint->running;
	slot->reserved = 0;
	slot->offers = hint->offers;
	slot->closed = hint->closed;
	slot->finished = hint->finished;
	board_tables_set_timer(board, link, hint->timer_ms);
	/* One that is finished is to be noticed until it has left. */
	board_tables_set_busy(board, link, hint->finished);
	board_list_slot(board, link);
}

/* Freed ones that are still listed come free with all else made anew, where there are many. */
uint32_t
board_tables_free_slot(struct board *board)
{
	struct board_header *header = board->header;
	uint32_t link = header->free;

	if (!link && header->count == header->capacity && header->ghosts > header->capacity / 2) {
		board_tables_derive(board);
		link = header->free;
	}
	if (link) {
		header->free = board_slot(board, link)->next_free;
		return link;
	}
	return header->count < header->capacity ? ++header->count : 0;
}

static int
board_compare_arrivals(const void *a, const void *b)
{
	uint64_t x = ((const struct board_slot *const *)a)[0]->arrival, y = ((const struct board_slot *const *)b)[0]->arrival;

	return (x > y) - (x < y);
}

static void
board_forget_tables(struct board *board)
{
	struct board_header *header = board->header;

	header->running = 0;
	header->lane_count = header->timer_count = header->free = header->busy = header->ghosts = 0;
	for (uint32_t i = 0; i < header->capacity; i++) {
		struct board_entry *entry = board_entry(board, i);

		entry->jobs = entry->clusters = 0;
		for (int kind = 0; kind < BOARD_PARTY_KINDS; kind++) {
			entry->party[kind].jobs = 0;
			entry->party[kind].running = 0;
		}
	}
}

void
board_tables_derive(struct board *board)
{
	uint32_t count = board_count(board), used = 0;
	struct board_slot **slots = memory_zeroed(count, sizeof *slots);

	board_forget_tables(board);
	for (uint32_t link = count; link > 0; link--)
		if (board_slot(board, link)->used)
			slots[used++] = board_slot(board, link);
		else
			board_push_free(board, link);
	if (used)
		qsort(slots, used, sizeof *slots, board_compare_arrivals);
	for (uint32_t i = 0; i < used; i++)
		board_tables_enter(board, (uint32_t)((struct board_entry *)slots[i] - board->entries) + 1);
	free(slots);
}
