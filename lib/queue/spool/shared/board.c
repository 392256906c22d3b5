/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/board.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/error.h"
#include "base/lock.h"
#include "queue/spool/shared/board-file.h"
#include "queue/spool/shared/board-names.h"
#include "queue/spool/shared/board-tables.h"

int
board_put(struct board *board, const struct board_job *job, uint64_t order, uint64_t arrival, struct error *err)
{
	uint32_t link = board_tables_free_slot(board);
	struct board_slot *slot;

	if (!link) {
		if (board_grow(board, 2 * board->header->capacity, err) < 0)
			return -1;
		board_tables_derive(board);
		link = board_tables_free_slot(board);
	}
	slot = board_slot(board, link);
	*slot = (struct board_slot){.busy = 1, .timer_ms = INT64_MAX, .order = order,
	    .arrival = arrival};
	snprintf(slot->job, sizeof slot->job, "%s", job->id);
	snprintf(slot->cluster, sizeof slot->cluster, "%s", job->cluster);
	slot->party[BOARD_TENANT] = board_tables_party(board, BOARD_TENANT, job->tenant);
	slot->party[BOARD_PROVIDER] = board_tables_party(board, BOARD_PROVIDER, job->provider);
	if (order >= board->header->next_order)
		board->header->next_order = order + 1;
	if (arrival >= board->header->next_arrival)
		board->header->next_arrival = arrival + 1;
	atomic_store((_Atomic uint32_t *)&slot->used, 1);
	board_tables_enter(board, link);
	return 0;
}

int
board_add(struct board *board, const struct board_job *job, uint64_t *order, struct error *err)
{
	int result = 0;

	do {
		if (board_lock(board, err) < 0)
			return -1;
		if (*order == 0)
			*order = board->header->next_order;
		if (!board_names_find(board, job->id))
			result = board_put(board, job, *order, board->header->next_arrival, err);
	} while (!board_unlock(board));
	return result;
}

int
board_remove(struct board *board, const char *job, struct error *err)
{
	uint32_t link;

	if (board_lock(board, err) < 0)
		return -1;
	link = board_names_find(board, job);
	if (link)
		board_tables_leave(board, link);
	board_unlock(board);
	return 0;
}

static bool
board_is_slot_of(const struct board *board, uint32_t link, const char *job)
{
	const struct board_slot *slot = link && link <= board_count(board) ? board_slot(board, link) : NULL;

	return slot && slot->used && strncmp(slot->job, job, sizeof slot->job) == 0;
}

uint32_t
board_find(struct board *board, const char *job, uint32_t hint)
{
	uint32_t link;

	if (board_is_slot_of(board, hint, job))
		return hint;
	if (!board->header || lock_wait(board->fd, LOCK_SH) < 0)
		return 0;
	link = board_names_find(board, job);
	flock(board->fd, LOCK_UN);
	return link;
}

/* Locks the board where the slot is still that of the job. */
static bool
board_lock_slot(struct board *board, uint32_t link, const char *job)
{
	struct error none;

	if (!link || board_lock(board, &none) < 0)
		return false;
	if (board_is_slot_of(board, link, job))
		return true;
	board_unlock(board);
	return false;
}

void
board_enter(struct board *board, uint32_t link, const char *job)
{
	if (!board_lock_slot(board, link, job))
		return;
	board_tables_set_busy(board, link, true);
	board_unlock(board);
}

static bool
board_is_known(const struct board_slot *slot, const struct board_hint *hint)
{
	return !slot->busy && !slot->reserved && slot->offers == hint->offers && slot->running == hint->running &&
	    slot->timer_ms == hint->timer_ms && slot->closed == hint->closed && slot->finished == hint->finished;
}

void
board_publish(struct board *board, uint32_t link, const char *job, const struct board_hint *hint)
{
	if ((link && board_is_slot_of(board, link, job) && board_is_known(board_slot(board, link), hint)) ||
	    !board_lock_slot(board, link, job))
		return;
	board_tables_update(board, link, hint);
	board_unlock(board);
}

void
board_defer(struct board *board, uint32_t link, const char *job, int64_t until_ms)
{
	if (!board_lock_slot(board, link, job))
		return;
	board_tables_set_timer(board, link, until_ms);
	board_unlock(board);
}

static uint64_t
board_room_of(int64_t max, uint64_t running)
{
	if (max < 0)
		return UINT64_MAX;
	return (uint64_t)max > running ? (uint64_t)max - running : 0;
}

uint64_t
board_room(const struct board *board, const uint32_t party[BOARD_PARTY_KINDS])
{
	uint64_t room = board_room_of(board->header->max, board->header->running);

	for (int kind = 0; kind < BOARD_PARTY_KINDS; kind++) {
		const struct board_party *of = &board_entry(board, party[kind])->party[kind];
		uint64_t more = board_room_of(of->max, of->running);

		room = more < room ? more : room;
	}
	return room;
}

uint32_t
board_reserve(struct board *board, uint32_t link, const char *job, uint32_t wanted)
{
	struct board_slot *slot;
	uint64_t room;

	if (!board_lock_slot(board, link, job))
		return 0;
	slot = board_slot(board, link);
	room = board_room(board, slot->party);
	if (room < wanted)
		wanted = (uint32_t)room;
	board_tables_set_busy(board, link, true);
	board_tables_count(board, link, wanted);
	slot->reserved += wanted;
	return board_unlock(board) ? wanted : 0;
}

bool
board_claim_reap(struct board *board, int64_t now_ms, int64_t age_ms, int64_t *last_ms)
{
	int64_t last = atomic_load(&board->header->reaped_ms);

	*last_ms = last;
	return now_ms - last >= age_ms && atomic_compare_exchange_strong(&board->header->reaped_ms, &last, now_ms);
}
