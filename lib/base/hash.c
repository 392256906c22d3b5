/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

static uint64_t
hash_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * UINT64_C(0x100000001b3);
}

uint64_t
hash_bytes(uint64_t hash, const void *data, size_t length)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < length; i++)
		hash = hash_byte(hash, bytes[i]);
	return hash;
}

uint64_t
hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_byte(hash, (unsigned char)*text);
	return hash;
}

uint64_t
hash_field(uint64_t hash, const char *text)
{
	return hash_byte(hash_text(hash, text), 0xff);
}
