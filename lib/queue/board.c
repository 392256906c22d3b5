/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "queue/fold.h"
#include "queue/journal.h"
#include "queue/spool.h"

enum { VERSION = 1, FIRST_CAPACITY = 64 };

static const char magic[8] = "cooprbd";

struct board_header {
	char magic[8]; /* last to be written */
	uint32_t version, capacity;
	_Atomic uint32_t count; /* slots that were ever used */
	char boot[40];
	uint64_t next_order, next_arrival;
	_Atomic int64_t settled_ms;
};

static size_t
size_for(uint32_t capacity)
{
	return BOARD_HEADER_SIZE + (size_t)capacity * sizeof(struct board_slot);
}

static int
fail(const struct board *board, struct error *err)
{
	return error_errno(err, EX_IOERR, "%s/board", board->spool->path);
}

static int
lock_file(const struct board *board, struct error *err)
{
	while (flock(board->fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(board, err);
	return 0;
}

static void
unlock_board(const struct board *board)
{
	flock(board->fd, LOCK_UN);
}

static void
unmap(struct board *board)
{
	if (board->header)
		munmap(board->header, board->mapped);
	board->header = NULL;
	board->slots = NULL;
}

static int
map(struct board *board, size_t size, struct error *err)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd, 0);

	if (bytes == MAP_FAILED)
		return fail(board, err);
	unmap(board);
	board->header = bytes;
	board->slots = (void *)((char *)bytes + BOARD_HEADER_SIZE);
	board->mapped = size;
	return 0;
}

/* Makes the file as large as capacity asks, with blocks behind it, and maps it. */
static int
grow(struct board *board, uint32_t capacity, struct error *err)
{
	int failed = posix_fallocate(board->fd, 0, (off_t)size_for(capacity));

	if (failed) {
		errno = failed;
		return fail(board, err);
	}
	if (map(board, size_for(capacity), err) < 0)
		return -1;
	board->header->capacity = capacity;
	return 0;
}

static bool
is_usable(const struct board *board, size_t size)
{
	const struct board_header *header = board->header;

	return memcmp(header->magic, magic, sizeof magic) == 0 && header->version == VERSION &&
	    strncmp(header->boot, board->spool->boot, sizeof header->boot) == 0 &&
	    size_for(header->capacity) <= size && header->count <= header->capacity;
}

/* 1 where what is in the file can be used, 0 where it is to be made anew. */
static int
map_usable(struct board *board, struct error *err)
{
	struct stat st;

	if (fstat(board->fd, &st) < 0)
		return fail(board, err);
	board->inode = st.st_ino;
	if ((size_t)st.st_size < size_for(1))
		return 0;
	if (map(board, (size_t)st.st_size, err) < 0)
		return -1;
	return is_usable(board, (size_t)st.st_size);
}

static uint32_t
free_slot(const struct board *board)
{
	uint32_t i = 0;

	while (i < board->header->count && board->slots[i].used)
		i++;
	return i;
}

/* The link to the slot of the cluster's job that came last. */
static uint32_t
last_of(const struct board *board, uint64_t cluster)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < board->header->count; i++) {
		const struct board_slot *slot = &board->slots[i];

		if (slot->used && slot->cluster == cluster &&
		    (!last || slot->arrival > board->slots[last - 1].arrival))
			last = i + 1;
	}
	return last;
}

static int
add(struct board *board, const char *job, const char *cluster, const char *tenant, uint64_t order,
    struct error *err)
{
	uint32_t number = free_slot(board);
	struct board_slot *slot;

	if (number == board->header->capacity && grow(board, 2 * board->header->capacity, err) < 0)
		return -1;
	slot = &board->slots[number];
	*slot = (struct board_slot){.busy = 1, .timer_ms = INT64_MAX, .order = order,
	    .arrival = board->header->next_arrival++, .cluster = fold_worker(cluster), .tenant = fold_worker(tenant)};
	slot->behind = last_of(board, slot->cluster);
	snprintf(slot->job, sizeof slot->job, "%s", job);
	snprintf(slot->cluster_id, sizeof slot->cluster_id, "%s", cluster);
	atomic_store((_Atomic uint32_t *)&slot->used, 1);
	if (number == board->header->count)
		board->header->count++;
	if (order >= board->header->next_order)
		board->header->next_order = order + 1;
	return 0;
}

