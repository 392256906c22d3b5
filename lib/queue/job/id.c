/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/id.h"

#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "queue/queue.h"

bool
id_is_valid(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length >= QUEUE_ID_SIZE || text[0] == '.')
		return false;
	for (; *text; text++)
		if (!isascii((unsigned char)*text) || (!isalnum((unsigned char)*text) && !strchr("_.-", *text)))
			return false;
	return true;
}

uint64_t
id_hash(const char *id)
{
	uint64_t hash = hash_text(HASH_START, id);

	return hash ? hash : 1;
}
