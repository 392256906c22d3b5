/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that grow. Zero-initialise, append, release. data is NULL while nothing was
 * ever appended; otherwise a NUL stands behind the last byte, and is not counted.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *data;
	size_t length, capacity;
};

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_byte(struct buffer *buffer, char byte);
void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a text as a netstring, with its length before it, and "-," for NULL: no row of texts can be taken for another. */
void buffer_netstring(struct buffer *buffer, const char *text);

/* Returns the text, "" if nothing was ever appended; it lives until the buffer changes. */
const char *buffer_string(const struct buffer *buffer);

/* Returns whether text stands in it. */
bool buffer_contains(const struct buffer *buffer, const char *text);

/* Makes room for length more bytes and returns where they go. The caller adds to buffer->length. */
char *buffer_room(struct buffer *buffer, size_t length);

/* Drops the first length bytes. */
void buffer_drop(struct buffer *buffer, size_t length);

/* Empties it, keeping the memory. */
void buffer_clear(struct buffer *buffer);

/* Returns the text as a string that the caller frees; the buffer is empty afterwards. */
char *buffer_take(struct buffer *buffer);

/* Prints the text on stdout, and releases the buffer; message_end tells whether it could be written. */
void buffer_print(struct buffer *buffer);

void buffer_release(struct buffer *buffer);

#endif
