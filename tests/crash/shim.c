/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends the process by SIGKILL at the n-th call that changes a file system, or frees a lock: write, pwrite, fsync, fdatasync,
 * ftruncate, fallocate, rename, link, unlink, mkdir, flock. Preloaded, n is CRASH_AT; a test that includes this file calls shim_arm.
 * With torn (CRASH_TORN=1) a write is half done first. Where n is never reached the number of calls is written to the file
 * CRASH_COUNT names, if any.
 *
 * With CRASH_ERRNO the process is not ended: the n-th of those calls that may meet a full or failing disk (write, pwrite, fsync,
 * fdatasync, fallocate) fails with that errno instead.
 *
 * With CRASH_STOP=1 it is stopped there instead (SIGSTOP), and goes on when it is continued.
 *
 * With CRASH_CLOCK the wall clock is set forward by an hour, so many milliseconds after the process began.
 *
 * Who is killed loses nothing that was written: fsync and fdatasync need not wait for the disk (CRASH_NO_SYNC=1).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long shim_at, shim_calls;
static bool shim_torn, shim_no_sync, shim_stops;
static int shim_errno;
static struct timespec shim_jump; /* by the monotonic clock; 0: never */

/* at 0: never. */
static inline void
shim_arm(long at, bool torn)
{
	shim_at = at;
	shim_calls = 0;
	shim_torn = torn;
}

__attribute__((constructor)) static void
shim_from_environment(void)
{
	const char *at = getenv("CRASH_AT");

	if (at)
		shim_arm(atol(at), getenv("CRASH_TORN") != NULL);
	shim_no_sync = getenv("CRASH_NO_SYNC") != NULL;
	shim_stops = getenv("CRASH_STOP") != NULL;
	if (getenv("CRASH_CLOCK")) {
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &shim_jump);
		shim_jump.tv_nsec += atol(getenv("CRASH_CLOCK")) * 1000000;
		shim_jump.tv_sec += shim_jump.tv_nsec / 1000000000;
		shim_jump.tv_nsec %= 1000000000;
	}
	shim_errno = getenv("CRASH_ERRNO") ? atoi(getenv("CRASH_ERRNO")) : 0;
}

__attribute__((destructor)) static void
shim_tell(void)
{
	const char *path = getenv("CRASH_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", shim_calls);
		fclose(file);
	}
}

/* Whether this is the call at which to end. */
static bool
shim_is_here(void)
{
	return shim_errno == 0 && ++shim_calls == shim_at;
}

/* Whether this is the call that is to fail. */
static bool
shim_fails(void)
{
	if (shim_errno == 0 || ++shim_calls != shim_at)
		return false;
	errno = shim_errno;
	return true;
}

static void
shim_end(void)
{
	kill(getpid(), shim_stops ? SIGSTOP : SIGKILL);
	while (!shim_stops)
		pause();
}

#define SHIM_POINT() \
	do { \
		if (shim_is_here()) \
			shim_end(); \
	} while (0)

#ifndef SHIM_WITHOUT_CLOCK /* who includes this has one */
int
clock_gettime(clockid_t clock, struct timespec *now)
{
	struct timespec passed;

	syscall(SYS_clock_gettime, clock, now);
	if (shim_jump.tv_sec == 0 || clock != CLOCK_REALTIME)
		return 0;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &passed);
	if (passed.tv_sec > shim_jump.tv_sec || (passed.tv_sec == shim_jump.tv_sec && passed.tv_nsec >= shim_jump.tv_nsec))
		now->tv_sec += 3600;
	return 0;
}
#endif

ssize_t
write(int fd, const void *bytes, size_t length)
{
	bool here = shim_is_here();

	if (shim_fails())
		return -1;
	if (here && shim_torn)
		syscall(SYS_write, fd, bytes, length / 2);
	if (here)
		shim_end();
	return syscall(SYS_write, fd, bytes, length);
}

ssize_t
pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
	bool here = shim_is_here();

	if (shim_fails())
		return -1;
	if (here && shim_torn)
		syscall(SYS_pwrite64, fd, bytes, length / 2, offset);
	if (here)
		shim_end();
	return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
	return pwrite(fd, bytes, length, offset);
}

int
fsync(int fd)
{
	SHIM_POINT();
	if (shim_fails())
		return -1;
	return shim_no_sync ? 0 : (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	SHIM_POINT();
	if (shim_fails())
		return -1;
	return shim_no_sync ? 0 : (int)syscall(SYS_fdatasync, fd);
}

int
posix_fallocate(int fd, off_t offset, off_t length)
{
	SHIM_POINT();
	if (shim_fails())
		return shim_errno;
	return syscall(SYS_fallocate, fd, 0, offset, length) < 0 ? errno : 0;
}

int
flock(int fd, int operation)
{
	SHIM_POINT();
	return (int)syscall(SYS_flock, fd, operation);
}

int
ftruncate(int fd, off_t length)
{
	SHIM_POINT();
	return (int)syscall(SYS_ftruncate, fd, length);
}

int
ftruncate64(int fd, off64_t length)
{
	return ftruncate(fd, length);
}

int
renameat(int from, const char *name, int to, const char *new_name)
{
	SHIM_POINT();
	return (int)syscall(SYS_renameat2, from, name, to, new_name, 0);
}

int
renameat2(int from, const char *name, int to, const char *new_name, unsigned flags)
{
	SHIM_POINT();
	return (int)syscall(SYS_renameat2, from, name, to, new_name, flags);
}

int
rename(const char *name, const char *new_name)
{
	return renameat(AT_FDCWD, name, AT_FDCWD, new_name);
}

int
linkat(int from, const char *name, int to, const char *new_name, int flags)
{
	SHIM_POINT();
	return (int)syscall(SYS_linkat, from, name, to, new_name, flags);
}

int
unlinkat(int dir, const char *name, int flags)
{
	SHIM_POINT();
	return (int)syscall(SYS_unlinkat, dir, name, flags);
}

int
unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int
mkdirat(int dir, const char *name, mode_t mode)
{
	SHIM_POINT();
	return (int)syscall(SYS_mkdirat, dir, name, mode);
}
