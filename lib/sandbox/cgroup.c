/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* Where service managers keep their groups: with cgroup 2 alone, and beside the hierarchies of cgroup 1. */
static const char *const hierarchies[] = {
	"/sys/fs/cgroup",
	"/sys/fs/cgroup/systemd",
	"/sys/fs/cgroup/unified",
};

enum {
	HIERARCHIES = sizeof hierarchies / sizeof *hierarchies,
	PATIENCE_MS = 1000,
};

/* Opens a hierarchy, -1 where there is none at that place. */
static int
open_hierarchy(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0 && faccessat(dir, "cgroup.procs", F_OK, 0) == 0)
		return dir;
	if (dir >= 0)
		close(dir);
	return -1;
}

void
cgroup_enter(const char *name, pid_t pid)
{
	char *group = memory_printf("coopr/%s", name), *procs = memory_printf("%s/cgroup.procs", group);

	for (size_t i = 0; i < HIERARCHIES; i++) {
		int dir = open_hierarchy(hierarchies[i]), file;

		if (dir < 0)
			continue;
		mkdirat(dir, "coopr", 0755);
		mkdirat(dir, group, 0755);
		file = openat(dir, procs, O_WRONLY | O_CLOEXEC);
		if (file >= 0) {
			dprintf(file, "%d\n", (int)pid);
			close(file);
		}
		close(dir);
	}
	free(procs);
	free(group);
}

/* A process is gone from the group a little after it has let go of its locks, which is what we have waited for. */
static void
remove_group(int dir, const char *group)
{
	const struct timespec moment = {.tv_nsec = 1000 * 1000};

	for (int i = 0; i < PATIENCE_MS && unlinkat(dir, group, AT_REMOVEDIR) < 0 && errno == EBUSY; i++)
		nanosleep(&moment, NULL);
	unlinkat(dir, "coopr", AT_REMOVEDIR);
}

void
cgroup_remove(const char *name)
{
	char *group = memory_printf("coopr/%s", name);

	for (size_t i = 0; i < HIERARCHIES; i++) {
		int dir = open_hierarchy(hierarchies[i]);

		if (dir < 0)
			continue;
		remove_group(dir, group);
		close(dir);
	}
	free(group);
}
