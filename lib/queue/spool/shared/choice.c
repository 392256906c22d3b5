/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool
choice_is_tried(const struct choice *choice, uint32_t link)
{
	for (size_t i = 0; i < choice->tried_count; i++)
		if (choice->tried[i] == link)
			return true;
	return false;
}

/* Whichever was put first; 0 is none. */
static uint32_t
choice_earlier(const struct board *board, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a + b;
	return board_slot(board, a)->order < board_slot(board, b)->order ? a : b;
}

/* The first of a lane that offers something and was not tried; few are stepped over. */
static uint32_t
choice_first_untried(const struct choice *choice, const struct board *board, uint32_t link)
{
	const struct board_slot *slot = link ? board_slot(board, link) : NULL;

	if (!slot || (board_offers(slot) && !choice_is_tried(choice, link)))
		return link;
	return choice_earlier(board, choice_first_untried(choice, board, slot->links.left),
	    choice_first_untried(choice, board, slot->links.right));
}

static bool
choice_is_among(const char *name, const char *const *list)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return list == NULL;
}

static const char *
choice_party_name(const struct board *board, const uint32_t *party, enum board_party_kind kind)
{
	return board_entry(board, party[kind])->party[kind].name;
}

static bool
choice_is_wanted(const struct choice *choice, const struct board *board, const uint32_t *party)
{
	return choice_is_among(choice_party_name(board, party, BOARD_TENANT), choice->want->tenants) &&
	    choice_is_among(choice_party_name(board, party, BOARD_PROVIDER), choice->want->providers);
}

static uint64_t
choice_running_of(const struct board *board, uint32_t link)
{
	return board_entry(board, board_slot(board, link)->party[BOARD_TENANT])->party[BOARD_TENANT].running;
}

static bool
choice_is_better(const struct board *board, uint32_t link, uint32_t best)
{
	uint64_t x = choice_running_of(board, link), y = best ? choice_running_of(board, best) : 0;

	return !best || x < y || (x == y && choice_earlier(board, link, best) == link);
}

/* The best of all lanes. Their number is that of pairs of tenant and provider, not that of jobs. */
static uint32_t
choice_best_lane(struct choice *choice, struct board *board)
{
	uint32_t best = 0;
	/* By tenant: it is counted. */
	bool *counted = memory_zeroed(board->header->party_count[BOARD_TENANT], sizeof *counted);

	choice->tenants = 0;
	for (uint32_t i = 0; i < board->header->lane_count; i++) {
		struct board_lane *lane = &board_entry(board, i)->lane;
		uint32_t link = choice_first_untried(choice, board, board_first_of(board, lane)),
		    tenant = lane->party[BOARD_TENANT];

		if (!link || !choice_is_wanted(choice, board, lane->party))
			continue;
		if (board_room(board, lane->party) == 0) {
			choice->limited = true;
			continue;
		}
		choice->tenants += !counted[tenant];
		counted[tenant] = true;
		if (choice_is_better(board, link, best))
			best = link;
	}
	free(counted);
	return best;
}

/* A job in which someone is at work, or was when they were stopped: what it offers may not be known yet. */
static uint32_t
choice_first_busy(const struct choice *choice, const struct board *board)
{
	uint32_t link = board->header->busy;

	while (link && (choice_is_tried(choice, link) || !choice_is_wanted(choice, board, board_slot(board, link)->party)))
		link = board_slot(board, link)->next_busy;
	return link;
}

static void
choice_choose(const struct board *board, uint32_t link, struct chosen *chosen)
{
	chosen->link = link;
	if (link)
		memcpy(chosen->job, board_slot(board, link)->job, sizeof chosen->job);
}

int
choice_next(struct choice *choice, struct board *board, struct chosen *chosen, struct error *err)
{
	uint32_t link;

	if (board_lock(board, err) < 0)
		return -1;
	link = choice_best_lane(choice, board);
	choice_choose(board, link ? link : choice_first_busy(choice, board), chosen);
	board_unlock(board);
	return 0;
}

int
choice_due(struct board *board, int64_t now_ms, struct chosen *chosen, struct error *err)
{
	uint32_t link;

	if (board_lock(board, err) < 0)
		return -1;
	link = board_first_timer(board);
	choice_choose(board, link && board_slot(board, link)->timer_ms <= now_ms ? link : 0, chosen);
	board_unlock(board);
	return 0;
}

void
choice_exhausted(struct choice *choice, uint32_t link)
{
	ARRAY_ROOM(choice->tried, choice->tried_count, choice->tried_capacity);
	choice->tried[choice->tried_count++] = link;
}

void
choice_release(struct choice *choice)
{
	free(choice->tried);
	*choice = (struct choice){0};
}
