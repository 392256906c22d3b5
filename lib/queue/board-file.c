/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/board-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "queue/board-tables.h"
#include "queue/spool.h"

enum { VERSION = 2 };

static const char magic[8] = "cooprbd";

_Static_assert(sizeof(struct board_header) <= BOARD_HEADER_SIZE, "the header has its place");

static size_t
size_for(uint32_t capacity)
{
	return BOARD_HEADER_SIZE + (size_t)capacity * sizeof(struct board_entry);
}

static int
fail(const struct board *board, struct error *err)
{
	return error_errno(err, EX_IOERR, "%s/board", board->spool->path);
}

static int
lock_file(const struct board *board, int how, struct error *err)
{
	return lock_wait(board->fd, how) < 0 ? fail(board, err) : 0;
}

static void
unmap(struct board *board)
{
	if (board->header)
		munmap(board->header, board->mapped);
	board->header = NULL;
	board->entries = NULL;
}

static void
attach(struct board *board, void *bytes, size_t size)
{
	board->header = bytes;
	board->entries = (void *)((char *)bytes + BOARD_HEADER_SIZE);
	board->mapped = size;
}

static int
map(struct board *board, size_t size, struct error *err)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd, 0);

	if (bytes == MAP_FAILED)
		return fail(board, err);
	unmap(board);
	attach(board, bytes, size);
	return 0;
}

/* With blocks behind it: rather an error now than SIGBUS later. */
int
board_grow(struct board *board, uint32_t capacity, struct error *err)
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

static int
make_anew(struct board *board, struct error *err)
{
	struct board_header *header;

	if (board_grow(board, BOARD_FIRST_CAPACITY, err) < 0)
		return -1;
	header = board->header;
	memset(header, 0, board->mapped);
	header->version = VERSION;
	header->capacity = BOARD_FIRST_CAPACITY;
	header->next_order = header->next_arrival = 1;
	header->max = QUEUE_UNLIMITED;
	snprintf(header->boot, sizeof header->boot, "%s", board->spool->boot);
	if (board_fill(board, err) < 0)
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
	if (usable == 0 && (usable = lock_file(board, LOCK_EX, err)) == 0) {
		/* Another may have been faster. */
		usable = map_usable(board, err);
		if (usable == 0)
			usable = make_anew(board, err);
		flock(board->fd, LOCK_UN);
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
	attach(board, bytes, (size_t)st.st_size);
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
	mapped = (board->mapped - BOARD_HEADER_SIZE) / sizeof *board->entries;
	return board->header->count < mapped ? board->header->count : (uint32_t)mapped;
}

struct board_slot *
board_slot(const struct board *board, uint32_t link)
{
	return &board->entries[link - 1].slot;
}

int
board_lock(struct board *board, struct error *err)
{
	if (board_refresh(board, err) < 0 || lock_file(board, LOCK_EX, err) < 0)
		return -1;
	/* It may have grown while we waited. */
	if (size_for(board->header->capacity) > board->mapped &&
	    map(board, size_for(board->header->capacity), err) < 0) {
		flock(board->fd, LOCK_UN);
		return -1;
	}
	if (board->header->changing)
		board_tables_derive(board);
	board->header->changing = 1;
	atomic_signal_fence(memory_order_seq_cst);
	return 0;
}

void
board_unlock(struct board *board)
{
	atomic_signal_fence(memory_order_seq_cst);
	board->header->changing = 0;
	flock(board->fd, LOCK_UN);
}
