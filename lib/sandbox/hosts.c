/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "sandbox/state.h"

enum { FILE_LIMIT = 64 * 1024 * 1024 };

static const char heading[] = "127.0.0.1 localhost\n"
			      "::1 localhost ip6-localhost ip6-loopback\n";

/* Appends the lines of a hosts file that are machines other than address. */
static int
hosts_read_others(int dir, const char *address, struct buffer *out, struct error *err)
{
	struct buffer text = {0};
	size_t length = strlen(address);

	if (!file_exists(dir, "hosts"))
		return 0;
	if (file_read(dir, "hosts", FILE_LIMIT, &text, err) < 0) {
		buffer_release(&text);
		return -1;
	}
	for (size_t at = strlen(heading); at < text.length;) {
		const char *line = text.data + at;
		size_t end = strcspn(line, "\n") + 1;

		if (strncmp(line, address, length) != 0 || line[length] != ' ')
			buffer_append(out, line, end);
		at += end;
	}
	buffer_release(&text);
	return 0;
}

static int
hosts_open_cluster(int sandbox, const char *cluster, bool make, struct error *err)
{
	char *path = memory_printf("clusters/%s", cluster);
	int dir = -1;

	if (!make || file_make_dirs(sandbox, path, 0755, err) == 0)
		dir = openat(sandbox, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 && (make || errno != ENOENT))
		error_errno(err, EX_CANTCREAT, "%s", path);
	free(path);
	return dir;
}

static int
hosts_write(int dir, const struct buffer *lines, struct error *err)
{
	char *text = memory_printf("%s%s", heading, lines->data);
	int result = state_write(dir, "hosts", text, err);

	free(text);
	return result;
}

int
hosts_add(int sandbox, const char *cluster, const char *address, const char *hostname, struct error *err)
{
	int dir = hosts_open_cluster(sandbox, cluster, true, err), result;
	size_t label = strcspn(hostname, ".");
	struct buffer lines = {0};

	if (dir < 0)
		return -1;
	result = hosts_read_others(dir, address, &lines, err);
	buffer_printf(&lines, "%s %s", address, hostname);
	if (hostname[label])
		buffer_printf(&lines, " %.*s", (int)label, hostname);
	buffer_byte(&lines, '\n');
	if (result == 0)
		result = hosts_write(dir, &lines, err);
	buffer_release(&lines);
	close(dir);
	return result;
}

int
hosts_remove(int sandbox, const char *cluster, const char *address, struct error *err)
{
	char *path = memory_printf("clusters/%s", cluster);
	int dir = hosts_open_cluster(sandbox, cluster, false, err), result = 0;
	struct buffer lines = {0};

	if (dir >= 0)
		result = hosts_read_others(dir, address, &lines, err);
	if (dir >= 0 && result == 0)
		result = lines.length ? hosts_write(dir, &lines, err) : file_remove_tree(sandbox, path, err);
	if (dir >= 0)
		close(dir);
	buffer_release(&lines);
	free(path);
	return result;
}

bool
hosts_any(int sandbox, const char *cluster)
{
	char *path = memory_printf("clusters/%s", cluster);
	bool any = file_exists(sandbox, path);

	free(path);
	return any;
}
