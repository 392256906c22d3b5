/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/last-run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/location.h"
#include "base/memory.h"

static char *
last_run_path_of_mark(void)
{
	char *state = location_state(), *path = memory_printf("%s/reconciled", state);

	free(state);
	return path;
}

/* Its time of change says when. */
void
last_run_record(void)
{
	char *path = last_run_path_of_mark();
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0) {
		futimens(fd, NULL);
		close(fd);
	}
	free(path);
}

int64_t
last_run_ms(void)
{
	char *path = last_run_path_of_mark();
	struct stat status;
	int64_t at_ms = stat(path, &status) == 0 ? (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000
	    : 0;

	free(path);
	return at_ms;
}
