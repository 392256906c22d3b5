/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of any length in base64, by libsodium, as requests to clouds have them.
 */
#ifndef CLOUD_BASE64_H
#define CLOUD_BASE64_H

#include <stddef.h>

/* Return the bytes in base64, which the caller frees; the second in the alphabet of URLs, without padding. */
char *base64_encode(const void *bytes, size_t length);
char *base64_encode_url(const void *bytes, size_t length);

#endif
