/* SPDX-License-Identifier: Apache-2.0
 *
 * FNV-1a, 64 bits: a number for names that nobody chooses to collide. The numbers stand in files and in names of machines, so
 * they stay the same from version to version. A table whose keys come from a document uses base/names.h.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Each returns the hash of what was hashed so far with something behind it: length bytes, a text without its NUL, or a text and
 * a mark of its end, so that "a", "bc" is not "ab", "c". */
uint64_t hash_bytes(uint64_t hash, const void *data, size_t length);
uint64_t hash_text(uint64_t hash, const char *text);
uint64_t hash_field(uint64_t hash, const char *text);

#endif
