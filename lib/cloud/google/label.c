/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/label.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "content/content.h"

enum { LABEL_LENGTH = 63, SUM_LENGTH = 32 };

const char *
google_label(const char *value, struct arena *arena, bool *whole)
{
	struct buffer text = {0};
	char sum[CONTENT_DIGEST_SIZE];
	const char *label;

	for (const char *at = value; *at; at++)
		if ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '-')
			buffer_byte(&text, *at);
		else
			buffer_printf(&text, "_%02x", (unsigned char)*at);
	*whole = text.length <= LABEL_LENGTH;
	if (*whole) {
		label = arena_string(arena, buffer_string(&text));
	} else {
		content_digest(value, strlen(value), sum);
		label = arena_printf(arena, "%.*s__%.*s", LABEL_LENGTH - SUM_LENGTH - 2, text.data, SUM_LENGTH, sum);
	}
	buffer_release(&text);
	return label;
}

const char *
google_label_value(const char *label, struct arena *arena)
{
	char *value = arena_string(arena, label), *to = value;

	for (const char *at = label; *at; at++) {
		unsigned code;

		if (*at != '_') {
			*to++ = *at;
		} else if (strlen(at) > 2 && strspn(at + 1, "0123456789abcdef") >= 2 && sscanf(at + 1, "%2x", &code) == 1 && code > 0) {
			*to++ = (char)code;
			at += 2;
		} else {
			return NULL;
		}
	}
	*to = '\0';
	return value;
}
