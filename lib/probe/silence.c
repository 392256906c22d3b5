/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"

enum { FILE_BYTES = 16 << 20 };

static char *
silence_path_of(const char *cluster)
{
	char *state = location_state(), *path = memory_printf("%s/clusters/%s/unreachable", state, cluster);

	free(state);
	return path;
}

void
silence_read(struct silence *silence, const char *cluster)
{
	char *path = silence_path_of(cluster), *line, *rest;
	struct buffer text = {0};
	struct error ignored; /* then they have not answered since now */

	*silence = (struct silence){0};
	if (file_exists(AT_FDCWD, path) && file_read(AT_FDCWD, path, FILE_BYTES, &text, &ignored) == 0 && text.data)
		for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			char *blank = strchr(line, ' ');
			int64_t since_ms = blank ? strtoll(blank + 1, NULL, 10) : 0;

			if (since_ms > 0) {
				*blank = '\0';
				silence_add(silence, line, since_ms);
			}
		}
	buffer_release(&text);
	free(path);
}

int64_t
silence_since(const struct silence *silence, const char *node)
{
	for (size_t i = 0; i < silence->count; i++)
		if (strcmp(silence->list[i].node, node) == 0)
			return silence->list[i].since_ms;
	return 0;
}

void
silence_add(struct silence *silence, const char *node, int64_t since_ms)
{
	ARRAY_ROOM(silence->list, silence->count, silence->capacity);
	silence->list[silence->count++] = (struct silent){arena_string(&silence->arena, node), since_ms};
}

static bool
silence_is_same(const struct silence *a, const struct silence *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (silence_since(b, a->list[i].node) != a->list[i].since_ms)
			return false;
	return a->count == b->count;
}

int
silence_keep(const struct silence *silence, const struct silence *was, const char *cluster, struct error *err)
{
	char *path = silence_path_of(cluster);
	struct buffer text = {0};
	int result = 0;

	for (size_t i = 0; i < silence->count; i++)
		buffer_printf(&text, "%s %" PRId64 "\n", silence->list[i].node, silence->list[i].since_ms);
	if (silence_is_same(silence, was))
		result = 0;
	else if (silence->count)
		result = file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	else if (unlink(path) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", path);
	buffer_release(&text);
	free(path);
	return result;
}

void
silence_release(struct silence *silence)
{
	free(silence->list);
	arena_release(&silence->arena);
	*silence = (struct silence){0};
}
