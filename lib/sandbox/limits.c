/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/location.h"
#include "base/memory.h"
#include "sandbox/record.h"

enum { PERIOD_US = 100000, FILE_LIMIT = 64 * 1024, ATTEMPTS = 5000, PAUSE_NS = 2000000, MIB = 1024 * 1024, HOSTS_SHARE = 8 };

static const struct controller {
	const char *name, *what; /* the words for people */
} controllers[] = {
	{"pids", "processes"},
	{"memory", "memory"},
	{"cpu", "processor time"},
};
enum { CONTROLLERS = sizeof controllers / sizeof *controllers };

struct hierarchy { /* where a controller is; root NULL: nowhere */
	char *root;
	bool unified;
};

void
limits_default(struct machine *machine)
{
	const long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);

	machine->memory = arena_printf(&machine->arena, "%lld", (long long)pages * page / MIB / 2);
	machine->processes = "4096";
	machine->disk = "20480";
}

static bool
limits_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if ((at == text || strchr(", \n", at[-1])) && strchr(", \n", at[length]))
			return true;
	return false;
}

static bool
limits_has_controller(const char *root, const char *controller)
{
	char *path = memory_printf("%s/cgroup.controllers", root);
	struct buffer text = {0};
	struct error ignored;
	bool has = file_read(AT_FDCWD, path, FILE_LIMIT, &text, &ignored) == 0 &&
	    limits_has_word(buffer_string(&text), controller);

	buffer_release(&text);
	free(path);
	return has;
}

