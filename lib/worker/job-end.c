/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/job-end.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"

enum { TIMEOUT_MS = 600 * 1000 };

static void
job_end_start(struct job_end *end, struct supervisor *supervisor)
{
	struct error ignored; /* then the next one does it, or coopr-reconcile from cron */

	if (!end->argv[0]) {
		end->argv[0] = location_installed("bin/coopr-reconcile");
		end->argv[1] = memory_string("--finish-only");
		end->argv[2] = memory_string("--quiet");
	}
	end->child = (struct child){.argv = end->argv, .capture_err = true, .session = true, .timeout_ms = TIMEOUT_MS};
	end->due = false;
	end->runs = supervise_start(supervisor, &end->child, &ignored) == 0;
}

void
job_end_record(struct job_end *end, struct supervisor *supervisor)
{
	end->due = true;
	if (!end->runs)
		job_end_start(end, supervisor);
}

/* Fills why with what the program said, unless it said that before. */
static void
job_end_judge(struct job_end *end, struct error *why)
{
	const char *text;

	buffer_append(&end->child.err, "", 1);
	text = end->child.err.data;
	if (WIFEXITED(end->child.wait_status) && WEXITSTATUS(end->child.wait_status) == 0)
		text = "";
	if (*text && (!end->told || strcmp(text, end->told) != 0))
		error_set(why, EX_SOFTWARE, "the end of a job is not recorded: %.*s", (int)strcspn(text, "\n"), text);
	free(end->told);
	end->told = memory_string(text);
}

bool
job_end_take(struct job_end *end, struct supervisor *supervisor, struct child *child, enum supervise_event event, struct error *why)
{
	if (child != &end->child)
		return false;
	if (event != SUPERVISE_ENDED)
		return true;
	job_end_judge(end, why);
	child_release(&end->child);
	end->runs = false;
	if (end->due)
		job_end_start(end, supervisor);
	return true;
}

void
job_end_release(struct job_end *end)
{
	if (end->runs)
		child_release(&end->child);
	for (size_t i = 0; i < sizeof end->argv / sizeof *end->argv; i++)
		free(end->argv[i]);
	free(end->told);
}
