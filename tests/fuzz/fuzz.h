/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. Each file next to this one is a target: libFuzzer calls LLVMFuzzerTestOneInput with bytes of
 * its own making. A target aborts where a promise of the parser is broken; sanitizers look for the rest.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "json/place.h"
#include "json/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run with a message where a promise does not hold. */
static inline void
fuzz_promise(bool holds, const char *promise)
{
	if (holds)
		return;
	fprintf(stderr, "broken promise: %s\n", promise);
	abort();
}

/* The value that the bytes are; invalid where they are none. Owned by the caller. */
static inline jv
fuzz_value(const uint8_t *data, size_t size)
{
	struct error err = {0};
	jv value;

	if (json_parse("input", (const char *)data, size, &value, &err) == 0)
		return value;
	fuzz_promise(err.code == EX_DATAERR && *err.text, "what is no JSON is EX_DATAERR and has a reason");
	return jv_invalid();
}

/* A reader of the bytes as a stream. */
static inline struct record_reader
fuzz_stream(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct record_reader reader;

	if (fd < 0 || file_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	record_reader_init(&reader, fd, "input");
	return reader;
}

static inline void
fuzz_stream_end(struct record_reader *reader)
{
	close(reader->fd);
	record_reader_release(reader);
}

/* What the bytes of a buffer are: a record that we printed must be one we read. Owned by the caller. */
static inline jv
fuzz_reread(const struct buffer *text)
{
	struct error err;
	jv value;

	fuzz_promise(json_parse("printed", text->data, text->length, &value, &err) == 0, "what is printed can be read");
	return value;
}

#endif
