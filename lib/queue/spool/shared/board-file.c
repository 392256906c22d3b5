/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/board-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/memory.h"
#include "queue/spool/shared/board-tables.h"
#include "queue/spool/shared/spool.h"

enum { VERSION = 3 };

static const char magic[8] = "cooprbd";

_Static_assert(sizeof(struct board_header) <= BOARD_HEADER_SIZE, "the header has its place");

static size_t
board_entries_size(uint32_t capacity)
{
	return (size_t)capacity * sizeof(struct board_entry);
}

/* Behind the entries stand their sums. */
static size_t
board_size_for(uint32_t capacity)
{
	return BOARD_HEADER_SIZE + board_entries_size(capacity) + checksum_count(board_entries_size(capacity)) * sizeof(uint32_t);
}

static uint32_t
board_sum_of(const struct board_header *header)
{
	return checksum_sum(header->boot, sizeof *header - offsetof(struct board_header, boot), 0);
}

static void
board_begin_checksum(const struct board *board)
{
	uint32_t capacity = board->header->capacity;

	checksum_begin(board->checksum, board->entries, board_entries_size(capacity), (void *)(board->entries + capacity));
}

static int
board_fail(const struct board *board, struct error *err)
{
	return error_errno(err, EX_IOERR, "%s/board", board->spool->path);
}

static int
board_lock_file(const struct board *board, int how, struct error *err)
{
	return lock_wait(board->fd, how) < 0 ? board_fail(board, err) : 0;
}

static void
board_unmap(struct board *board)
{
	if (board->checksum)
		checksum_release(board->checksum);
	if (board->header)
		munmap(board->header, board->mapped);
	board->header = NULL;
	board->entries = NULL;
}

static void
board_attach(struct board *board, void *bytes, size_t size)
{
	board->header = bytes;
	board->entries = (void *)((char *)bytes + BOARD_HEADER_SIZE);
	board->mapped = size;
}

static int
board_map(struct board *board, size_t size, struct error *err)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd, 0);

	if (bytes == MAP_FAILED)
		return board_fail(board, err);
	board_unmap(board);
	board_attach(board, bytes, size);
	return 0;
}

/* With blocks behind it: rather an error now than SIGBUS later. */
static int
board_map_room(struct board *board, uint32_t capacity, struct error *err)
{
	int failed = posix_fallocate(board->fd, 0, (off_t)board_size_for(capacity));

	if (failed) {
		errno = failed;
		return board_fail(board, err);
	}
	return board_map(board, board_size_for(capacity), err);
}

/* Where the sums were, entries come. */
int
board_grow(struct board *board, uint32_t capacity, struct error *err)
{
	uint32_t before = board->header->capacity;
	bool sealed = board->checksum->open, whole = checksum_check(board->checksum, 0, SIZE_MAX / 2);

	if (board_map_room(board, capacity, err) < 0)
		return -1;
	memset(board->entries + before, 0, board_size_for(capacity) - BOARD_HEADER_SIZE - board_entries_size(before));
	board->header->capacity = capacity;
	if (!sealed)
		return 0;
	board_begin_checksum(board);
	checksum_all(board->checksum);
	board->checksum->broken = !whole;
	return 0;
}

static bool
board_is_usable(const struct board *board, size_t size)
{
	const struct board_header *header = board->header;

	return memcmp(header->magic, magic, sizeof magic) == 0 && header->version == VERSION &&
	    strncmp(header->boot, board->spool->boot, sizeof header->boot) == 0 && header->capacity > 0 &&
	    board_size_for(header->capacity) <= size && header->count <= header->capacity;
}

/* 1 where what is in the file can be used, 0 where it is to be made anew. */
static int
board_map_usable(struct board *board, struct error *err)
{
	struct stat st;

	if (fstat(board->fd, &st) < 0)
		return board_fail(board, err);
	board->inode = st.st_ino;
	if ((size_t)st.st_size < board_size_for(1))
		return 0;
	if (board_map(board, (size_t)st.st_size, err) < 0)
		return -1;
	return board_is_usable(board, (size_t)st.st_size);
}

/* Under the lock. Who is stopped here leaves no magic. */
static int
board_make_anew(struct board *board, struct error *err)
{
	struct board_header *header;

	if (board_map_room(board, BOARD_FIRST_CAPACITY, err) < 0)
		return -1;
	header = board->header;
	memset(header, 0, board->mapped);
	board->remade++;
	header->version = VERSION;
	header->changing = 1;
	header->capacity = BOARD_FIRST_CAPACITY;
	header->next_order = header->next_arrival = 1;
	header->max = 0; /* until somebody has read the limits */
	snprintf(header->boot, sizeof header->boot, "%s", board->spool->boot);
	board->locked = true;
	if (board_fill(board, err) < 0)
		return -1;
	board_begin_checksum(board);
	checksum_all(board->checksum);
	board->header->sum = board_sum_of(board->header);
	memcpy(board->header->magic, magic, sizeof magic);
	return 0;
}

static void
board_let_go(struct board *board)
{
	board->locked = false;
	if (board->header)
		board->header->changing = 0;
	flock(board->fd, LOCK_UN);
}

