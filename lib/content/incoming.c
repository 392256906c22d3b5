/* SPDX-License-Identifier: Apache-2.0 */
#include "content/incoming.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"

enum { INCOMING_BLOCK = 64 * 1024 };

int
incoming_file(struct error *err)
{
	char *state = location_state(), *folder = memory_printf("%s/resources", state);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = open(state, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("incoming", MFD_CLOEXEC);
	free(folder);
	free(state);
	return fd < 0 ? error_errno(err, EX_OSERR, "memory for what comes") : fd;
}

static int
incoming_open(struct incoming *incoming, struct error *err)
{
	*incoming = (struct incoming){.fd = incoming_file(err), .bytes = ""};
	return incoming->fd < 0 ? -1 : 0;
}

/* Ends what has written the file: result is what has come of that. */
static int
incoming_end(struct incoming *incoming, int result, struct error *err)
{
	void *bytes = MAP_FAILED;

	if (result == 0 && lseek(incoming->fd, 0, SEEK_SET) < 0)
		result = error_errno(err, EX_IOERR, "what has come");
	if (result == 0 && incoming->length > 0) {
		bytes = mmap(NULL, incoming->length, PROT_READ, MAP_PRIVATE, incoming->fd, 0);
		if (bytes == MAP_FAILED)
			result = error_errno(err, EX_OSERR, "memory for what has come");
		else
			incoming->bytes = bytes;
	}
	if (result < 0) {
		close(incoming->fd);
		*incoming = (struct incoming){.fd = -1, .bytes = ""};
	}
	return result;
}

int
incoming_read(struct incoming *incoming, int from, const char *name, size_t limit, struct error *err)
{
	char block[INCOMING_BLOCK];
	ssize_t got = 0;
	int result = 0;

	if (incoming_open(incoming, err) < 0)
		return -1;
	while (result == 0 && ((got = read(from, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))) {
		if (got < 0)
			continue;
		if ((size_t)got > limit - incoming->length)
			result = error_too_large(err, name, limit);
		else if (file_write_all(incoming->fd, block, (size_t)got) < 0)
			result = error_errno(err, EX_IOERR, "%s: keeping it while it is read", name);
		else
			incoming->length += (size_t)got;
	}
	if (result == 0 && got < 0)
		result = error_errno(err, EX_NOINPUT, "%s", name);
	return incoming_end(incoming, result, err);
}

int
incoming_copy(struct incoming *incoming, const void *bytes, size_t length, struct error *err)
{
	if (incoming_open(incoming, err) < 0)
		return -1;
	incoming->length = length;
	return incoming_end(incoming, file_write_all(incoming->fd, bytes, length) < 0 ? error_errno(err, EX_IOERR, "a copy of %zu bytes",
	    length) : 0, err);
}

void
incoming_release(struct incoming *incoming)
{
	if (incoming->length > 0)
		munmap((void *)(uintptr_t)incoming->bytes, incoming->length);
	if (incoming->bytes && incoming->fd >= 0)
		close(incoming->fd);
	*incoming = (struct incoming){.fd = -1};
}
