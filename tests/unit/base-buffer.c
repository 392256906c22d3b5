/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tap.h"

static void
test_append(void)
{
	struct buffer buffer = {0};

	tap_ok(!buffer.data, "a new buffer has no memory");
	tap_is_text(buffer_string(&buffer), "", "and an empty text");
	tap_ok(!buffer_contains(&buffer, ""), "in which nothing stands");
	buffer_append(&buffer, "a\0b", 3);
	tap_is_number(buffer.length, 3, "a NUL byte is a byte like another");
	tap_is_number(buffer.data[3], 0, "a NUL stands behind the last byte");
	tap_ok(buffer_contains(&buffer, "b") && !buffer_contains(&buffer, "ab"), "a text is found behind a NUL too");
	buffer_append(&buffer, NULL, 0);
	tap_is_number(buffer.length, 3, "nothing may be appended");
	buffer_clear(&buffer);
	buffer_printf(&buffer, "%d-%s", 42, "x");
	buffer_byte(&buffer, '!');
	buffer_text(&buffer, "?");
	tap_is_text(buffer.data, "42-x!?", "text, bytes and formats follow one another");
	buffer_drop(&buffer, 3);
	tap_is_text(buffer.data, "x!?", "the first bytes can be dropped");
	buffer_drop(&buffer, 3);
	tap_is_text(buffer.data, "", "all bytes can be dropped");
	buffer_netstring(&buffer, "a,1:b");
	buffer_netstring(&buffer, "");
	buffer_netstring(&buffer, NULL);
	tap_is_text(buffer.data, "5:a,1:b,0:,-,", "texts stand with their lengths, and none is another than an empty one");
	buffer_release(&buffer);
	tap_ok(!buffer.data && !buffer.capacity, "a released buffer is as new");
}

static void
test_growth(void)
{
	struct buffer buffer = {0};
	bool whole = true;

	for (int i = 0; i < 100000; i++)
		buffer_byte(&buffer, (char)('a' + i % 26));
	for (int i = 0; i < 100000; i++)
		whole = whole && buffer.data[i] == 'a' + i % 26;
	tap_ok(whole && buffer.length == 100000, "growing keeps what is there");
	buffer_release(&buffer);
}

static void
test_take(void)
{
	struct buffer buffer = {0};
	char *empty = buffer_take(&buffer), *text;

	tap_is_text(empty, "", "an empty buffer gives an empty string");
	buffer_text(&buffer, "mine");
	text = buffer_take(&buffer);
	tap_is_text(text, "mine", "the text can be taken");
	tap_ok(!buffer.data && !buffer.length, "the buffer is empty afterwards");
	free(empty);
	free(text);
}

static void
test_arena(void)
{
	struct arena arena = {0};
	char *first = arena_string(&arena, "first"), *big = arena_alloc(&arena, 1 << 20, 1), *part;
	long double *aligned = arena_alloc(&arena, 3, sizeof *aligned);
	bool zero = true;

	for (int i = 0; i < 1 << 20; i++)
		zero = zero && !big[i];
	part = arena_substring(&arena, "whole text", 5);
	tap_ok(zero, "memory of an arena is zeroed");
	tap_ok((size_t)aligned % _Alignof(long double) == 0, "and aligned for any type");
	tap_is_text(first, "first", "a string stays where it is while the arena grows");
	tap_is_text(part, "whole", "part of a text is a string");
	tap_is_text(arena_printf(&arena, "%s/%d", part, 7), "whole/7", "a format gives a string");
	arena_release(&arena);
	tap_is_text(arena_string(&arena, "again"), "again", "a released arena may be used anew");
	arena_release(&arena);
}

int
main(void)
{
	test_append();
	test_growth();
	test_take();
	test_arena();
	return tap_end();
}
