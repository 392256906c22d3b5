/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler-table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/error.h"
#include "base/lock.h"
#include "queue/spool/shared/scheduler-fill.h"
#include "queue/spool/shared/scheduler-links.h"
#include "queue/spool/shared/scheduler-names.h"

int
scheduler_add(struct scheduler_table *table, const struct scheduler_job *job, uint64_t *order, struct error *err)
{
	int result = 0;

	do {
		if (scheduler_lock(table, err) < 0)
			return -1;
		if (*order == 0)
			*order = table->header->next_order;
		if (!scheduler_names_find(table, job->id))
			result = scheduler_put(table, job, *order, table->header->next_arrival, err);
	} while (!scheduler_unlock(table));
	return result;
}

int
scheduler_remove(struct scheduler_table *table, const char *job, struct error *err)
{
	uint32_t link;

	if (scheduler_lock(table, err) < 0)
		return -1;
	link = scheduler_names_find(table, job);
	if (link)
		scheduler_links_leave(table, link);
	scheduler_unlock(table);
	return 0;
}

int
scheduler_forget(struct scheduler_table *table, struct error *err)
{
	do {
		if (scheduler_lock(table, err) < 0)
			return -1;
		for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
			for (uint32_t i = 0; i < table->header->key_count[kind]; i++) {
				struct limit_key *limit_key = &scheduler_entry(table, i)->limit_key[kind];

				if (limit_key->jobs == 0)
					*limit_key = (struct limit_key){.max = QUEUE_UNLIMITED};
			}
		memset(table->header->limits, 0, sizeof table->header->limits);
	} while (!scheduler_unlock(table));
	return 0;
}

static bool
scheduler_is_slot_of(const struct scheduler_table *table, uint32_t link, const char *job)
{
	const struct scheduler_slot *slot = link && link <= scheduler_count(table) ? scheduler_slot(table, link) : NULL;

	return slot && slot->used && strncmp(slot->job, job, sizeof slot->job) == 0;
}

uint32_t
scheduler_find(struct scheduler_table *table, const char *job, uint32_t hint)
{
	uint32_t link;

	if (scheduler_is_slot_of(table, hint, job))
		return hint;
	if (!table->header || lock_wait(table->fd, LOCK_SH) < 0)
		return 0;
	link = scheduler_names_find(table, job);
	flock(table->fd, LOCK_UN);
	return link;
}

/* Locks the scheduler's table where the slot is still that of the job. */
static bool
scheduler_lock_slot(struct scheduler_table *table, uint32_t link, const char *job)
{
	struct error none;

	if (!link || scheduler_lock(table, &none) < 0)
		return false;
	if (scheduler_is_slot_of(table, link, job))
		return true;
	scheduler_unlock(table);
	return false;
}

void
scheduler_enter(struct scheduler_table *table, uint32_t link, const char *job)
{
	if (!scheduler_lock_slot(table, link, job))
		return;
	scheduler_links_set_busy(table, link, true);
	scheduler_unlock(table);
}

void
scheduler_publish(struct scheduler_table *table, uint32_t link, const char *job, const struct scheduler_hint *hint)
{
	const struct scheduler_slot *slot = scheduler_is_slot_of(table, link, job) ? scheduler_slot(table, link) : NULL;

	/* It says so already. */
	if (slot && !slot->busy && !slot->reserved && slot->offers == hint->offers && slot->running == hint->running &&
	    slot->timer_ms == hint->timer_ms && slot->closed == hint->closed && slot->finished == hint->finished)
		return;
	if (!scheduler_lock_slot(table, link, job))
		return;
	scheduler_links_update(table, link, hint);
	scheduler_unlock(table);
}

void
scheduler_defer(struct scheduler_table *table, uint32_t link, const char *job, int64_t until_ms)
{
	if (!scheduler_lock_slot(table, link, job))
		return;
	scheduler_links_set_timer(table, link, until_ms);
	scheduler_unlock(table);
}

static uint64_t
scheduler_room_of(int64_t max, uint64_t running)
{
	if (max < 0)
		return UINT64_MAX;
	return (uint64_t)max > running ? (uint64_t)max - running : 0;
}

uint64_t
scheduler_room(const struct scheduler_table *table, const uint32_t limit_key[LIMIT_KEY_KINDS])
{
	uint64_t room = scheduler_room_of(table->header->max, table->header->running);

	for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++) {
		const struct limit_key *of = &scheduler_entry(table, limit_key[kind])->limit_key[kind];
		uint64_t more = scheduler_room_of(of->max, of->running);

		room = more < room ? more : room;
	}
	return room;
}

uint32_t
scheduler_reserve(struct scheduler_table *table, uint32_t link, const char *job, uint32_t wanted)
{
	struct scheduler_slot *slot;
	uint64_t room;

	if (!scheduler_lock_slot(table, link, job))
		return 0;
	slot = scheduler_slot(table, link);
	room = scheduler_room(table, slot->limit_key);
	if (room < wanted)
		wanted = (uint32_t)room;
	scheduler_links_set_busy(table, link, true);
	scheduler_links_count(table, link, wanted);
	slot->reserved += wanted;
	return scheduler_unlock(table) ? wanted : 0;
}

bool
scheduler_claim_reap(struct scheduler_table *table, int64_t now_ms, int64_t age_ms, int64_t *last_ms)
{
	int64_t last = atomic_load(&table->header->reaped_ms);

	*last_ms = last;
	return now_ms - last >= age_ms && atomic_compare_exchange_strong(&table->header->reaped_ms, &last, now_ms);
}
