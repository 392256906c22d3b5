/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/boot.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"

enum { FILE_MODE = 0600 };

/* Writes what this process sees, as nobody else has the spool open. What is there after a failure has another length. */
static void
boot_write(int fd, const char *text)
{
	size_t length = strlen(text);

	if (ftruncate(fd, 0) == 0 && write(fd, text, length) != (ssize_t)length && ftruncate(fd, 0) < 0)
		return;
}

/* Reads what counts. The lock is held, so nobody writes. */
static void
boot_read(int fd, char text[CLOCK_BOOT_ID_SIZE])
{
	char found[CLOCK_BOOT_ID_SIZE];
	ssize_t length = pread(fd, found, sizeof found - 1, 0);

	if (length <= 0 || (size_t)length != strlen(text))
		return;
	found[length] = '\0';
	memcpy(text, found, (size_t)length + 1);
}

int
boot_agree(int root, char text[CLOCK_BOOT_ID_SIZE])
{
	int fd = openat(root, "boot", O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);
	struct error ignored;

	clock_boot_id(text);
	if (fd < 0)
		return -1;
	/* Tried first, and never while sharing the lock: whoever shares it has tried, and the first after a boot has succeeded. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		boot_write(fd, text);
	/* Another may come between the two locks, and write what it sees. */
	if (lock_unless_stopped(fd, LOCK_SH, &ignored) < 0) {
		close(fd);
		return -1;
	}
	boot_read(fd, text);
	return fd;
}
