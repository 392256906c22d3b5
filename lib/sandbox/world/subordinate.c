/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/world/subordinate.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "sandbox/ids.h"

enum { FILE_LIMIT = 1024 * 1024, LOG_LIMIT = 4096 };

static const struct kind {
	const char *file, *program;
} kinds[] = {{"/etc/subuid", "newuidmap"}, {"/etc/subgid", "newgidmap"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Finds the first range of the user in a file, by name or number. Returns false if there is none that is large enough. */
static bool
subordinate_find(const char *file, unsigned *first)
{
	char *user = process_user(getuid()), *name = memory_printf("%s:", user), *number = memory_printf("%u:", (unsigned)getuid());
	struct buffer text = {0};
	struct error ignored;
	bool found = false;

	if (file_read(AT_FDCWD, file, FILE_LIMIT, &text, &ignored) < 0)
		buffer_clear(&text);
	for (const char *line = buffer_string(&text); *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *mine = strncmp(line, name, strlen(name)) == 0 ? name : strncmp(line, number, strlen(number)) == 0 ? number : NULL;
		unsigned count;

		found = mine && sscanf(line + strlen(mine), "%9u:%9u", first, &count) == 2 && count >= IDS_COUNT;
	}
	buffer_release(&text);
	free(number);
	free(name);
	free(user);
	return found;
}

int
subordinate_check(struct error *err)
{
	char *user = process_user(getuid());
	unsigned first;
	int result = 0;

	if (access("/usr/bin/newuidmap", X_OK) < 0 || access("/usr/bin/newgidmap", X_OK) < 0)
		result = error_set(err, EX_NOPERM, "newuidmap is not installed; root runs: apt-get install uidmap");
	for (int i = 0; result == 0 && i < KINDS; i++)
		if (!subordinate_find(kinds[i].file, &first))
			result = error_set(err, EX_NOPERM, "%s gives this user no %d ids; root runs: usermod --add-subuids 100000-165535 "
			    "--add-subgids 100000-165535 %s", kinds[i].file, IDS_COUNT, user);
	free(user);
	return result;
}

static int
subordinate_run(const struct kind *kind, pid_t pid, unsigned own, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer log = {0};
	unsigned first = 0;
	int code;

	if (!subordinate_find(kind->file, &first))
		return subordinate_check(err);
	arguments_push(&arguments, kind->program);
	arguments_printf(&arguments, "%d", (int)pid);
	arguments_push(&arguments, "0");
	arguments_printf(&arguments, "%u", own);
	arguments_push_all(&arguments, "1", "1", NULL);
	arguments_printf(&arguments, "%u", first);
	arguments_printf(&arguments, "%d", IDS_COUNT);
	code = process_run(arguments.list, NULL, 0, NULL, &log, LOG_LIMIT, err);
	if (code > 0)
		code = error_set(err, EX_NOPERM, "%s: %.*s", kind->program, (int)strcspn(buffer_string(&log), "\n"), buffer_string(&log));
	buffer_release(&log);
	arguments_release(&arguments);
	return code;
}

int
subordinate_map(pid_t pid, struct error *err)
{
	if (subordinate_run(&kinds[0], pid, getuid(), err) < 0)
		return -1;
	return subordinate_run(&kinds[1], pid, getgid(), err);
}
