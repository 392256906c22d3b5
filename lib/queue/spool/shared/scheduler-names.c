/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler-names.h"

#include <string.h>

#include "queue/job/id.h"
#include "queue/spool/shared/spool.h"

/* The bucket of a name; the capacity is a power of two. */
static struct scheduler_entry *
scheduler_bucket_of(const struct scheduler_table *table, const char *name)
{
	uint64_t hash = id_hash(name);

	return scheduler_entry(table, (uint32_t)(hash ^ hash >> 32) & (table->header->capacity - 1));
}

/* A reader that has no lock may see anything: nothing is longer than the file. */
static uint32_t
scheduler_sound(const struct scheduler_table *table, uint32_t link, uint32_t *left)
{
	return link <= scheduler_count(table) && (*left)-- > 0 ? link : 0;
}

uint32_t
scheduler_names_find(const struct scheduler_table *table, const char *job)
{
	uint32_t left = scheduler_count(table), link;

	for (link = scheduler_sound(table, scheduler_bucket_of(table, job)->jobs, &left); link;
	     link = scheduler_sound(table, scheduler_slot(table, link)->next_job, &left))
		if (scheduler_slot(table, link)->used && strncmp(scheduler_slot(table, link)->job, job, QUEUE_ID_SIZE) == 0)
			return link;
	return 0;
}

/* The last job of each cluster is in a bucket, and its other jobs are in a chain before it. Returns the place that holds
 * the link to the last job of a cluster; it holds 0, at the end of the bucket, if there is none. */
static uint32_t *
scheduler_last_of(struct scheduler_table *table, const char *cluster)
{
	uint32_t *at = &scheduler_bucket_of(table, cluster)->clusters;

	while (*at && strncmp(scheduler_slot(table, *at)->cluster, cluster, QUEUE_ID_SIZE) != 0)
		at = &scheduler_slot(table, *at)->next_cluster;
	return at;
}

void
scheduler_names_enter(struct scheduler_table *table, uint32_t link)
{
	struct scheduler_slot *slot = scheduler_slot(table, link);
	struct scheduler_entry *bucket = scheduler_bucket_of(table, slot->job);
	uint32_t *last = scheduler_last_of(table, slot->cluster);

	slot->next_job = bucket->jobs;
	bucket->jobs = link;
	slot->before = 0;
	slot->behind = *last;
	slot->next_cluster = *last ? scheduler_slot(table, *last)->next_cluster : 0;
	if (*last)
		scheduler_slot(table, *last)->before = link;
	*last = link;
}

uint32_t
scheduler_names_leave(struct scheduler_table *table, uint32_t link)
{
	const struct scheduler_slot *slot = scheduler_slot(table, link);
	uint32_t *at = &scheduler_bucket_of(table, slot->job)->jobs, *last = scheduler_last_of(table, slot->cluster);

	while (*at && *at != link)
		at = &scheduler_slot(table, *at)->next_job;
	*at = slot->next_job;
	if (slot->before) {
		scheduler_slot(table, slot->before)->behind = slot->behind;
	} else if (slot->behind) {
		scheduler_slot(table, slot->behind)->next_cluster = slot->next_cluster;
		*last = slot->behind;
	} else {
		*last = slot->next_cluster;
	}
	if (slot->behind)
		scheduler_slot(table, slot->behind)->before = slot->before;
	return slot->before;
}
