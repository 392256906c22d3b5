/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"

enum { ATTEMPTS = 1000 };

char *
state_path(const char *below)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox%s%s", state, *below ? "/" : "", below);

	free(state);
	return path;
}

char *
state_machine_path(const char *name)
{
	char *below = memory_printf("machines/%s", name), *path = state_path(below);

	free(below);
	return path;
}

int
state_lock_existing(const char *path, struct error *err)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		int fd = open(path, O_RDONLY | O_DIRECTORY);

		if (fd < 0)
			return error_errno(err, errno == ENOENT ? EX_NO : EX_CANTCREAT, "%s", path);
		if (lock_wait(fd, LOCK_EX) < 0) {
			error_errno(err, EX_OSERR, "%s: cannot be locked", path);
			close(fd);
			return -1;
		}
		if (lock_is_current(fd, path))
			return fd;
		close(fd);
	}
	return error_set(err, EX_TEMPFAIL, "%s: is made and removed again all the time", path);
}

int
state_lock(const char *path, struct error *err)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		int fd;

		/* A parent that was empty may be tidied away between two steps of making the path. */
		if (file_make_dirs(AT_FDCWD, path, 0700, err) < 0 && errno != ENOENT)
			return -1;
		fd = state_lock_existing(path, err);
		if (fd >= 0 || err->code != EX_NO)
			return fd;
	}
	return error_set(err, EX_TEMPFAIL, "%s: is made and removed again all the time", path);
}

void
state_tidy(int sandbox)
{
	char *path = state_path("");

	unlinkat(sandbox, "addresses", AT_REMOVEDIR);
	unlinkat(sandbox, "clusters", AT_REMOVEDIR);
	unlinkat(sandbox, "ids", AT_REMOVEDIR);
	unlinkat(sandbox, "tables", AT_REMOVEDIR);
	unlinkat(sandbox, "machines", AT_REMOVEDIR);
	rmdir(path);
	free(path);
}

int
state_write(int dir, const char *name, const char *text, struct error *err)
{
	char *fresh = memory_printf("%s.new", name);
	int fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), result = 0;

	/* The caller holds the folder's lock: what stands at fresh is a dead process's. */
	if (fd < 0 || file_write_all(fd, text, strlen(text)) < 0 || renameat(dir, fresh, dir, name) < 0)
		result = error_errno(err, EX_IOERR, "%s: cannot be written", name);
	if (fd >= 0)
		close(fd);
	free(fresh);
	return result;
}