/* What a job's first event says of it. A folder without one is for fsck to speak of. */
static int
add_folder(struct board *board, const char *job, struct error *err)
{
	struct journal_reader reader = {0};
	struct error unread;
	struct event event;
	int dir = openat(board->spool->jobs, job, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;

	reader.fd = dir < 0 ? -1 : openat(dir, "events.ndjson", O_RDONLY | O_CLOEXEC);
	if (reader.fd >= 0 && journal_read_at(&reader, 0, &event, &unread) == 0 && event.kind == EVENT_PUT)
		result = add(board, job, event.cluster, event.tenant, event.order, err);
	journal_reader_release(&reader);
	if (reader.fd >= 0)
		close(reader.fd);
	if (dir >= 0)
		close(dir);
	return result;
}

/* Jobs of a cluster have to come back in their order: the chain of those that wait is made by arrival. */
static int
compare_orders(const void *a, const void *b)
{
	uint64_t x = ((const struct board_slot *)a)->order, y = ((const struct board_slot *)b)->order;

	return (x > y) - (x < y);
}

static void
chain(struct board *board)
{
	struct board_header *header = board->header;
	uint32_t count = header->count;

	qsort(board->slots, count, sizeof *board->slots, compare_orders);
	header->next_arrival = 0;
	for (uint32_t i = 0; i < count; i++) {
		header->count = i;
		board->slots[i].arrival = header->next_arrival++;
		board->slots[i].behind = last_of(board, board->slots[i].cluster);
	}
	header->count = count;
}

static int
fill_from_jobs(struct board *board, struct error *err)
{
	DIR *stream = spool_list(board->spool->jobs);
	int result = 0;
	struct dirent *entry;

	if (!stream)
		return fail(board, err);
	while (result == 0 && (entry = readdir(stream)))
		if (spool_is_id(entry->d_name))
			result = add_folder(board, entry->d_name, err);
	closedir(stream);
	if (result == 0)
		chain(board);
	return result;
}

static int
make_anew(struct board *board, struct error *err)
{
	if (grow(board, FIRST_CAPACITY, err) < 0)
		return -1;
	memset(board->header, 0, board->mapped);
	board->header->version = VERSION;
	board->header->capacity = FIRST_CAPACITY;
	board->header->next_order = 1;
	snprintf(board->header->boot, sizeof board->header->boot, "%s", board->spool->boot);
	if (fill_from_jobs(board, err) < 0)
		return -1;
	memcpy(board->header->magic, magic, sizeof magic);
	return 0;
}

int
board_open(struct board *board, const struct spool *spool, struct error *err)
{
	int usable;

	*board = (struct board){.spool = spool};
	board->fd = openat(spool->root, "board", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (board->fd < 0)
		return error_errno(err, EX_CANTCREAT, "%s/board", spool->path);
	usable = map_usable(board, err);
	if (usable == 0 && (usable = lock_file(board, err)) == 0) {
		/* Another may have been faster. */
		usable = map_usable(board, err);
		if (usable == 0)
			usable = make_anew(board, err);
		unlock_board(board);
	}
	if (usable < 0)
		board_close(board);
	return usable < 0 ? -1 : 0;
}

void
board_close(struct board *board)
{
	unmap(board);
	if (board->fd >= 0)
		close(board->fd);
	board->fd = -1;
}

void
board_peek(struct board *board, const struct spool *spool)
{
	void *bytes = MAP_FAILED;
	struct stat st;

	*board = (struct board){.spool = spool, .fd = openat(spool->root, "board", O_RDONLY | O_CLOEXEC)};
	if (board->fd >= 0 && fstat(board->fd, &st) == 0 && (size_t)st.st_size >= size_for(1))
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, board->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	board->header = bytes;
	board->slots = (void *)((char *)bytes + BOARD_HEADER_SIZE);
	board->mapped = (size_t)st.st_size;
	if (!is_usable(board, board->mapped))
		unmap(board);
}

int
board_refresh(struct board *board, struct error *err)
{
	const struct spool *spool = board->spool;
	struct board fresh;
	struct stat st;

	/* Someone may have removed it by hand. Where it cannot be opened we keep the one we have: it is mapped. */
	if (fstatat(spool->root, "board", &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_ino != board->inode) {
		if (board_open(&fresh, spool, err) < 0)
			return -1;
		board_close(board);
		*board = fresh;
		return 0;
	}
	if (size_for(board->header->capacity) > board->mapped)
		return map(board, (size_t)st.st_size, err);
	return 0;
}

uint32_t
board_count(const struct board *board)
{
	size_t mapped;

	if (!board->header)
		return 0;
	mapped = (board->mapped - BOARD_HEADER_SIZE) / sizeof *board->slots;
	return board->header->count < mapped ? board->header->count : (uint32_t)mapped;
}

static int
lock_board(struct board *board, struct error *err)
{
	if (board_refresh(board, err) < 0 || lock_file(board, err) < 0)
		return -1;
	/* It may have grown while we waited. */
	if (size_for(board->header->capacity) <= board->mapped ||
	    map(board, size_for(board->header->capacity), err) == 0)
		return 0;
	unlock_board(board);
	return -1;
}

int
board_add(struct board *board, const char *job, const char *cluster, const char *tenant, uint64_t *order,
    struct error *err)
{
	int result = 0;

	if (lock_board(board, err) < 0)
		return -1;
	if (*order == 0)
		*order = board->header->next_order;
	if (!board_find(board, job, 0))
		result = add(board, job, cluster, tenant, *order, err);
	unlock_board(board);
	return result;
}

int
board_remove(struct board *board, const char *job, struct error *err)
{
	uint32_t link;

	if (lock_board(board, err) < 0)
		return -1;
	link = board_find(board, job, 0);
	for (uint32_t i = 0; link && i < board->header->count; i++)
		if (board->slots[i].used && board->slots[i].behind == link)
			board->slots[i].behind = board->slots[link - 1].behind;
	if (link)
		atomic_store((_Atomic uint32_t *)&board->slots[link - 1].used, 0);
	unlock_board(board);
	return 0;
}

static bool
is_slot_of(const struct board *board, uint32_t number, const char *job)
{
	const struct board_slot *slot = &board->slots[number];

	return slot->used && strncmp(slot->job, job, sizeof slot->job) == 0;
}

uint32_t
board_find(const struct board *board, const char *job, uint32_t hint)
{
	uint32_t count = board_count(board);

	if (hint > 0 && hint <= count && is_slot_of(board, hint - 1, job))
		return hint;
	for (uint32_t i = 0; i < count; i++)
		if (is_slot_of(board, i, job))
			return i + 1;
	return 0;
}

void
board_enter(struct board *board, uint32_t link)
{
	if (link)
		atomic_store((_Atomic uint32_t *)&board->slots[link - 1].busy, 1);
}

void
board_publish(struct board *board, uint32_t link, const struct board_hint *hint)
{
	struct board_slot *slot = link ? &board->slots[link - 1] : NULL;

	if (!slot)
		return;
	slot->offers = hint->offers;
	slot->running = hint->running;
	slot->timer_ms = hint->timer_ms;
	slot->closed = hint->closed;
	slot->finished = hint->finished;
	atomic_store((_Atomic uint32_t *)&slot->busy, 0);
}

bool
board_claim_settle(struct board *board, int64_t now_ms, int64_t age_ms, int64_t *last_ms)
{
	int64_t last = atomic_load(&board->header->settled_ms);

	*last_ms = last;
	return now_ms - last >= age_ms && atomic_compare_exchange_strong(&board->header->settled_ms, &last, now_ms);
}
