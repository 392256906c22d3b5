/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { FIRST_SIZE = 1024, BLOCK_SIZE = 32 * 1024 }; /* of the blocks of an arena: the first one, the largest */

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static void *
memory_present(void *block)
{
	if (!block) {
		/* message() would want memory. */
		fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
		exit(EX_OSERR);
	}
	return block;
}

void *
memory_resize(void *block, size_t count, size_t size)
{
	return memory_present(reallocarray(block, count ? count : 1, size));
}

void *
memory_zeroed(size_t count, size_t size)
{
	return memory_present(calloc(count ? count : 1, size));
}

void *
memory_aligned(size_t alignment, size_t size)
{
	return memset(memory_present(aligned_alloc(alignment, size)), 0, size);
}

char *
memory_string(const char *text)
{
	return memory_present(strdup(text));
}

char *
memory_substring(const char *text, size_t length)
{
	char *copy = memory_resize(NULL, length + 1, 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *
memory_vprintf(const char *format, va_list ap)
{
	char *text;

	return memory_present(vasprintf(&text, format, ap) < 0 ? NULL : text);
}

char *
memory_printf(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	return text;
}

static struct arena_block *
memory_arena_grow(struct arena *arena, size_t size)
{
	size_t room = arena->newest ? 2 * arena->newest->size : FIRST_SIZE;
	struct arena_block *block;

	if (room > BLOCK_SIZE)
		room = BLOCK_SIZE;
	if (room < size)
		room = size;
	if (room > SIZE_MAX - sizeof *block)
		memory_present(NULL);
	block = memory_present(calloc(1, sizeof *block + room));
	block->size = room;
	block->older = arena->newest;
	arena->newest = block;
	return block;
}

void *
arena_alloc(struct arena *arena, size_t count, size_t size)
{
	const size_t mask = alignof(max_align_t) - 1;
	struct arena_block *block = arena->newest;
	size_t bytes;
	void *place;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - mask)
		memory_present(NULL);
	bytes = (bytes + mask) & ~mask;
	if (!block || block->size - block->used < bytes)
		block = memory_arena_grow(arena, bytes);
	place = block->bytes + block->used;
	block->used += bytes;
	return place;
}

char *
arena_substring(struct arena *arena, const char *text, size_t length)
{
	return memcpy(arena_alloc(arena, length + 1, 1), text, length);
}

char *
arena_string(struct arena *arena, const char *text)
{
	return arena_substring(arena, text, strlen(text));
}

char *
arena_printf(struct arena *arena, const char *format, ...)
{
	va_list ap, again;
	char *text;
	int length;

	va_start(ap, format);
	va_copy(again, ap);
	length = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1, 1);
	vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
	va_end(again);
	return text;
}

static void
memory_arena_free(struct arena_block *block)
{
	struct arena_block *older;

	for (; block; block = older) {
		older = block->older;
		free(block);
	}
}

void
arena_release(struct arena *arena)
{
	memory_arena_free(arena->newest);
	arena->newest = NULL;
}

void
arena_clear(struct arena *arena)
{
	struct arena_block *block = arena->newest;

	if (!block)
		return;
	memory_arena_free(block->older);
	block->older = NULL;
	memset(block->bytes, 0, block->used);
	block->used = 0;
}
