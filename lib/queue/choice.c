/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct choice_tenant {
	uint64_t hash;    /* 0: this place of the table is free */
	uint64_t running;
	uint32_t best;    /* link to the slot of its first job that has something */
};

bool
choice_is_live(const struct board_slot *slot)
{
	return slot->used && !slot->finished && !slot->behind;
}

static void
make_room(struct choice *choice, uint32_t slots)
{
	if (slots > choice->capacity) {
		choice->tried = memory_resize(choice->tried, slots, sizeof *choice->tried);
		memset(choice->tried + choice->capacity, 0, slots - choice->capacity);
		choice->capacity = slots;
	}
	if (choice->tenant_capacity < 2 * (size_t)slots + 1) {
		choice->tenant_capacity = 1;
		while (choice->tenant_capacity < 2 * (size_t)slots + 1)
			choice->tenant_capacity *= 2;
		choice->tenants = memory_resize(choice->tenants, choice->tenant_capacity, sizeof *choice->tenants);
	}
	memset(choice->tenants, 0, choice->tenant_capacity * sizeof *choice->tenants);
	choice->offering = 0;
}

/* The place of a tenant in the table, which is at most half full. */
static struct choice_tenant *
tenant_of(struct choice *choice, uint64_t hash)
{
	for (size_t i = (size_t)hash;; i++) {
		struct choice_tenant *tenant = &choice->tenants[i & (choice->tenant_capacity - 1)];

		if (tenant->hash == hash || tenant->hash == 0) {
			tenant->hash = hash;
			return tenant;
		}
	}
}

static bool
has_something(const struct board_slot *slot, int64_t now_ms)
{
	bool offers = !slot->closed && slot->offers > 0;

	/* Nothing is taken from a closed job, but what has run out of time in it is to be noticed. Where someone was stopped
	 * in the job, none of this need be so any more. */
	return choice_is_live(slot) && (offers || slot->busy || slot->timer_ms <= now_ms);
}

uint32_t
choice_next(struct choice *choice, const struct board *board, int64_t now_ms)
{
	const struct choice_tenant *best = NULL;
	uint32_t count = board_count(board);

	make_room(choice, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct board_slot *slot = &board->slots[i];
		struct choice_tenant *tenant;

		if (!slot->used)
			continue;
		tenant = tenant_of(choice, slot->tenant);
		tenant->running += slot->running;
		if (choice->tried[i] || !has_something(slot, now_ms))
			continue;
		choice->offering += tenant->best == 0;
		if (tenant->best == 0 || slot->order < board->slots[tenant->best - 1].order)
			tenant->best = i + 1;
	}
	for (size_t i = 0; i < choice->tenant_capacity; i++) {
		const struct choice_tenant *tenant = &choice->tenants[i];

		if (tenant->best && (!best || tenant->running < best->running ||
		    (tenant->running == best->running &&
		    board->slots[tenant->best - 1].order < board->slots[best->best - 1].order)))
			best = tenant;
	}
	return best ? best->best : 0;
}

void
choice_exhausted(struct choice *choice, uint32_t link)
{
	choice->tried[link - 1] = true;
}

void
choice_release(struct choice *choice)
{
	free(choice->tried);
	free(choice->tenants);
	*choice = (struct choice){0};
}
