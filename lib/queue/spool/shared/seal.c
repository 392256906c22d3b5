/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { LANES = 4, LINE = 9 }; /* bytes of a sum as a line */

static uint64_t
seal_word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

static uint64_t
seal_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 35;
}

/* Four sums side by side, since each multiplication waits for the one before. */
uint32_t
seal_sum(const void *bytes, size_t length, uint64_t place)
{
	uint64_t lane[LANES] = {place + 1, ~place, place * 3, length};
	const char *at = bytes, *end = at + length;
	char rest[8] = {0};

	for (; (size_t)(end - at) >= LANES * sizeof *lane; at += LANES * sizeof *lane)
		for (int i = 0; i < LANES; i++)
			lane[i] = seal_mix(lane[i], seal_word_at(at + (size_t)i * sizeof *lane));
	for (; (size_t)(end - at) >= sizeof *lane; at += sizeof *lane)
		lane[0] = seal_mix(lane[0], seal_word_at(at));
	memcpy(rest, at, (size_t)(end - at));
	lane[0] = seal_mix(seal_mix(seal_mix(seal_mix(lane[0], seal_word_at(rest)), lane[1]), lane[2]), lane[3]);
	return (uint32_t)(lane[0] ^ lane[0] >> 32);
}

size_t
seal_count(size_t size)
{
	return (size + SEAL_BLOCK - 1) / SEAL_BLOCK;
}

static uint32_t
seal_sum_of(const struct seal *seal, size_t block)
{
	size_t start = block * SEAL_BLOCK, left = seal->size - start;

	return seal_sum(seal->base + start, left < SEAL_BLOCK ? left : SEAL_BLOCK, block);
}

void
seal_begin(struct seal *seal, const void *base, size_t size, uint32_t *sums)
{
	seal_release(seal);
	*seal = (struct seal){.base = base, .size = size, .sums = sums, .open = memory_zeroed(seal_count(size) + 1, 1)};
}

void
seal_release(struct seal *seal)
{
	free(seal->open);
	free(seal->list);
	*seal = (struct seal){0};
}

void
seal_open_range(struct seal *seal, size_t first, size_t last)
{
	for (size_t block = first; block <= last; block++) {
		if (seal->open[block])
			continue;
		seal->broken |= seal_sum_of(seal, block) != seal->sums[block];
		seal->open[block] = 1;
		ARRAY_ROOM(seal->list, seal->count, seal->capacity);
		seal->list[seal->count++] = (uint32_t)block;
	}
}

void
seal_close(struct seal *seal)
{
	for (size_t i = 0; i < seal->count; i++)
		seal->sums[seal->list[i]] = seal_sum_of(seal, seal->list[i]);
	seal_forget(seal);
}

void
seal_forget(struct seal *seal)
{
	for (size_t i = 0; i < seal->count; i++)
		seal->open[seal->list[i]] = 0;
	seal->count = 0;
}

void
seal_all(struct seal *seal)
{
	for (size_t block = 0; block < seal_count(seal->size); block++)
		seal->sums[block] = seal_sum_of(seal, block);
	seal_forget(seal);
	seal->broken = false;
}

bool
seal_check(struct seal *seal, size_t first, size_t count)
{
	size_t end = seal_count(seal->size);

	if (end > first + count)
		end = first + count;
	for (size_t block = first; seal->open && block < end; block++)
		if (!seal->open[block])
			seal->broken |= seal_sum_of(seal, block) != seal->sums[block];
	return !seal->broken;
}

static void
seal_print_line(const struct buffer *text, size_t length, char line[LINE + 1])
{
	snprintf(line, LINE + 1, "%08" PRIx32 "\n", seal_sum(text->data, length, 0));
}

void
seal_add_line(struct buffer *text)
{
	char line[LINE + 1];

	seal_print_line(text, text->length, line);
	buffer_text(text, line);
}

bool
seal_take_line(struct buffer *text)
{
	char line[LINE + 1];

	if (text->length < LINE)
		return false;
	seal_print_line(text, text->length - LINE, line);
	if (memcmp(text->data + text->length - LINE, line, LINE) != 0)
		return false;
	text->length -= LINE;
	text->data[text->length] = '\0';
	return true;
}
