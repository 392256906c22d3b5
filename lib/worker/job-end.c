/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/job-end.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/location.h"
#include "base/memory.h"

enum { RECORD_TIMEOUT_MS = 600 * 1000 }; /* hooks have time limits of their own */

/* Runs a step's program with two arguments, now or once the one that runs has ended. */
static void
job_end_run(struct job_end_step *step, struct supervisor *supervisor, const char *program, const char *verb, int timeout_ms)
{
	struct error ignored; /* then the next one does it, or coopr-reconcile from cron */

	step->due = step->runs;
	if (step->runs)
		return;
	if (!step->argv[0]) {
		step->argv[0] = location_installed(program);
		step->argv[1] = memory_string(verb);
		step->argv[2] = memory_string("--quiet");
	}
	step->child = (struct child){.argv = step->argv, .capture_err = true, .session = true, .timeout_ms = timeout_ms};
	step->runs = supervise_start(supervisor, &step->child, &ignored) == 0;
}

void
job_end_record(struct job_end *end, struct supervisor *supervisor)
{
	job_end_run(&end->record, supervisor, "bin/coopr-reconcile", "--finish-only", RECORD_TIMEOUT_MS);
}

static void
job_end_notify(struct job_end *end, struct supervisor *supervisor)
{
	job_end_run(&end->notify, supervisor, "bin/coopr-hook", "deliver", 0);
}

bool
job_end_runs(const struct job_end *end)
{
	return end->record.runs || end->notify.runs;
}

void
job_end_stop(struct job_end *end, struct supervisor *supervisor)
{
	if (end->notify.runs)
		supervise_stop(supervisor, &end->notify.child);
}

/* Is done with a step whose program has ended; what that said is kept for the caller, unless it said that before. */
static void
job_end_close(struct job_end_step *step, const char *what, struct error *trouble)
{
	const char *text;

	buffer_append(&step->child.err, "", 1);
	text = step->child.err.data;
	if (WIFEXITED(step->child.wait_status) && WEXITSTATUS(step->child.wait_status) == 0)
		text = "";
	if (*text && (!step->told || strcmp(text, step->told) != 0))
		error_set(trouble, EX_SOFTWARE, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
	free(step->told);
	step->told = memory_string(text);
	child_release(&step->child);
	step->runs = false;
}

bool
job_end_take(struct job_end *end, struct supervisor *supervisor, struct child *child, enum supervise_event event)
{
	if (child != &end->record.child && child != &end->notify.child)
		return false;
	if (event != SUPERVISE_ENDED)
		return true;
	if (child == &end->record.child) {
		job_end_close(&end->record, "the end of a job is not recorded, coopr reconcile does it", &end->trouble);
		job_end_notify(end, supervisor);
		if (end->record.due)
			job_end_record(end, supervisor);
	} else {
		job_end_close(&end->notify, "not all hooks are notified", &end->trouble);
		if (end->notify.due)
			job_end_notify(end, supervisor);
	}
	return true;
}

static void
job_end_step_release(struct job_end_step *step)
{
	if (step->runs)
		child_release(&step->child);
	for (size_t i = 0; i < sizeof step->argv / sizeof *step->argv; i++)
		free(step->argv[i]);
	free(step->told);
}

void
job_end_release(struct job_end *end)
{
	job_end_step_release(&end->record);
	job_end_step_release(&end->notify);
}
