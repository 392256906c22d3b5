/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { LANES = 4, LINE = 9 }; /* bytes of a sum as a line */

static uint64_t
checksum_word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

static uint64_t
checksum_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 35;
}

/* Four sums side by side, since each multiplication waits for the one before. */
uint32_t
checksum_sum(const void *bytes, size_t length, uint64_t place)
{
	uint64_t lane[LANES] = {place + 1, ~place, place * 3, length};
	const char *at = bytes, *end = at + length;
	char rest[8] = {0};

	for (; (size_t)(end - at) >= LANES * sizeof *lane; at += LANES * sizeof *lane)
		for (int i = 0; i < LANES; i++)
			lane[i] = checksum_mix(lane[i], checksum_word_at(at + (size_t)i * sizeof *lane));
	for (; (size_t)(end - at) >= sizeof *lane; at += sizeof *lane)
		lane[0] = checksum_mix(lane[0], checksum_word_at(at));
	memcpy(rest, at, (size_t)(end - at));
	lane[0] = checksum_mix(checksum_mix(checksum_mix(checksum_mix(lane[0], checksum_word_at(rest)), lane[1]), lane[2]), lane[3]);
	return (uint32_t)(lane[0] ^ lane[0] >> 32);
}

size_t
checksum_count(size_t size)
{
	return (size + CHECKSUM_BLOCK - 1) / CHECKSUM_BLOCK;
}

static uint32_t
checksum_sum_of(const struct checksum *checksum, size_t block)
{
	size_t start = block * CHECKSUM_BLOCK, left = checksum->size - start;

	return checksum_sum(checksum->base + start, left < CHECKSUM_BLOCK ? left : CHECKSUM_BLOCK, block);
}

void
checksum_begin(struct checksum *checksum, const void *base, size_t size, uint32_t *sums)
{
	checksum_release(checksum);
	*checksum = (struct checksum){.base = base, .size = size, .sums = sums, .open = memory_zeroed(checksum_count(size) + 1, 1)};
}

void
checksum_release(struct checksum *checksum)
{
	free(checksum->open);
	free(checksum->list);
	*checksum = (struct checksum){0};
}

void
checksum_open_range(struct checksum *checksum, size_t first, size_t last)
{
	for (size_t block = first; block <= last; block++) {
		if (checksum->open[block])
			continue;
		checksum->broken |= checksum_sum_of(checksum, block) != checksum->sums[block];
		checksum->open[block] = 1;
		ARRAY_ROOM(checksum->list, checksum->count, checksum->capacity);
		checksum->list[checksum->count++] = (uint32_t)block;
	}
}

void
checksum_close(struct checksum *checksum)
{
	for (size_t i = 0; i < checksum->count; i++)
		checksum->sums[checksum->list[i]] = checksum_sum_of(checksum, checksum->list[i]);
	checksum_forget(checksum);
}

void
checksum_forget(struct checksum *checksum)
{
	for (size_t i = 0; i < checksum->count; i++)
		checksum->open[checksum->list[i]] = 0;
	checksum->count = 0;
}

void
checksum_all(struct checksum *checksum)
{
	for (size_t block = 0; block < checksum_count(checksum->size); block++)
		checksum->sums[block] = checksum_sum_of(checksum, block);
	checksum_forget(checksum);
	checksum->broken = false;
}

bool
checksum_check(struct checksum *checksum, size_t first, size_t count)
{
	size_t end = checksum_count(checksum->size);

	if (end > first + count)
		end = first + count;
	for (size_t block = first; checksum->open && block < end; block++)
		if (!checksum->open[block])
			checksum->broken |= checksum_sum_of(checksum, block) != checksum->sums[block];
	return !checksum->broken;
}

static void
checksum_print_line(const struct buffer *text, size_t length, char line[LINE + 1])
{
	snprintf(line, LINE + 1, "%08" PRIx32 "\n", checksum_sum(text->data, length, 0));
}

void
checksum_add_line(struct buffer *text)
{
	char line[LINE + 1];

	checksum_print_line(text, text->length, line);
	buffer_text(text, line);
}

bool
checksum_take_line(struct buffer *text)
{
	char line[LINE + 1];

	if (text->length < LINE)
		return false;
	checksum_print_line(text, text->length - LINE, line);
	if (memcmp(text->data + text->length - LINE, line, LINE) != 0)
		return false;
	text->length -= LINE;
	text->data[text->length] = '\0';
	return true;
}
