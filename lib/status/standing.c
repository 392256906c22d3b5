/* SPDX-License-Identifier: Apache-2.0 */
#include "status/standing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "history/status-print.h"
#include "json/dump.h"
#include "queue/queue.h"

/* The members are appended in the order of their names, as in every record. */
static void
standing_add_text(const char *name, const char *text, struct buffer *out)
{
	buffer_printf(out, ",\"%s\":", name);
	if (text)
		json_quote(text, out);
	else
		buffer_text(out, "null");
}

static void
standing_add_time(const char *name, int64_t ms, struct buffer *out)
{
	char text[CLOCK_RFC3339_SIZE];

	standing_add_text(name, ms ? clock_rfc3339(ms, text) : NULL, out);
}

static void
standing_add_integer(const char *name, int64_t number, struct buffer *out)
{
	buffer_printf(out, ",\"%s\":%" PRId64, name, number);
}

/* The operation's members, without braces; job: what the queue knows of it, or NULL. */
static void
standing_operation_members(const struct operation *operation, const struct queue_job *job, struct buffer *out)
{
	char time[CLOCK_RFC3339_SIZE], id[CLUSTER_ID_SIZE];

	buffer_text(out, "\"action\":");
	json_quote(operation->action, out);
	standing_add_text("begun", clock_rfc3339(operation->begun_ms, time), out);
	standing_add_text("by", operation->user, out);
	standing_add_text("cluster", cluster_id_text(operation->cluster, id), out);
	standing_add_time("ended", operation->ended_ms, out);
	standing_add_text("job", operation->job, out);
	if (job)
		standing_add_text("jobstatus", queue_status_name(job->status), out);
	standing_add_text("kind", "operation", out);
	standing_add_text("message", operation->message, out);
	standing_add_integer("number", operation->number, out);
	standing_add_text("status", operation_status_name(operation->status), out);
	if (job) {
		buffer_text(out, ",\"tasks\":");
		status_print_counts(job, out);
	}
	standing_add_text("why", operation->why, out);
}

void
standing_print_operation(const struct operation *operation, struct buffer *out)
{
	buffer_byte(out, '{');
	standing_operation_members(operation, NULL, out);
	buffer_text(out, "}\n");
}

/* Only what is under way: what was done before is for coopr history. */
static void
standing_add_operation(const struct standing *standing, struct buffer *out)
{
	buffer_text(out, ",\"underway\":");
	if (!standing->operation) {
		buffer_text(out, "null");
		return;
	}
	buffer_byte(out, '{');
	standing_operation_members(standing->operation, standing->job, out);
	buffer_byte(out, '}');
}

void
standing_print(const struct standing *standing, struct buffer *out)
{
	const struct cluster_record *cluster = standing->cluster;
	char time[CLOCK_RFC3339_SIZE], id[CLUSTER_ID_SIZE];

	buffer_text(out, "{\"changed\":");
	json_quote(clock_rfc3339(cluster->changed_ms, time), out);
	buffer_text(out, ",\"cost\":");
	json_number(cluster->cost, out);
	standing_add_time("created", cluster->created_ms, out);
	standing_add_time("expires", cluster->expires_ms, out);
	if (standing->folder)
		standing_add_text("folder", standing->folder, out);
	standing_add_text("group", cluster->group, out);
	standing_add_text("id", cluster_id_text(cluster->id, id), out);
	standing_add_text("kind", "clusterstatus", out);
	standing_add_text("message", cluster->message, out);
	standing_add_text("name", cluster->name, out);
	standing_add_integer("nodes", cluster->nodes, out);
	standing_add_text("owner", cluster->owner, out);
	standing_add_text("provider", cluster->provider, out);
	buffer_printf(out, ",\"resources\":%s", cluster->resources ? cluster->resources : "{}");
	standing_add_text("status", life_status_name(cluster->status), out);
	standing_add_text("template", cluster->template, out);
	standing_add_text("tenant", cluster->tenant, out);
	standing_add_operation(standing, out);
	buffer_text(out, "}\n");
}

void
standing_progress(const struct standing *standing, struct buffer *out)
{
	const struct queue_job *job = standing->job;

	if (!standing->operation)
		return;
	buffer_text(out, standing->operation->action);
	if (!job)
		return;
	buffer_printf(out, " %zu/%zu", job->done + job->skipped, job->tasks);
	if (job->status != QUEUE_RUNNING)
		buffer_printf(out, ", %s", queue_status_name(job->status));
	else if (job->failed)
		buffer_printf(out, ", %zu failed", job->failed);
	if (standing->idle)
		buffer_printf(out, ", no worker is at it: coopr retry %s", standing->cluster->name);
}

enum terminal_style
standing_style(const struct cluster_record *cluster)
{
	switch (cluster->status) {
	case LIFE_ACTIVE:
		return STYLE_GOOD;
	case LIFE_PENDING:
		return STYLE_WARN;
	case LIFE_TERMINATED:
		return STYLE_DIM;
	default:
		return STYLE_BAD;
	}
}

char *
standing_span(int64_t ms, char text[STANDING_SPAN_SIZE])
{
	static const struct {
		int64_t ms;
		const char *name;
	} units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}};
	size_t i = 0;

	while (i < 3 && ms < 2 * units[i].ms)
		i++;
	snprintf(text, STANDING_SPAN_SIZE, "%" PRId64 " %s", ms > 0 ? ms / units[i].ms : 0, units[i].name);
	return text;
}
