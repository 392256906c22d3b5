/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/apart.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "confine/confine.h"

enum {
	APART_MEMORY = 1024 * 1024 * 1024, /* with that of the program that is copied; dictionaries of compressions are large */
	APART_SECONDS = 30 * 60,
};

/* Closes all that is open, but the standard streams and two others. */
static void
apart_close(int one, int other)
{
	const unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);

	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

/* Is the process that does the work; its end is the result. */
static _Noreturn void
apart_work(int reads, int changes, int (*work)(void *context, struct error *err), void *context, struct error *err)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	apart_close(reads, changes);
	confine_unpacker(reads, changes);
	confine_bounds(APART_MEMORY, APART_SECONDS);
	_exit(work(context, err) < 0 ? EX_NO : 0);
}

int
apart_do(int reads, int changes, int (*work)(void *context, struct error *err), void *context, struct error *err)
{
	struct error *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = shared == MAP_FAILED ? -1 : fork(), ended;
	int status = 0, result = -1;

	if (pid == 0)
		apart_work(reads, changes, work, context, shared);
	while ((ended = pid < 0 ? -1 : waitpid(pid, &status, 0)) < 0 && pid > 0 && errno == EINTR)
		continue;
	if (ended < 0)
		error_errno(err, EX_OSERR, "a process that unpacks");
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		result = 0;
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EX_NO)
		error_set(err, shared->code ? shared->code : EX_DATAERR, "%.*s", (int)sizeof shared->text - 1, shared->text);
	else
		error_set(err, EX_DATAERR, "the process that unpacks it has ended with status %d", status);
	if (shared != MAP_FAILED)
		munmap(shared, sizeof *shared);
	return result;
}
