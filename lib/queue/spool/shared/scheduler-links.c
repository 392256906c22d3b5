/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler-links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "queue/spool/shared/scheduler-names.h"

/* --- tenants, providers, classes --- */

uint32_t
scheduler_links_limit_key(struct scheduler_table *table, enum limit_key_kind kind, const char *name)
{
	uint32_t count = table->header->key_count[kind], at = count;
	struct limit_key *limit_key;

	for (uint32_t i = 0; i < count; i++) {
		limit_key = &scheduler_entry(table, i)->limit_key[kind];
		if (strncmp(limit_key->name, name, sizeof limit_key->name - 1) == 0)
			return i;
		if (limit_key->jobs == 0)
			at = i;
	}
	limit_key = &scheduler_entry(table, at)->limit_key[kind];
	*limit_key = (struct limit_key){.max = QUEUE_UNLIMITED};
	snprintf(limit_key->name, sizeof limit_key->name, "%s", name);
	table->header->key_count[kind] += at == count;
	/* Whoever takes next looks its limit up. */
	memset(table->header->limits, 0, sizeof table->header->limits);
	return at;
}

static uint32_t
scheduler_class_of(struct scheduler_table *table, const uint32_t limit_key[LIMIT_KEY_KINDS])
{
	uint32_t count = table->header->class_count, at = count;

	for (uint32_t i = 0; i < count; i++) {
		const struct job_class *job_class = &scheduler_entry(table, i)->job_class;

		if (job_class->jobs > 0 && memcmp(job_class->limit_key, limit_key, sizeof job_class->limit_key) == 0)
			return i;
		if (job_class->jobs == 0 && job_class->first == 0)
			at = i;
	}
	scheduler_entry(table, at)->job_class = (struct job_class){.limit_key = {limit_key[LIMIT_KEY_TENANT], limit_key[LIMIT_KEY_PROVIDER]}};
	table->header->class_count += at == count;
	return at;
}

static struct heap_links *
scheduler_slot_links(void *of, uint32_t slot)
{
	return &scheduler_entry(of, slot)->slot.links;
}

static bool
scheduler_slot_precedes(void *of, uint32_t a, uint32_t b)
{
	uint64_t order = scheduler_entry(of, a)->slot.order;

	return order < scheduler_entry(of, b)->slot.order;
}

bool
scheduler_offers(const struct scheduler_slot *slot)
{
	return slot->used && !slot->closed && !slot->finished && !slot->behind && slot->offers > 0;
}

/* Into its class, where it has something to offer and is not there. */
static void
scheduler_list_slot(struct scheduler_table *table, uint32_t link)
{
	struct heap_tree tree = {table, scheduler_slot_links, scheduler_slot_precedes};
	struct scheduler_slot *slot = scheduler_slot(table, link);
	struct job_class *job_class = &scheduler_entry(table, slot->job_class)->job_class;

	if (slot->listed || !scheduler_offers(slot))
		return;
	slot->listed = 1;
	slot->links = (struct heap_links){0, 0, 1};
	job_class->first = heap_merge(&tree, job_class->first, link);
}

static void
scheduler_push_free(struct scheduler_table *table, uint32_t link)
{
	scheduler_slot(table, link)->next_free = table->header->free;
	table->header->free = link;
}

uint32_t
scheduler_first_of(struct scheduler_table *table, struct job_class *job_class)
{
	struct heap_tree tree = {table, scheduler_slot_links, scheduler_slot_precedes};

	while (job_class->first && !scheduler_offers(scheduler_slot(table, job_class->first))) {
		uint32_t link = job_class->first;
		struct scheduler_slot *slot = scheduler_slot(table, link);

		job_class->first = heap_merge(&tree, slot->links.left, slot->links.right);
		slot->listed = 0;
		if (!slot->used) {
			table->header->ghosts--;
			scheduler_push_free(table, link);
		}
	}
	return job_class->first;
}

void
scheduler_links_count(struct scheduler_table *table, uint32_t link, int64_t more)
{
	const struct scheduler_slot *slot = scheduler_slot(table, link);

	table->header->running += (uint64_t)more;
	for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
		scheduler_entry(table, slot->limit_key[kind])->limit_key[kind].running += (uint64_t)more;
}

/* --- timers --- */

static uint32_t *
scheduler_timer_item(void *of, uint32_t at)
{
	return &scheduler_entry(of, at)->timer;
}

static uint32_t *
scheduler_timer_place(void *of, uint32_t slot)
{
	return &scheduler_entry(of, slot)->slot.timer;
}

static bool
scheduler_timer_precedes(void *of, uint32_t a, uint32_t b)
{
	int64_t timer_ms = scheduler_entry(of, a)->slot.timer_ms;

	return timer_ms < scheduler_entry(of, b)->slot.timer_ms;
}

