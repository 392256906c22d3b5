/* SPDX-License-Identifier: Apache-2.0 */
#include "base/holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { END_MS = 2000 }; /* for a process that is killed */

/* A file as /proc/locks names it. On overlayfs and btrfs, whose files have devices of their own, stat(2) names it otherwise. */
struct file_place {
	unsigned major, minor;
	uintmax_t inode;
};

static bool
holder_find_place(int fd, struct file_place *place)
{
	char path[40], *line = NULL;
	bool has_inode = false, has_device = false;
	int mount = -1, id;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		sscanf(line, "mnt_id: %d", &mount);
		has_inode |= sscanf(line, "ino: %ju", &place->inode) == 1;
	}
	if (file)
		fclose(file);

	/* "69 43 0:42 / / rw,relatime - overlay ..." */
	file = has_inode ? fopen("/proc/self/mountinfo", "re") : NULL;
	while (file && !has_device && getline(&line, &size, file) > 0)
		has_device = sscanf(line, "%d %*d %u:%u", &id, &place->major, &place->minor) == 3 && id == mount;
	if (file)
		fclose(file);
	free(line);
	return has_device;
}

/* Finds the process that holds a lock on the file: "1: FLOCK  ADVISORY  WRITE 4321 fe:00:1234 0 EOF". The lines of processes
 * that wait have "->" behind the number. */
static bool
holder_find_pid(const struct file_place *file, int *pid)
{
	FILE *locks = fopen("/proc/locks", "re");
	struct file_place place = {0};
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (locks && !found && getline(&line, &size, locks) > 0)
		found = sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%ju", pid, &place.major, &place.minor, &place.inode) == 4 &&
		    *pid > 0 && place.major == file->major && place.minor == file->minor && place.inode == file->inode;
	if (locks)
		fclose(locks);
	free(line);
	return found;
}

/* Returns the wall-clock time of a start that is given as /proc does, in ticks since the boot. */
static int64_t
holder_start_time(uintmax_t ticks)
{
	long rate = sysconf(_SC_CLK_TCK);

	return clock_wall_ms() - clock_boottime_ms() + (int64_t)(ticks * 1000 / (uintmax_t)(rate > 0 ? rate : 100));
}

/* Reads what the process is: "4321 (coopr-queue) T ...", the 22nd field being its start. The name may have any characters, also
 * a parenthesis. */
static bool
holder_read_stat(struct holder *holder)
{
	char path[40], text[1024];
	const char *open, *close;
	FILE *stat_file;
	struct stat attributes;
	uintmax_t ticks;
	size_t length;

	snprintf(path, sizeof path, "/proc/%d/stat", holder->pid);
	stat_file = fopen(path, "re");
	if (!stat_file)
		return false;
	length = fread(text, 1, sizeof text - 1, stat_file);
	holder->user = fstat(fileno(stat_file), &attributes) == 0 ? attributes.st_uid : 0;
	fclose(stat_file);
	text[length] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || strlen(close) < 3)
		return false;
	snprintf(holder->name, sizeof holder->name, "%.*s", (int)(close - open - 1), open + 1);
	holder->stopped = close[2] == 'T';
	if (sscanf(close + 2, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ju", &ticks) == 1)
		holder->begun_ms = holder_start_time(ticks);
	return true;
}

bool
holder_find(int fd, struct holder *holder)
{
	struct file_place place;

	return holder_find_place(fd, &place) && holder_find_pid(&place, &holder->pid) && holder_read_stat(holder);
}

/* Tells whether a descriptor of a process is one through which the lock of the file is held. */
static bool
holder_holds_by(int folder, const char *number, const struct stat *file)
{
	char path[40], text[4096];
	struct stat found;
	ssize_t length;
	int fd;

	if (fstatat(folder, number, &found, 0) < 0 || found.st_dev != file->st_dev || found.st_ino != file->st_ino)
		return false;
	snprintf(path, sizeof path, "../fdinfo/%.20s", number);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return strstr(text, "FLOCK") != NULL;
}

/* Tells whether a process holds the lock of a file. */
static bool
holder_holds(int pid, const struct stat *file)
{
	struct dirent *entry;
	bool found = false;
	char path[40];
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/fd", pid);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = entry->d_name[0] != '.' && holder_holds_by(dirfd(folder), entry->d_name, file);
	if (folder)
		closedir(folder);
	return found;
}

/* Kills one process, if it holds the lock. What the descriptor stands for does not change: it is looked at only then. */
static void
holder_kill_one(int pid, const struct stat *file, bool only_stopped)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	struct holder holder = {.pid = pid};

	if (end.fd < 0)
		return;
	if (holder_holds(pid, file) && holder_read_stat(&holder) && (holder.stopped || !only_stopped) &&
	    syscall(SYS_pidfd_send_signal, end.fd, SIGKILL, NULL, 0) == 0)
		poll(&end, 1, END_MS);
	close(end.fd);
}

void
holder_kill(int fd, bool only_stopped)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct stat file;

	if (fstat(fd, &file) < 0) {
		if (proc)
			closedir(proc);
		return;
	}
	while (proc && (entry = readdir(proc))) {
		int pid = (int)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != getpid())
			holder_kill_one(pid, &file, only_stopped);
	}
	if (proc)
		closedir(proc);
}
