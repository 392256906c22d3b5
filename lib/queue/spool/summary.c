/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/summary.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json.h"
#include "model/document.h"
#include "model/print.h"
#include "queue/job/id.h"
#include "queue/spool/job-status.h"
#include "queue/spool/shared/spool.h"

struct summary {
	struct queue_job job;
	int64_t events_bytes; /* the length of its events */
};

static void
summary_parse_text(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)arena;
	if (place_text(place, NEED_REQUIRED))
		snprintf((char *)to + member->offset, QUEUE_ID_SIZE, "%s", json_string(place->value));
}

static void
summary_print_text(const struct member *member, const void *from, struct print *print)
{
	print_string(print, member->name, (const char *)from + member->offset);
}

static void
summary_parse_count(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)arena;
	*(size_t *)((char *)to + member->offset) = (size_t)place_read_integer(place, 0, 0, INT32_MAX);
}

static void
summary_print_count(const struct member *member, const void *from, struct print *print)
{
	print_integer(print, member->name, (int64_t)*(const size_t *)((const char *)from + member->offset));
}

/* Only a finished job has a summary. */
static int
summary_find_status(const char *name)
{
	for (enum queue_status status = QUEUE_COMPLETE; status <= QUEUE_CANCELLED; status++)
		if (strcmp(queue_status_name(status), name) == 0)
			return (int)status;
	return -1;
}

static const char *
summary_status_name(int status)
{
	return queue_status_name((enum queue_status)status);
}

#define TEXT(field) MEMBER_CUSTOM_FIELD(struct summary, job.field, char *), MEMBER_REQUIRED, .parse = summary_parse_text, \
	.print = summary_print_text
#define COUNT(field) MEMBER_CUSTOM_FIELD(struct summary, job.field, size_t), .parse = summary_parse_count, \
	.print = summary_print_count

static const struct member counts[] = {
	{"blocked", COUNT(blocked)},
	{"delayed", COUNT(delayed)},
	{"done", COUNT(done)},
	{"failed", COUNT(failed)},
	{"ready", COUNT(ready)},
	{"running", COUNT(running)},
	{"skipped", COUNT(skipped)},
	{"total", COUNT(tasks)},
};
static const struct document count_table = {DOCUMENT_MEMBERS(counts)};

static const struct member status_members[] = {
	{"action", TEXT(action)},
	{"cluster", TEXT(cluster)},
	{"critical_path_s", MEMBER_NUMBER(struct summary, job.critical_path_s), 0, .number = {0, 1e18, 0}},
	{"finished_at", MEMBER_TIME(struct summary, job.finished_ms), MEMBER_REQUIRED},
	{"job", TEXT(id)},
	{"kind", MEMBER_KIND("status")},
	{"put_at", MEMBER_TIME(struct summary, job.put_ms), MEMBER_REQUIRED},
	{"status", MEMBER_WORD(struct summary, job.status, enum queue_status), MEMBER_REQUIRED,
	    .word_find = summary_find_status, .word_name = summary_status_name, .what = "not a status of a finished job"},
	{"tasks", MEMBER_INLINE, MEMBER_REQUIRED, .inner = &count_table},
	{"tenant", TEXT(tenant)},
};

static const struct member summary_members[] = {
	{"events_bytes", MEMBER_INTEGER(struct summary, events_bytes), MEMBER_REQUIRED},
	{"kind", MEMBER_KIND("summary")},
	{"provider", TEXT(provider)},
};

/* The file is a record of each, and the sum of both. */
static const struct document tables[] = {{DOCUMENT_MEMBERS(status_members)}, {DOCUMENT_MEMBERS(summary_members)}};

enum { TABLES = sizeof tables / sizeof *tables };

void
summary_save(struct open_job *job)
{
	struct summary summary = {.events_bytes = (int64_t)job->state.header->applied};
	struct buffer text = {0};
	struct error none;

	if (job_status(NULL, job, &summary.job, &none) < 0)
		return;
	for (int i = 0; i < TABLES; i++)
		document_print(&tables[i], &summary, &text);
	job_save_cache(job, "summary", &text);
	buffer_release(&text);
}

static bool
summary_parse(const struct buffer *text, struct summary *summary)
{
	struct problems problems = {0};
	struct arena arena = {0};
	const char *line = text->data;
	bool taken = true;

	for (int i = 0; taken && i < TABLES; i++) {
		const char *end = strchr(line, '\n');
		struct error none;
		struct place place;
		jv record;

		taken = end && json_parse("summary", line, (size_t)(end - line), &record, &none) == 0;
		if (!taken)
			break;
		place = place_root(record, &problems);
		document_parse(&tables[i], &place, &arena, summary);
		jv_free(record);
		line = end + 1;
	}
	taken = taken && problems.total == 0;
	problems_release(&problems);
	arena_release(&arena);
	return taken;
}

bool
summary_load(const struct spool *spool, const char *job, struct queue_job *out)
{
	int dir = id_is_valid(job) ? openat(spool->done, job, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct summary summary = {.events_bytes = -1};
	struct buffer text = {0};
	struct stat st;
	bool taken;

	if (dir < 0)
		return false;
	taken = job_load_cache(dir, "summary", &text) && summary_parse(&text, &summary) &&
	    fstatat(dir, "events.ndjson", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == summary.events_bytes &&
	    strcmp(summary.job.id, job) == 0;
	if (taken)
		*out = summary.job;
	buffer_release(&text);
	close(dir);
	return taken;
}
