/* SPDX-License-Identifier: Apache-2.0 */
#include "json/key.h"

#include <stdlib.h>
#include <string.h>

int
key_hex4(const char *digits)
{
	static const char values[] = "0123456789abcdefABCDEF";
	int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *found = memchr(values, digits[i], sizeof values - 1);

		if (!found)
			return -1;
		value = 16 * value + (int)(found - values) - (found - values > 15 ? 6 : 0);
	}
	return value;
}

/* A way through a key's UTF-8 text with its escapes decoded; pending holds the rest of a decoded one. */
struct key_bytes {
	const char *at, *end;
	unsigned char pending[4];
	int pending_count;
};

static void
key_put_utf8(struct key_bytes *k, unsigned code)
{
	unsigned char *p = k->pending;

	/* Kept backwards: the next byte is pending[pending_count - 1]. */
	if (code < 0x80) {
		p[k->pending_count++] = (unsigned char)code;
		return;
	}
	for (unsigned lead = 0xc0, room = 0x1f;; lead = 0x80 | lead >> 1, room >>= 1) {
		p[k->pending_count++] = (unsigned char)(0x80 | (code & 0x3f));
		code >>= 6;
		if (code <= room) {
			p[k->pending_count++] = (unsigned char)((lead | code) & 0xff);
			return;
		}
	}
}

static void
key_decode_escape(struct key_bytes *k)
{
	static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
	const char *name;
	unsigned code;

	if (*k->at != 'u') {
		name = strchr(names, *k->at);
		key_put_utf8(k, (unsigned char)(name ? values[name - names] : *k->at));
		k->at++;
		return;
	}
	code = (unsigned)key_hex4(k->at + 1);
	k->at += 5;
	if (code >= 0xd800 && code <= 0xdbff) {
		code = 0x10000 + ((code - 0xd800) << 10) + ((unsigned)key_hex4(k->at + 2) - 0xdc00);
		k->at += 6;
	}
	key_put_utf8(k, code);
}

/* The next byte, -1 at the end. */
static int
key_next_byte(struct key_bytes *k)
{
	if (k->pending_count == 0) {
		if (k->at == k->end)
			return -1;
		if (*k->at != '\\')
			return (unsigned char)*k->at++;
		k->at++;
		key_decode_escape(k);
	}
	return k->pending[--k->pending_count];
}

static int
key_compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	struct key_bytes x = {.at = a->text, .end = a->text + a->length}, y = {.at = b->text, .end = b->text + b->length};
	int i, j;

	if (!a->escaped && !b->escaped) {
		size_t common = a->length < b->length ? a->length : b->length;
		int order = memcmp(a->text, b->text, common);

		return order ? order : (a->length > b->length) - (a->length < b->length);
	}
	do {
		i = key_next_byte(&x);
		j = key_next_byte(&y);
	} while (i == j && i >= 0);
	return i - j;
}

const struct key *
key_find_twice(struct key *keys, size_t count)
{
	size_t sorted = 1;

	/* Programs print names in their order, mostly. */
	while (sorted < count && key_compare_keys(&keys[sorted - 1], &keys[sorted]) < 0)
		sorted++;
	if (sorted >= count)
		return NULL;
	qsort(keys, count, sizeof *keys, key_compare_keys);
	for (size_t i = 1; i < count; i++)
		if (key_compare_keys(&keys[i - 1], &keys[i]) == 0)
			return keys[i].text > keys[i - 1].text ? &keys[i] : &keys[i - 1];
	return NULL;
}
