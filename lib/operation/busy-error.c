/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/busy-error.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/holder.h"
#include "base/memory.h"
#include "base/process.h"
#include "operation/context.h"
#include "operation/job.h"

enum {
	HOST_SIZE = 256,
	FIRST_MS = 50, MOST_MS = 1000, /* between two tries of who waits */
	PASSING_MS = 5000, /* wait at most so long, unasked, for what is about to go */
};

/* Appends "coopr-expand, process 4711 of alice on ws1". */
static void
busy_error_append_holder(const struct holder *holder, struct buffer *text)
{
	char *user = process_user(holder->user), host[HOST_SIZE] = "";

	buffer_printf(text, "%s, process %d of %s", holder->name, holder->pid, user);
	if (gethostname(host, sizeof host - 1) == 0 && *host)
		buffer_printf(text, " on %s", host);
	if (holder->stopped)
		buffer_printf(text, ", which is stopped (kill -CONT %d resumes it)", holder->pid);
	free(user);
}

static void
busy_error_append_operation(const struct operation *operation, struct buffer *text)
{
	char since[CLOCK_RFC3339_SIZE];

	buffer_printf(text, "job %s (%s), started by %s, has been in progress since %s", operation->job, operation->action,
	    operation->user, clock_seconds(operation->begun_ms, since));
}

static int
busy_error_set(const struct operation_context *context, struct buffer *text, struct error *err)
{
	error_set(err, EX_TEMPFAIL, "%s: %s", context->cluster->name, buffer_string(text));
	buffer_release(text);
	return -1;
}

int
busy_error(const struct operation_context *context, const struct operation *operation, struct error *err)
{
	const char *name = context->cluster->name;
	struct buffer text = {0};

	busy_error_append_operation(operation, &text);
	buffer_printf(&text, ", but no command on this host follows it; --wait waits for it, coopr retry %s follows it, "
	    "coopr abort %s cancels it", name, name);
	return busy_error_set(context, &text, err);
}

int
busy_error_locked(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	struct holder holder = {0};
	struct buffer text = {0};
	struct error ignored; /* then less is known */
	char id[CLUSTER_ID_SIZE], since[CLOCK_RFC3339_SIZE];
	bool found = workdir_find_holder(cluster_id_text(context->id, id), &holder), passing = true;

	if (operation_last(&context->account, context->id, &list, &ignored) > 0 && list.list[0].status < OPERATION_COMPLETE) {
		passing = operation_job_is_over(&(struct operation_job){context->options->runner, NULL, list.list[0].job});
		busy_error_append_operation(&list.list[0], &text);
		buffer_text(&text, found ? " (" : "");
		if (found)
			busy_error_append_holder(&holder, &text);
		buffer_printf(&text, "%s; --wait waits for it, coopr abort %s cancels it", found ? ")" : "", context->cluster->name);
	} else if (found) {
		busy_error_append_holder(&holder, &text);
		buffer_printf(&text, ", has been working on it since %s; --wait waits until it has ended",
		    clock_seconds(holder.begun_ms, since));
	} else {
		buffer_text(&text, "a command that cannot be seen from here is working on it; --wait waits until it has ended");
	}
	operation_list_release(&list);
	busy_error_set(context, &text, err);
	err->passing = passing;
	return -1;
}

int
busy_error_exists(const struct operation_context *context, struct error *err)
{
	const struct cluster_record *cluster = context->cluster;

	return error_set(err, EX_NO,
	    "%s: a cluster of this name exists, %s, owned by %s; coopr show %s shows it, coopr delete %s removes it",
	    cluster->name, lifecycle_status_name(cluster->status), cluster->owner, cluster->name, cluster->name);
}

/* Tells what is waited for, without the remedies. */
static void
busy_error_tell(const struct operation_options *options, const struct error *err)
{
	char *notice = memory_printf("%.*s; waiting for it", (int)strcspn(err->text, ";"), err->text);

	options->runner.notice(notice);
	free(notice);
}

/* Makes the error say that the time is over. */
static void
busy_error_end(int64_t wait_ms, struct error *err)
{
	char *busy = memory_printf("%.*s", (int)strcspn(err->text, ";"), err->text), time[CLOCK_RFC3339_SIZE];

	error_set(err, EX_TEMPFAIL, "%s; --timeout: waited for %s", busy, clock_duration(wait_ms, time));
	free(busy);
}

/* Sleeps for about half as long as it has waited already. */
static void
busy_error_sleep(int64_t waited_ms)
{
	int64_t ms = waited_ms / 2 < FIRST_MS ? FIRST_MS : waited_ms / 2 > MOST_MS ? MOST_MS : waited_ms / 2;
	struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

bool
busy_error_wait(struct busy_wait *wait, const struct operation_options *options, struct error *err)
{
	int64_t now_ms = clock_monotonic_ms(), most_ms = options->wait ? options->wait_ms : PASSING_MS;

	if (err->code != EX_TEMPFAIL || (!options->wait && !err->passing))
		return false;
	if (!wait->since_ms) {
		wait->since_ms = now_ms;
		if (options->wait)
			busy_error_tell(options, err);
	}
	if (most_ms && now_ms - wait->since_ms >= most_ms) {
		if (options->wait)
			busy_error_end(most_ms, err);
		return false;
	}
	busy_error_sleep(now_ms - wait->since_ms);
	return true;
}
