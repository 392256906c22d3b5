/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/frame.h"

#include <stdint.h>

#include "base/buffer.h"

void
frame_append(struct buffer *out, enum frame_kind kind, const void *bytes, size_t length)
{
	const char head[FRAME_HEAD] = {(char)kind, (char)(length >> 24 & 255), (char)(length >> 16 & 255), (char)(length >> 8 & 255),
	    (char)(length & 255)};

	buffer_append(out, head, sizeof head);
	buffer_append(out, bytes, length);
}

int
frame_take(const char *text, size_t length, size_t *at, struct frame *frame)
{
	const unsigned char *head = (const unsigned char *)text + *at;
	size_t left = length - *at, size;

	if (left < FRAME_HEAD)
		return left > 0 && (*head < FRAME_OUT || *head > FRAME_LEFT) ? -1 : 0;
	size = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if (*head < FRAME_OUT || *head > FRAME_LEFT || size > FRAME_MAX)
		return -1;
	if (left - FRAME_HEAD < size)
		return 0;
	*frame = (struct frame){.kind = (enum frame_kind)*head, .bytes = text + *at + FRAME_HEAD, .length = size};
	*at += FRAME_HEAD + size;
	return 1;
}