int
board_open(struct board *board, const struct spool *spool, struct error *err)
{
	int usable;

	*board = (struct board){.spool = spool, .checksum = memory_zeroed(1, sizeof *board->checksum)};
	board->fd = openat(spool->root, "board", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (board->fd < 0) {
		error_errno(err, EX_CANTCREAT, "%s/board", spool->path);
		board_close(board);
		return -1;
	}
	usable = board_map_usable(board, err);
	if (usable == 0 && (usable = board_lock_file(board, LOCK_EX, err)) == 0) {
		/* Another may have been faster. */
		usable = board_map_usable(board, err);
		if (usable == 0)
			usable = board_make_anew(board, err) < 0 ? -1 : 0;
		if (usable == 0)
			board_let_go(board);
		else
			flock(board->fd, LOCK_UN);
	}
	if (usable < 0)
		board_close(board);
	return usable < 0 ? -1 : 0;
}

void
board_close(struct board *board)
{
	board_unmap(board);
	free(board->checksum);
	board->checksum = NULL;
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
	if (board->fd >= 0 && fstat(board->fd, &st) == 0 && (size_t)st.st_size >= board_size_for(1))
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, board->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	board_attach(board, bytes, (size_t)st.st_size);
	if (!board_is_usable(board, board->mapped))
		board_unmap(board);
}

int
board_refresh(struct board *board, struct error *err)
{
	const struct spool *spool = board->spool;
	struct board fresh, old;
	struct stat st;

	/* Someone may have removed it by hand, or cut it off. Where it cannot be opened we keep the one we have: it is mapped. */
	if (fstatat(spool->root, "board", &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_ino != board->inode ||
	    (size_t)st.st_size < board->mapped) {
		if (board_open(&fresh, spool, err) < 0)
			return -1;
		old = *board;
		*board = fresh;
		board_close(&old);
		return 0;
	}
	if (board_size_for(board->header->capacity) > board->mapped && (size_t)st.st_size > board->mapped)
		return board_map(board, (size_t)st.st_size, err);
	return 0;
}

uint32_t
board_count(const struct board *board)
{
	size_t mapped;

	if (!board->header)
		return 0;
	mapped = (board->mapped - BOARD_HEADER_SIZE) / sizeof *board->entries;
	return board->header->count < mapped ? board->header->count : (uint32_t)mapped;
}

struct board_entry *
board_entry(const struct board *board, uint32_t number)
{
	static struct board_entry nothing;
	bool there = number < (board->mapped - BOARD_HEADER_SIZE) / sizeof *board->entries;

	if (!board->locked && there)
		return &board->entries[number];
	if (board->locked && number < board->header->capacity) {
		checksum_touch(board->checksum, &board->entries[number], sizeof nothing);
		if (!board->checksum->broken)
			return &board->entries[number];
	}
	if (board->locked)
		board->checksum->broken = true;
	nothing = (struct board_entry){0};
	return &nothing;
}

struct board_slot *
board_slot(const struct board *board, uint32_t link)
{
	return &board_entry(board, link - 1)->slot;
}

/* Whether the header may be believed; who was stopped while changing it had no time for its sum. */
static bool
board_is_sound(const struct board *board)
{
	const struct board_header *header = board->header;

	return board_is_usable(board, board->mapped) && (header->changing || header->sum == board_sum_of(header));
}

/* It may have grown while we waited. */
static int
board_remap(struct board *board, struct error *err)
{
	struct stat st;

	if (fstat(board->fd, &st) < 0)
		return board_fail(board, err);
	return (size_t)st.st_size > board->mapped ? board_map(board, (size_t)st.st_size, err) : 0;
}

/* What stands in it is what others have left there; where it is damaged it is made anew. */
static int
board_take_up(struct board *board, struct error *err)
{
	struct board_header *header = board->header;

	if (!board_is_sound(board))
		return board_make_anew(board, err);
	if (header->changing) {
		checksum_release(board->checksum);
		board_tables_derive(board);
		board_begin_checksum(board);
		checksum_all(board->checksum);
	} else if (board->checksum->base != (void *)board->entries || board->checksum->size != board_entries_size(header->capacity)) {
		board_begin_checksum(board);
	}
	header->changing = 1;
	return 0;
}

int
board_lock(struct board *board, struct error *err)
{
	if (board_refresh(board, err) < 0 || board_lock_file(board, LOCK_EX, err) < 0)
		return -1;
	board->locked = true;
	if ((board_size_for(board->header->capacity) > board->mapped && board_remap(board, err) < 0) || board_take_up(board,
	    err) < 0) {
		board->locked = false;
		flock(board->fd, LOCK_UN);
		return -1;
	}
	atomic_signal_fence(memory_order_seq_cst);
	return 0;
}

bool
board_unlock(struct board *board)
{
	bool whole = !board->checksum->broken;
	struct error ignored;

	if (whole) {
		checksum_close(board->checksum);
		board->header->sum = board_sum_of(board->header);
	} else if (board_make_anew(board, &ignored) < 0) {
		/* Whoever comes next tries again: it has no magic. */
		checksum_release(board->checksum);
	}
	atomic_signal_fence(memory_order_seq_cst);
	board_let_go(board);
	return whole;
}

void
board_audit(struct board *board, bool all)
{
	struct board_header *header;
	struct error ignored;
	size_t blocks;

	if (board_lock(board, &ignored) < 0)
		return;
	header = board->header;
	blocks = checksum_count(board->checksum->size);
	if (header->audited >= blocks)
		header->audited = 0;
	checksum_check(board->checksum, all ? 0 : header->audited, all ? blocks : BOARD_AUDIT_BLOCKS);
	header->audited += BOARD_AUDIT_BLOCKS;
	board_unlock(board);
}
