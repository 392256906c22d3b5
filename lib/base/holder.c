/* SPDX-License-Identifier: Apache-2.0 */
#include "base/holder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file as /proc/locks names it. On overlayfs and btrfs, whose files have devices of their own, stat(2) names it otherwise. */
struct place {
	unsigned major, minor;
	uintmax_t inode;
};

/* Returns whether a line of a file of /proc is the one that is wanted, and has been read into what. */
typedef bool proc_line(const char *line, void *what);

static bool
holder_find_line(const char *path, proc_line *is_it, void *what)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &size, file) > 0)
		found = is_it(line, what);
	free(line);
	fclose(file);
	return found;
}

struct mount {
	int id;
	struct place *place;
};

/* Reads a line of mountinfo: "69 43 0:42 / / rw,relatime - overlay ..." */
static bool
holder_is_mount(const char *line, void *what)
{
	const struct mount *mount = what;
	int id;

	return sscanf(line, "%d %*d %u:%u", &id, &mount->place->major, &mount->place->minor) == 3 && id == mount->id;
}

static bool
holder_is_mount_id(const char *line, void *id)
{
	return sscanf(line, "mnt_id: %d", (int *)id) == 1;
}

static bool
holder_is_inode(const char *line, void *inode)
{
	return sscanf(line, "ino: %ju", (uintmax_t *)inode) == 1;
}

static bool
holder_find_place(int fd, struct place *place)
{
	struct mount mount = {0, place};
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	return holder_find_line(path, holder_is_mount_id, &mount.id) && holder_find_line(path, holder_is_inode,
	    &place->inode) &&
	    holder_find_line("/proc/self/mountinfo", holder_is_mount, &mount);
}

struct owner {
	struct place file;
	int pid;
};

/* Reads a line of locks: "1: FLOCK  ADVISORY  WRITE 4321 fe:00:1234 0 EOF"; processes that wait have "->" behind the number. */
static bool
holder_is_lock(const char *line, void *what)
{
	struct owner *owner = what;
	struct place place = {0};

	return sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%ju", &owner->pid, &place.major, &place.minor, &place.inode) == 4 &&
	    owner->pid > 0 && place.major == owner->file.major && place.minor == owner->file.minor &&
	    place.inode == owner->file.inode;
}

static bool
holder_find_pid(int fd, int *pid)
{
	struct owner owner = {0};

	if (!holder_find_place(fd, &owner.file) || !holder_find_line("/proc/locks", holder_is_lock, &owner))
		return false;
	*pid = owner.pid;
	return true;
}

/* Reads name and state of a process: "4321 (coopr-queue) T ...". The name may have any characters, also a parenthesis. */
static bool
holder_look_up(struct holder *holder)
{
	char path[40], text[128];
	const char *open, *close;
	FILE *stat_file;
	size_t length;

	snprintf(path, sizeof path, "/proc/%d/stat", holder->pid);
	stat_file = fopen(path, "re");
	if (!stat_file)
		return false;
	length = fread(text, 1, sizeof text - 1, stat_file);
	fclose(stat_file);
	text[length] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || strlen(close) < 3)
		return false;
	snprintf(holder->name, sizeof holder->name, "%.*s", (int)(close - open - 1), open + 1);
	holder->stopped = close[2] == 'T';
	return true;
}

bool
lock_holder(int fd, struct holder *holder)
{
	return holder_find_pid(fd, &holder->pid) && holder_look_up(holder);
}
