/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *
buffer_room(struct buffer *buffer, size_t length)
{
	size_t need = buffer->length + length + 1;

	if (need < length)
		need = SIZE_MAX;
	if (need > buffer->capacity) {
		size_t twice = buffer->capacity * 2;

		buffer->capacity = need > twice ? need : twice;
		if (buffer->capacity < 64)
			buffer->capacity = 64;
		buffer->data = memory_resize(buffer->data, buffer->capacity, 1);
		buffer->data[buffer->length] = '\0';
	}
	return buffer->data + buffer->length;
}

void
buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
	char *room = buffer_room(buffer, length);

	if (length)
		memcpy(room, bytes, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void
buffer_text(struct buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

void
buffer_byte(struct buffer *buffer, char byte)
{
	buffer_append(buffer, &byte, 1);
}

void
buffer_netstring(struct buffer *buffer, const char *text)
{
	if (text)
		buffer_printf(buffer, "%zu:%s,", strlen(text), text);
	else
		buffer_text(buffer, "-,");
}

void
buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list ap, again;
	int length;

	va_start(ap, format);
	va_copy(again, ap);
	length = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (length > 0) {
		vsnprintf(buffer_room(buffer, (size_t)length), (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
}

const char *
buffer_string(const struct buffer *buffer)
{
	return buffer->data ? buffer->data : "";
}

bool
buffer_contains(const struct buffer *buffer, const char *text)
{
	return buffer->length && memmem(buffer->data, buffer->length, text, strlen(text));
}

void
buffer_drop(struct buffer *buffer, size_t length)
{
	if (!length)
		return;
	memmove(buffer->data, buffer->data + length, buffer->length - length + 1);
	buffer->length -= length;
}

void
buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

char *
buffer_take(struct buffer *buffer)
{
	char *text = buffer_room(buffer, 0) - buffer->length;

	*buffer = (struct buffer){0};
	return text;
}

void
buffer_print(struct buffer *buffer)
{
	if (buffer->length > 0)
		fwrite(buffer->data, 1, buffer->length, stdout);
	buffer_release(buffer);
}

void
buffer_release(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}