void
scheduler_links_set_timer(struct scheduler_table *table, uint32_t link, int64_t timer_ms)
{
	struct heap heap = {table, &table->header->timer_count, scheduler_timer_item, scheduler_timer_place, scheduler_timer_precedes};
	struct scheduler_slot *slot = scheduler_slot(table, link);
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
scheduler_first_timer(const struct scheduler_table *table)
{
	return table->header->timer_count ? scheduler_entry(table, 0)->timer + 1 : 0;
}

/* --- all of it --- */

void
scheduler_links_set_busy(struct scheduler_table *table, uint32_t link, bool busy)
{
	struct scheduler_slot *slot = scheduler_slot(table, link);

	if (slot->busy == busy)
		return;
	slot->busy = busy;
	if (busy) {
		slot->next_busy = table->header->busy;
		slot->previous_busy = 0;
		table->header->busy = link;
		if (slot->next_busy)
			scheduler_slot(table, slot->next_busy)->previous_busy = link;
		return;
	}
	if (slot->next_busy)
		scheduler_slot(table, slot->next_busy)->previous_busy = slot->previous_busy;
	if (slot->previous_busy)
		scheduler_slot(table, slot->previous_busy)->next_busy = slot->next_busy;
	else
		table->header->busy = slot->next_busy;
}

void
scheduler_links_enter(struct scheduler_table *table, uint32_t link)
{
	struct scheduler_slot *slot = scheduler_slot(table, link);
	bool busy = slot->busy;

	slot->behind = slot->before = slot->listed = slot->timer = slot->busy = 0;
	scheduler_names_enter(table, link);
	for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
		scheduler_entry(table, slot->limit_key[kind])->limit_key[kind].jobs++;
	slot->job_class = scheduler_class_of(table, slot->limit_key);
	scheduler_entry(table, slot->job_class)->job_class.jobs++;
	scheduler_links_count(table, link, (int64_t)slot->running + slot->reserved);
	scheduler_links_set_busy(table, link, busy);
	scheduler_links_set_timer(table, link, slot->timer_ms);
	scheduler_list_slot(table, link);
}

void
scheduler_links_leave(struct scheduler_table *table, uint32_t link)
{
	struct scheduler_slot *slot = scheduler_slot(table, link);
	uint32_t next = scheduler_names_leave(table, link);

	scheduler_links_count(table, link, -((int64_t)slot->running + slot->reserved));
	scheduler_links_set_timer(table, link, INT64_MAX);
	scheduler_links_set_busy(table, link, false);
	for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
		scheduler_entry(table, slot->limit_key[kind])->limit_key[kind].jobs--;
	scheduler_entry(table, slot->job_class)->job_class.jobs--;
	slot->used = 0;
	table->header->ghosts += slot->listed;
	if (!slot->listed)
		scheduler_push_free(table, link);
	if (next)
		scheduler_list_slot(table, next);
}

void
scheduler_links_update(struct scheduler_table *table, uint32_t link, const struct scheduler_hint *hint)
{
	struct scheduler_slot *slot = scheduler_slot(table, link);

	scheduler_links_count(table, link, (int64_t)hint->running - slot->running - slot->reserved);
	slot->running = hint->running;
	slot->reserved = 0;
	slot->offers = hint->offers;
	slot->closed = hint->closed;
	slot->finished = hint->finished;
	scheduler_links_set_timer(table, link, hint->timer_ms);
	/* One that is finished is to be noticed until it has left. */
	scheduler_links_set_busy(table, link, hint->finished);
	scheduler_list_slot(table, link);
}

/* Freed ones that are still listed come free with all else made anew, where there are many. */
uint32_t
scheduler_links_free_slot(struct scheduler_table *table)
{
	struct scheduler_header *header = table->header;
	uint32_t link = header->free;

	if (!link && header->count == header->capacity && header->ghosts > header->capacity / 2) {
		scheduler_links_derive(table);
		link = header->free;
	}
	if (link) {
		header->free = scheduler_slot(table, link)->next_free;
		return link;
	}
	return header->count < header->capacity ? ++header->count : 0;
}

static int
scheduler_compare_arrivals(const void *a, const void *b)
{
	uint64_t x = ((const struct scheduler_slot *const *)a)[0]->arrival, y = ((const struct scheduler_slot *const *)b)[0]->arrival;

	return (x > y) - (x < y);
}

void
scheduler_links_derive(struct scheduler_table *table)
{
	struct scheduler_header *header = table->header;
	uint32_t count = scheduler_count(table), used = 0;
	struct scheduler_slot **slots = memory_zeroed(count, sizeof *slots);

	header->running = 0;
	header->class_count = header->timer_count = header->free = header->busy = header->ghosts = 0;
	for (uint32_t i = 0; i < header->capacity; i++) {
		struct scheduler_entry *entry = scheduler_entry(table, i);

		entry->jobs = entry->clusters = 0;
		for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++) {
			entry->limit_key[kind].jobs = 0;
			entry->limit_key[kind].running = 0;
		}
	}
	for (uint32_t link = count; link > 0; link--)
		if (scheduler_slot(table, link)->used)
			slots[used++] = scheduler_slot(table, link);
		else
			scheduler_push_free(table, link);
	if (used)
		qsort(slots, used, sizeof *slots, scheduler_compare_arrivals);
	for (uint32_t i = 0; i < used; i++)
		scheduler_links_enter(table, (uint32_t)((struct scheduler_entry *)slots[i] - table->entries) + 1);
	free(slots);
}
