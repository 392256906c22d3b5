/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/summary.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "json/place.h"
#include "model/print.h"
#include "queue/job/checksum.h"
#include "queue/job/id.h"
#include "queue/spool/job-status.h"
#include "queue/spool/shared/spool.h"
#include "queue/status-print.h"

enum { SUMMARY_BYTES = 64 * 1024 };

/* The status record, as coopr-queue ls prints it; what it does not say; and the sum of both. */
void
summary_save(struct open_job *job)
{
	struct buffer text = {0};
	struct queue_job status;
	struct print print;
	struct error none;
	bool written;
	int fd;

	if (job_status(NULL, job, &status, &none) < 0)
		return;
	fd = openat(job->dir, "summary.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	status_print(&status, NULL, &text);
	print_begin(&print, (jv){0}, &text);
	print_integer(&print, "events_bytes", (int64_t)job->state.header->applied);
	print_string(&print, "kind", "summary");
	print_string(&print, "provider", status.provider);
	print_end(&print);
	checksum_add_line(&text);
	written = file_write_all(fd, text.data, text.length) == 0;
	close(fd);
	if (!written || renameat(job->dir, "summary.new", job->dir, "summary") < 0)
		unlinkat(job->dir, "summary.new", 0);
	buffer_release(&text);
}

static void
summary_take_text(const struct place *record, const char *name, char to[QUEUE_ID_SIZE], struct arena *arena)
{
	const char *text = place_string(record, name, NEED_OPTIONAL, arena);

	snprintf(to, QUEUE_ID_SIZE, "%s", text ? text : "");
}

static int64_t
summary_take_time(const struct place *record, const char *name, struct arena *arena)
{
	const char *text = place_string(record, name, NEED_REQUIRED, arena);

	return text ? clock_parse_rfc3339(text) : -1;
}

static void
summary_take_status(const struct place *record, struct queue_job *job, struct arena *arena)
{
	const char *status = place_string(record, "status", NEED_REQUIRED, arena);
	struct place tasks = place_member(record, "tasks");
	const struct {
		const char *name;
		size_t *count;
	} counts[] = {{"blocked", &job->blocked}, {"delayed", &job->delayed}, {"done", &job->done}, {"failed", &job->failed},
	    {"ready", &job->ready}, {"running", &job->running}, {"skipped", &job->skipped}, {"total", &job->tasks}};

	job->status = QUEUE_RUNNING;
	for (enum queue_status known = QUEUE_COMPLETE; status && known <= QUEUE_CANCELLED; known++)
		if (strcmp(queue_status_name(known), status) == 0)
			job->status = known;
	summary_take_text(record, "job", job->id, arena);
	summary_take_text(record, "cluster", job->cluster, arena);
	summary_take_text(record, "tenant", job->tenant, arena);
	summary_take_text(record, "action", job->action, arena);
	job->put_ms = summary_take_time(record, "put_at", arena);
	job->finished_ms = summary_take_time(record, "finished_at", arena);
	job->critical_path_s = place_number(record, "critical_path_s", 0, 0, 1e18);
	for (size_t i = 0; place_object(&tasks, NEED_REQUIRED) && i < sizeof counts / sizeof *counts; i++)
		*counts[i].count = (size_t)place_integer(&tasks, counts[i].name, 0, 0, INT32_MAX);
}

/* Both records, which stand on a line each. */
static bool
summary_parse(const struct buffer *text, struct queue_job *job, int64_t *events_bytes)
{
	const char *second = memchr(text->data, '\n', text->length);
	struct problems problems = {0};
	struct arena arena = {0};
	jv status = jv_invalid(), rest = jv_invalid();
	struct error none;
	bool taken = second &&
	    json_parse("summary", text->data, (size_t)(second - text->data), &status, &none) == 0 &&
	    json_parse("summary", second, text->length - (size_t)(second - text->data), &rest, &none) == 0;

	if (taken) {
		struct place first = place_root(status, &problems), other = place_root(rest, &problems);

		summary_take_status(&first, job, &arena);
		summary_take_text(&other, "provider", job->provider, &arena);
		*events_bytes = place_integer(&other, "events_bytes", -1, 0, INT64_C(1) << 53);
	}
	taken = taken && problems.total == 0 && queue_is_finished(job->status) && job->put_ms >= 0 && job->finished_ms >= 0;
	jv_free(status);
	jv_free(rest);
	problems_release(&problems);
	arena_release(&arena);
	return taken;
}

bool
summary_load(const struct spool *spool, const char *job, struct queue_job *out)
{
	int dir = id_is_valid(job) ? openat(spool->done, job, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct buffer text = {0};
	int64_t events_bytes;
	struct error none;
	struct stat st;
	bool taken;

	if (dir < 0)
		return false;
	*out = (struct queue_job){0};
	taken = file_exists(dir, "summary") && file_read(dir, "summary", SUMMARY_BYTES, &text, &none) == 0 &&
	    checksum_take_line(&text) && summary_parse(&text, out, &events_bytes) &&
	    fstatat(dir, "events.ndjson", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == events_bytes &&
	    strcmp(out->id, job) == 0;
	buffer_release(&text);
	close(dir);
	return taken;
}
