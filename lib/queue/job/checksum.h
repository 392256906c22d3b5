/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums over a mapped file, one for each small block, so that damage shows where it is about to be believed: a block is compared
 * with its sum when it is first touched under the file's lock, and gets a new sum before the lock is released. What that costs
 * depends on what is touched, not on the size of the file.
 */
#ifndef QUEUE_JOB_CHECKSUM_H
#define QUEUE_JOB_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

enum { CHECKSUM_BLOCK = 512 };

struct checksum {
	const char *base; /* of what is sealed */
	size_t size;
	uint32_t *sums;   /* one for each block */
	uint8_t *open;    /* by block: it was touched; NULL: nothing is looked at */
	uint32_t *list;   /* of those */
	size_t count, capacity;
	bool broken;      /* one was found that is not what its sum says */
};

/* The sum of some bytes that stand at that place. */
uint32_t checksum_sum(const void *bytes, size_t length, uint64_t place);

/* Returns how many sums that many bytes have. */
size_t checksum_count(size_t size);

/* From here on touches are looked at. Release it when the file is not mapped any more. */
void checksum_begin(struct checksum *checksum, const void *base, size_t size, uint32_t *sums);
void checksum_release(struct checksum *checksum);

void checksum_open_range(struct checksum *checksum, size_t first, size_t last);

/* To be called before what stands there is read or changed. */
static inline void
checksum_touch(struct checksum *checksum, const void *at, size_t length)
{
	size_t first, last;

	if (!checksum->open)
		return;
	first = (size_t)((const char *)at - checksum->base) / CHECKSUM_BLOCK;
	last = ((size_t)((const char *)at - checksum->base) + length - 1) / CHECKSUM_BLOCK;
	if (!checksum->open[first] || !checksum->open[last])
		checksum_open_range(checksum, first, last);
}

/* Gives what was touched new sums; or leaves the sums as they are. Either way it is looked at again when it is touched next. */
void checksum_close(struct checksum *checksum);
void checksum_forget(struct checksum *checksum);

/* Gives everything its sum; and compares everything, from one block on and so many: false and broken where one differs. */
void checksum_all(struct checksum *checksum);
bool checksum_check(struct checksum *checksum, size_t first, size_t count);

/* The same for a small text as a whole: adds a line with its sum; and takes that off again, false where it is not right. */
void checksum_add_line(struct buffer *text);
bool checksum_take_line(struct buffer *text);

#endif
