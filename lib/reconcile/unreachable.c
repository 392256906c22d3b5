/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/unreachable.h"

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
unreachable_path_of(const char *cluster)
{
	char *state = location_state(), *path = memory_printf("%s/clusters/%s/unreachable", state, cluster);

	free(state);
	return path;
}

void
unreachable_read(struct unreachable *unreachable, const char *cluster)
{
	char *path = unreachable_path_of(cluster), *line, *rest;
	struct buffer text = {0};
	struct error ignored; /* then they have not answered since now */

	*unreachable = (struct unreachable){0};
	if (file_exists(AT_FDCWD, path) && file_read(AT_FDCWD, path, FILE_BYTES, &text, &ignored) == 0 && text.data)
		for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			char *blank = strchr(line, ' ');
			int64_t since_ms = blank ? strtoll(blank + 1, NULL, 10) : 0;

			if (since_ms > 0) {
				*blank = '\0';
				unreachable_add(unreachable, line, since_ms);
			}
		}
	buffer_release(&text);
	free(path);
}

int64_t
unreachable_since(const struct unreachable *unreachable, const char *node)
{
	for (size_t i = 0; i < unreachable->count; i++)
		if (strcmp(unreachable->list[i].node, node) == 0)
			return unreachable->list[i].since_ms;
	return 0;
}

void
unreachable_add(struct unreachable *unreachable, const char *node, int64_t since_ms)
{
	ARRAY_ROOM(unreachable->list, unreachable->count, unreachable->capacity);
	unreachable->list[unreachable->count++] = (struct unreachable_node){arena_string(&unreachable->arena, node), since_ms};
}

static bool
unreachable_is_same(const struct unreachable *a, const struct unreachable *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (unreachable_since(b, a->list[i].node) != a->list[i].since_ms)
			return false;
	return a->count == b->count;
}

int
unreachable_write(const struct unreachable *unreachable, const struct unreachable *was, const char *cluster, struct error *err)
{
	char *path = unreachable_path_of(cluster);
	struct buffer text = {0};
	int result = 0;

	for (size_t i = 0; i < unreachable->count; i++)
		buffer_printf(&text, "%s %" PRId64 "\n", unreachable->list[i].node, unreachable->list[i].since_ms);
	if (unreachable_is_same(unreachable, was))
		result = 0;
	else if (unreachable->count)
		result = file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	else if (unlink(path) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", path);
	buffer_release(&text);
	free(path);
	return result;
}

void
unreachable_release(struct unreachable *unreachable)
{
	free(unreachable->list);
	arena_release(&unreachable->arena);
	*unreachable = (struct unreachable){0};
}