/* Finds the mounted hierarchy that has the controller. */
static struct hierarchy
limits_find(const char *controller)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct hierarchy found = {.root = NULL};
	struct mntent *mount;

	while (mounts && !found.root && (mount = getmntent(mounts))) {
		bool unified = strcmp(mount->mnt_type, "cgroup2") == 0;

		if (unified ? limits_has_controller(mount->mnt_dir, controller)
		            : strcmp(mount->mnt_type, "cgroup") == 0 && limits_has_word(mount->mnt_opts, controller))
			found = (struct hierarchy){memory_string(mount->mnt_dir), unified};
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static int
limits_write(const char *folder, const char *file, const char *text)
{
	char *path = memory_printf("%s/%s", folder, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = -1;

	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		result = 0;
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

/* Returns what the names of groups of this installation begin with. */
static unsigned
limits_installation(void)
{
	char *state = location_state();
	unsigned number = (unsigned)(hash_text(HASH_START, state) >> 32);

	free(state);
	return number;
}

/* Returns the path of a machine's group, which says whose machine it is; the caller frees it. */
static char *
limits_group(const struct hierarchy *hierarchy, const char *name)
{
	return memory_printf("%s/coopr/%08x-%s", hierarchy->root, limits_installation(), name);
}

/* Bounds all machines together: an eighth of the processes and of the memory is the host's, however many machines there are. */
static void
limits_bound_all(const char *above, const char *controller, bool unified)
{
	const long long memory = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	bool is_pids = strcmp(controller, "pids") == 0;
	struct buffer pids = {0};
	struct error ignored;
	long long all;
	char *most;

	if (strcmp(controller, "cpu") == 0 || (is_pids && file_read(AT_FDCWD, "/proc/sys/kernel/pid_max", FILE_LIMIT, &pids, &ignored) < 0))
		return;
	all = is_pids ? strtoll(buffer_string(&pids), NULL, 10) : memory;
	most = memory_printf("%lld", all - all / HOSTS_SHARE);
	limits_write(above, is_pids ? "pids.max" : unified ? "memory.max" : "memory.limit_in_bytes", most);
	buffer_release(&pids);
	free(most);
}

/* Makes the group, and has the hierarchy give it its controller. */
static int
limits_make_group(const struct hierarchy *hierarchy, const char *controller, const char *group)
{
	char *above = memory_printf("%s/coopr", hierarchy->root), *order = memory_printf("+%s", controller);
	int result = 0;

	if ((mkdir(above, 0755) < 0 && errno != EEXIST) ||
	    (hierarchy->unified && (limits_write(hierarchy->root, "cgroup.subtree_control", order) < 0 ||
	    limits_write(above, "cgroup.subtree_control", order) < 0)) ||
	    (mkdir(group, 0755) < 0 && errno != EEXIST))
		result = -1;
	else
		limits_bound_all(above, controller, hierarchy->unified);
	free(order);
	free(above);
	return result;
}

static int
limits_set_cpu(const char *group, bool unified, const char *processors)
{
	long quota = (long)(strtod(processors, NULL) * PERIOD_US);
	char *text = unified ? memory_printf("%ld %d", quota, PERIOD_US) : memory_printf("%ld", quota);
	int result = limits_write(group, unified ? "cpu.max" : "cpu.cfs_quota_us", text);

	free(text);
	return result;
}

static int
limits_set_memory(const char *group, bool unified, const char *mib)
{
	char *text = memory_printf("%lld", strtoll(mib, NULL, 10) * MIB);
	int result = limits_write(group, unified ? "memory.max" : "memory.limit_in_bytes", text);

	if (result == 0) /* where there is swap, it is no way round the limit; where it is not counted there is nothing to write */
		limits_write(group, unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes", unified ? "0" : text);
	free(text);
	return result;
}

static int
limits_write_group(const struct machine *machine, const char *controller, const char *group, bool unified)
{
	if (strcmp(controller, "pids") == 0)
		return machine->processes ? limits_write(group, "pids.max", machine->processes) : 0;
	if (strcmp(controller, "memory") == 0)
		return machine->memory ? limits_set_memory(group, unified, machine->memory) : 0;
	return machine->cpu ? limits_set_cpu(group, unified, machine->cpu) : 0;
}

void
limits_put(const struct machine *machine, pid_t pid, struct buffer *missing)
{
	char *process = memory_printf("%d", (int)pid);

	for (size_t i = 0; i < CONTROLLERS; i++) {
		const char *controller = controllers[i].name;
		struct hierarchy hierarchy = limits_find(controller);
		char *group = hierarchy.root ? limits_group(&hierarchy, machine->name) : NULL;

		if (!group || limits_make_group(&hierarchy, controller, group) < 0 ||
		    limits_write_group(machine, controller, group, hierarchy.unified) < 0 ||
		    limits_write(group, "cgroup.procs", process) < 0)
			buffer_printf(missing, "%s%s", missing->length ? ", " : "", controllers[i].what);
		free(group);
		free(hierarchy.root);
	}
	free(process);
}

/* Removes a group: the kernel may still be busy with the end of its processes, which live on for a while when their init is killed. */
static void
limits_remove_group(const char *group)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (int attempt = 0; attempt < ATTEMPTS && rmdir(group) < 0 && errno == EBUSY; attempt++)
		nanosleep(&pause, NULL);
}

void
limits_remove(const char *name)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		struct hierarchy hierarchy = limits_find(controllers[i].name);
		char *group = hierarchy.root ? limits_group(&hierarchy, name) : NULL;

		if (group)
			limits_remove_group(group);
		free(group);
		free(hierarchy.root);
	}
}

/* Removes the groups of this installation below the folder in which no process is. */
static void
limits_tidy_below(const char *above)
{
	char prefix[16];
	DIR *folder = opendir(above);
	const struct dirent *entry;

	snprintf(prefix, sizeof prefix, "%08x-", limits_installation());
	while (folder && (entry = readdir(folder)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
	if (folder)
		closedir(folder);
}

void
limits_tidy(void)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		struct hierarchy hierarchy = limits_find(controllers[i].name);
		char *above = hierarchy.root ? memory_printf("%s/coopr", hierarchy.root) : NULL;

		if (above)
			limits_tidy_below(above);
		free(above);
		free(hierarchy.root);
	}
}
