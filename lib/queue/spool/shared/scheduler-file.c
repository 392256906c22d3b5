/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/scheduler-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/spool/shared/spool.h"

enum { VERSION = 3 };

static const char magic[8] = "cooprbd";

_Static_assert(sizeof(struct scheduler_header) <= SCHEDULER_HEADER_SIZE, "the header has its place");

size_t
scheduler_entries_size(uint32_t capacity)
{
	return (size_t)capacity * sizeof(struct scheduler_entry);
}

size_t
scheduler_size_for(uint32_t capacity)
{
	return SCHEDULER_HEADER_SIZE + scheduler_entries_size(capacity) + checksum_count(scheduler_entries_size(capacity)) * sizeof(uint32_t);
}

uint32_t
scheduler_sum_of(const struct scheduler_header *header)
{
	return checksum_sum(header->boot, sizeof *header - offsetof(struct scheduler_header, boot), 0);
}

void
scheduler_begin_checksum(const struct scheduler_table *table)
{
	uint32_t capacity = table->header->capacity;

	checksum_begin(table->checksum, table->entries, scheduler_entries_size(capacity), (void *)(table->entries + capacity));
}

int
scheduler_fail(const struct scheduler_table *table, struct error *err)
{
	return error_errno(err, EX_IOERR, "%s/board", table->spool->path);
}

static void
scheduler_unmap(struct scheduler_table *table)
{
	if (table->checksum)
		checksum_release(table->checksum);
	if (table->header)
		munmap(table->header, table->mapped);
	table->header = NULL;
	table->entries = NULL;
}

static void
scheduler_attach(struct scheduler_table *table, void *bytes, size_t size)
{
	table->header = bytes;
	table->entries = (void *)((char *)bytes + SCHEDULER_HEADER_SIZE);
	table->mapped = size;
}

int
scheduler_map(struct scheduler_table *table, size_t size, struct error *err)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, table->fd, 0);

	if (bytes == MAP_FAILED)
		return scheduler_fail(table, err);
	scheduler_unmap(table);
	scheduler_attach(table, bytes, size);
	return 0;
}

/* With blocks behind it: rather an error now than SIGBUS later. */
static int
scheduler_map_room(struct scheduler_table *table, uint32_t capacity, struct error *err)
{
	int failed = posix_fallocate(table->fd, 0, (off_t)scheduler_size_for(capacity));

	if (failed) {
		errno = failed;
		return scheduler_fail(table, err);
	}
	return scheduler_map(table, scheduler_size_for(capacity), err);
}

/* The new entries take the place of the sums. */
int
scheduler_grow(struct scheduler_table *table, uint32_t capacity, struct error *err)
{
	uint32_t before = table->header->capacity;
	bool sealed = table->checksum->open, whole = checksum_check(table->checksum, 0, SIZE_MAX / 2);

	if (scheduler_map_room(table, capacity, err) < 0)
		return -1;
	memset(table->entries + before, 0, scheduler_size_for(capacity) - SCHEDULER_HEADER_SIZE - scheduler_entries_size(before));
	table->header->capacity = capacity;
	if (!sealed)
		return 0;
	scheduler_begin_checksum(table);
	checksum_all(table->checksum);
	table->checksum->broken = !whole;
	return 0;
}

bool
scheduler_is_usable(const struct scheduler_table *table, size_t size)
{
	const struct scheduler_header *header = table->header;

	return memcmp(header->magic, magic, sizeof magic) == 0 && header->version == VERSION &&
	    strncmp(header->boot, table->spool->boot, sizeof header->boot) == 0 && header->capacity > 0 &&
	    scheduler_size_for(header->capacity) <= size && header->count <= header->capacity;
}

int
scheduler_map_usable(struct scheduler_table *table, struct error *err)
{
	struct stat st;

	if (fstat(table->fd, &st) < 0)
		return scheduler_fail(table, err);
	table->inode = st.st_ino;
	if ((size_t)st.st_size < scheduler_size_for(1))
		return 0;
	if (scheduler_map(table, (size_t)st.st_size, err) < 0)
		return -1;
	return scheduler_is_usable(table, (size_t)st.st_size);
}

int
scheduler_reset(struct scheduler_table *table, struct error *err)
{
	struct scheduler_header *header;

	if (scheduler_map_room(table, SCHEDULER_FIRST_CAPACITY, err) < 0)
		return -1;
	header = table->header;
	memset(header, 0, table->mapped);
	header->version = VERSION;
	header->changing = 1;
	header->capacity = SCHEDULER_FIRST_CAPACITY;
	header->next_order = header->next_arrival = 1;
	header->max = 0; /* until somebody has read the limits */
	snprintf(header->boot, sizeof header->boot, "%s", table->spool->boot);
	return 0;
}

void
scheduler_validate(struct scheduler_table *table)
{
	scheduler_begin_checksum(table);
	checksum_all(table->checksum);
	table->header->sum = scheduler_sum_of(table->header);
	memcpy(table->header->magic, magic, sizeof magic);
}

void
scheduler_close(struct scheduler_table *table)
{
	scheduler_unmap(table);
	free(table->checksum);
	table->checksum = NULL;
	if (table->fd >= 0)
		close(table->fd);
	table->fd = -1;
}

void
scheduler_peek(struct scheduler_table *table, const struct spool *spool)
{
	void *bytes = MAP_FAILED;
	struct stat st;

	*table = (struct scheduler_table){.spool = spool, .fd = openat(spool->root, "board", O_RDONLY | O_CLOEXEC)};
	if (table->fd >= 0 && fstat(table->fd, &st) == 0 && (size_t)st.st_size >= scheduler_size_for(1))
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, table->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	scheduler_attach(table, bytes, (size_t)st.st_size);
	if (!scheduler_is_usable(table, table->mapped))
		scheduler_unmap(table);
}

uint32_t
scheduler_count(const struct scheduler_table *table)
{
	size_t mapped;

	if (!table->header)
		return 0;
	mapped = (table->mapped - SCHEDULER_HEADER_SIZE) / sizeof *table->entries;
	return table->header->count < mapped ? table->header->count : (uint32_t)mapped;
}

struct scheduler_entry *
scheduler_entry(const struct scheduler_table *table, uint32_t number)
{
	static struct scheduler_entry nothing;
	bool there = number < (table->mapped - SCHEDULER_HEADER_SIZE) / sizeof *table->entries;

	if (!table->locked && there)
		return &table->entries[number];
	if (table->locked && number < table->header->capacity) {
		checksum_touch(table->checksum, &table->entries[number], sizeof nothing);
		if (!table->checksum->broken)
			return &table->entries[number];
	}
	if (table->locked)
		table->checksum->broken = true;
	nothing = (struct scheduler_entry){0};
	return &nothing;
}

struct scheduler_slot *
scheduler_slot(const struct scheduler_table *table, uint32_t link)
{
	return &scheduler_entry(table, link - 1)->slot;
}

