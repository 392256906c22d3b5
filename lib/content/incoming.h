/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that arrive, before it is known whether they are kept: in a file without a name, beside what is kept, so that many who send
 * much at once take the disk's room for a moment and not the memory. Where there is no such place they are in memory.
 */
#ifndef CONTENT_INCOMING_H
#define CONTENT_INCOMING_H

#include <stddef.h>

struct error;

struct incoming { /* release it */
	int fd;            /* of the file, at its beginning */
	const char *bytes; /* all of it, mapped; "" where there is nothing */
	size_t length;
};

/* Returns a new file without a name, for bytes that are on their way. */
int incoming_file(struct error *err);

/* Reads all that comes from a descriptor; name stands in messages. EX_DATAERR where it is more than limit. */
int incoming_read(struct incoming *incoming, int from, const char *name, size_t limit, struct error *err);

/* Takes a copy of bytes, for a program that reads them from a file. */
int incoming_copy(struct incoming *incoming, const void *bytes, size_t length, struct error *err);

void incoming_release(struct incoming *incoming);

#endif
