/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "sandbox/hostfiles.h"

/* Gives what is in the folder fd, which it closes. */
static int
hostfiles_give_below(int fd, uid_t owner, struct error *err)
{
	DIR *folder = fdopendir(fd);
	struct dirent *entry;
	int result = 0;

	if (!folder) {
		close(fd);
		return error_errno(err, EX_CANTCREAT, "host");
	}
	while (result == 0 && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = hostfiles_give(fd, entry->d_name, owner, err);
	closedir(folder);
	return result;
}

/* A change of the owner takes away set-user-id bits, which are for the host's users. */
int
hostfiles_give(int dir, const char *path, uid_t owner, struct error *err)
{
	struct stat st;
	int fd;

	if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_CANTCREAT, "host/%s", path);
	if (S_ISDIR(st.st_mode) && ((fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
	    hostfiles_give_below(fd, owner, err) < 0))
		return fd < 0 ? error_errno(err, EX_CANTCREAT, "host/%s", path) : -1;
	if (fchownat(dir, path, owner, owner, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, EX_CANTCREAT, "host/%s: cannot be given to the machine's root", path);
	return 0;
}
