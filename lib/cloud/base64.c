/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/base64.h"

#include <sodium.h>

#include "base/memory.h"

static char *
base64_write(const void *bytes, size_t length, int variant)
{
	size_t size = sodium_base64_encoded_len(length, variant);

	return sodium_bin2base64(memory_zeroed(size, 1), size, bytes, length, variant);
}

char *
base64_encode(const void *bytes, size_t length)
{
	return base64_write(bytes, length, sodium_base64_VARIANT_ORIGINAL);
}

char *
base64_encode_url(const void *bytes, size_t length)
{
	return base64_write(bytes, length, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
