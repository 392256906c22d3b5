/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/board-names.h"

#include <string.h>

#include "queue/spool/shared/spool.h"

/* The bucket of a name; the capacity is a power of two. */
static struct board_entry *
board_bucket_of(const struct board *board, const char *name)
{
	uint64_t hash = spool_hash(name);

	return board_entry(board, (uint32_t)(hash ^ hash >> 32) & (board->header->capacity - 1));
}

/* A reader that has no lock may see anything: nothing is longer than the file. */
static uint32_t
board_sound(const struct board *board, uint32_t link, uint32_t *left)
{
	return link <= board_count(board) && (*left)-- > 0 ? link : 0;
}

uint32_t
board_names_find(const struct board *board, const char *job)
{
	uint32_t left = board_count(board), link;

	for (link = board_sound(board, board_bucket_of(board, job)->jobs, &left); link;
	     link = board_sound(board, board_slot(board, link)->next_job, &left))
		if (board_slot(board, link)->used && strncmp(board_slot(board, link)->job, job, QUEUE_ID_SIZE) == 0)
			return link;
	return 0;
}

static void
board_enter_name(struct board *board, uint32_t link)
{
	struct board_slot *slot = board_slot(board, link);
	struct board_entry *bucket = board_bucket_of(board, slot->job);

	slot->next_job = bucket->jobs;
	bucket->jobs = link;
}

static void
board_leave_name(struct board *board, uint32_t link)
{
	uint32_t *at = &board_bucket_of(board, board_slot(board, link)->job)->jobs;

	while (*at && *at != link)
		at = &board_slot(board, *at)->next_job;
	*at = board_slot(board, link)->next_job;
}

/* --- clusters: of each, the job that came last stands in a bucket, and the others wait in a chain before it --- */

/* Where the link to the last job of a cluster stands; to 0 at the end of the bucket where it has none. */
static uint32_t *
board_last_of(struct board *board, const char *cluster)
{
	uint32_t *at = &board_bucket_of(board, cluster)->clusters;

	while (*at && strncmp(board_slot(board, *at)->cluster, cluster, QUEUE_ID_SIZE) != 0)
		at = &board_slot(board, *at)->next_cluster;
	return at;
}

static void
board_enter_cluster(struct board *board, uint32_t link)
{
	struct board_slot *slot = board_slot(board, link);
	uint32_t *last = board_last_of(board, slot->cluster);

	slot->before = 0;
	slot->behind = *last;
	slot->next_cluster = *last ? board_slot(board, *last)->next_cluster : 0;
	if (*last)
		board_slot(board, *last)->before = link;
	*last = link;
}

/* Returns the link to the job that has waited for it, 0: none. */
static uint32_t
board_leave_cluster(struct board *board, uint32_t link)
{
	const struct board_slot *slot = board_slot(board, link);
	uint32_t *last = board_last_of(board, slot->cluster);

	if (slot->before) {
		board_slot(board, slot->before)->behind = slot->behind;
	} else if (slot->behind) {
		board_slot(board, slot->behind)->next_cluster = slot->next_cluster;
		*last = slot->behind;
	} else {
		*last = slot->next_cluster;
	}
	if (slot->behind)
		board_slot(board, slot->behind)->before = slot->before;
	return slot->before;
}

void
board_names_enter(struct board *board, uint32_t link)
{
	board_enter_name(board, link);
	board_enter_cluster(board, link);
}

uint32_t
board_names_leave(struct board *board, uint32_t link)
{
	board_leave_name(board, link);
	return board_leave_cluster(board, link);
}
