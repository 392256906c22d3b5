/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool
scheduler_is_tried(const struct scheduler *scheduler, uint32_t link)
{
	for (size_t i = 0; i < scheduler->tried_count; i++)
		if (scheduler->tried[i] == link)
			return true;
	return false;
}

/* Whichever was put first; 0 is none. */
static uint32_t
scheduler_earlier(const struct scheduler_table *table, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a + b;
	return scheduler_slot(table, a)->order < scheduler_slot(table, b)->order ? a : b;
}

/* The first of a class that offers something and was not tried; few are stepped over. */
static uint32_t
scheduler_first_untried(const struct scheduler *scheduler, const struct scheduler_table *table, uint32_t link)
{
	const struct scheduler_slot *slot = link ? scheduler_slot(table, link) : NULL;

	if (!slot || (scheduler_offers(slot) && !scheduler_is_tried(scheduler, link)))
		return link;
	return scheduler_earlier(table, scheduler_first_untried(scheduler, table, slot->links.left),
	    scheduler_first_untried(scheduler, table, slot->links.right));
}

static bool
scheduler_is_among(const char *name, const char *const *list)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return list == NULL;
}

static bool
scheduler_is_wanted(const struct scheduler *scheduler, const struct scheduler_table *table, const uint32_t *limit_key)
{
	const char *const *wanted[] = {[LIMIT_KEY_TENANT] = scheduler->want->tenants,
	    [LIMIT_KEY_PROVIDER] = scheduler->want->providers};

	for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
		if (!scheduler_is_among(scheduler_entry(table, limit_key[kind])->limit_key[kind].name, wanted[kind]))
			return false;
	return true;
}

/* The best of all classes. Their number is that of pairs of tenant and provider, not that of jobs. */
static uint32_t
scheduler_best_class(struct scheduler *scheduler, struct scheduler_table *table)
{
	uint64_t best_running = 0;
	uint32_t best = 0;
	/* By tenant: it is counted. */
	bool *counted = memory_zeroed(table->header->key_count[LIMIT_KEY_TENANT], sizeof *counted);

	scheduler->tenants = 0;
	for (uint32_t i = 0; i < table->header->class_count; i++) {
		struct job_class *job_class = &scheduler_entry(table, i)->job_class;
		uint32_t link = scheduler_first_untried(scheduler, table, scheduler_first_of(table, job_class)),
		    tenant = job_class->limit_key[LIMIT_KEY_TENANT];
		uint64_t running;

		if (!link || !scheduler_is_wanted(scheduler, table, job_class->limit_key))
			continue;
		if (scheduler_room(table, job_class->limit_key) == 0) {
			scheduler->limited = true;
			continue;
		}
		scheduler->tenants += !counted[tenant];
		counted[tenant] = true;
		running = scheduler_entry(table, tenant)->limit_key[LIMIT_KEY_TENANT].running;
		if (!best || running < best_running ||
		    (running == best_running && scheduler_earlier(table, link, best) == link)) {
			best = link;
			best_running = running;
		}
	}
	free(counted);
	return best;
}

/* A job in which someone is at work, or was when they were stopped: what it offers may not be known yet. */
static uint32_t
scheduler_first_busy(const struct scheduler *scheduler, const struct scheduler_table *table)
{
	uint32_t link = table->header->busy;

	while (link && (scheduler_is_tried(scheduler, link) || !scheduler_is_wanted(scheduler, table, scheduler_slot(table, link)->limit_key)))
		link = scheduler_slot(table, link)->next_busy;
	return link;
}

static void
scheduler_choose(const struct scheduler_table *table, uint32_t link, struct chosen *chosen)
{
	chosen->link = link;
	if (link)
		memcpy(chosen->job, scheduler_slot(table, link)->job, sizeof chosen->job);
}

int
scheduler_next(struct scheduler *scheduler, struct scheduler_table *table, struct chosen *chosen, struct error *err)
{
	uint32_t link;

	if (scheduler_lock(table, err) < 0)
		return -1;
	link = scheduler_best_class(scheduler, table);
	scheduler_choose(table, link ? link : scheduler_first_busy(scheduler, table), chosen);
	scheduler_unlock(table);
	return 0;
}

int
scheduler_due(struct scheduler_table *table, int64_t now_ms, struct chosen *chosen, struct error *err)
{
	uint32_t link;

	if (scheduler_lock(table, err) < 0)
		return -1;
	link = scheduler_first_timer(table);
	scheduler_choose(table, link && scheduler_slot(table, link)->timer_ms <= now_ms ? link : 0, chosen);
	scheduler_unlock(table);
	return 0;
}

void
scheduler_exhausted(struct scheduler *scheduler, uint32_t link)
{
	ARRAY_ROOM(scheduler->tried, scheduler->tried_count, scheduler->tried_capacity);
	scheduler->tried[scheduler->tried_count++] = link;
}

void
scheduler_release(struct scheduler *scheduler)
{
	free(scheduler->tried);
	*scheduler = (struct scheduler){0};
}
