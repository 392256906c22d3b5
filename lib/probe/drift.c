/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/drift.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "cluster/clusters.h"
#include "json/record.h"
#include "probe/probe.h"

static const char *const words[] = {"failed", "vanished", "unreachable", "stopped", "unknown", "unowned"};

static const char *
drift_keep(struct arena *arena, const char *text)
{
	return text ? arena_string(arena, text) : NULL;
}

void
drift_add(struct drift_list *list, const struct drift *drift)
{
	struct arena *arena = &list->arena;

	ARRAY_ROOM(list->list, list->count, list->capacity);
	list->list[list->count++] = (struct drift){
		.what = drift->what, .cluster = drift->cluster, .operation = drift->operation,
		.since_ms = drift->since_ms, .answers = drift->answers,
		.tenant = drift_keep(arena, drift->tenant), .name = drift_keep(arena, drift->name),
		.node = drift_keep(arena, drift->node), .service = drift_keep(arena, drift->service),
		.message = drift_keep(arena, drift->message),
		.record = drift_keep(arena, drift->record), .provider = drift_keep(arena, drift->provider),
		.provider_name = drift_keep(arena, drift->provider_name),
		.mended = drift_keep(arena, drift->mended),
	};
}

/* NULL comes first. */
static int
drift_compare_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int
drift_compare_drift(const void *left, const void *right)
{
	const struct drift *a = left, *b = right;
	uint64_t one = (uint64_t)a->cluster - 1, other = (uint64_t)b->cluster - 1;
	int order = (one > other) - (one < other);

	if (order == 0)
		order = (a->what > b->what) - (a->what < b->what);
	if (order == 0)
		order = drift_compare_text(a->node, b->node);
	return order ? order : drift_compare_text(a->service, b->service);
}

void
drift_sort(struct drift_list *list)
{
	if (list->count)
		qsort(list->list, list->count, sizeof *list->list, drift_compare_drift);
}

static void
drift_set_if(jv *record, const char *name, const char *text)
{
	if (text)
		json_set_string(record, name, text);
}

static jv
drift_record_of(const struct drift *drift)
{
	char id[CLUSTER_ID_SIZE], since[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	json_set_string(&record, "kind", "drift");
	json_set_string(&record, "cluster", drift->cluster ? cluster_id_text(drift->cluster, id) : NULL);
	json_set_string(&record, "node", drift->node);
	json_set_string(&record, "what", words[drift->what]);
	drift_set_if(&record, "name", drift->name);
	drift_set_if(&record, "tenant", drift->tenant);
	drift_set_if(&record, "service", drift->service);
	drift_set_if(&record, "message", drift->message);
	drift_set_if(&record, "mended", drift->mended);
	if (drift->since_ms)
		json_set_string(&record, "since", clock_rfc3339(drift->since_ms, since));
	return record;
}

void
drift_write(const struct drift_list *list, FILE *stream)
{
	for (size_t i = 0; i < list->count; i++) {
		jv record = drift_record_of(&list->list[i]);

		record_write(record, stream);
		jv_free(record);
	}
}

void
drift_print(const struct drift_list *list, FILE *stream, bool colour)
{
	static const char *const columns[] = {"CLUSTER", "NODE", "SERVICE", "WHAT", "MENDED", "WHY", NULL};
	struct table table = {0};
	struct buffer why = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct drift *drift = &list->list[i];

		table_cell(&table, STYLE_BOLD, "%s", drift->name ? drift->name : "-");
		table_cell(&table, STYLE_PLAIN, "%s", drift->node ? drift->node : "-");
		table_cell(&table, STYLE_PLAIN, "%s", drift->service ? drift->service : "-");
		table_cell(&table, STYLE_BAD, "%s", words[drift->what]);
		table_cell(&table, STYLE_GOOD, "%s", drift->mended ? drift->mended : "-");
		buffer_clear(&why);
		if (drift->message)
			printable_line(drift->message, &why);
		table_cell(&table, STYLE_PLAIN, "%s", why.length ? why.data : "");
	}
	if (list->count)
		table_print(&table, stream, colour, true);
	table_release(&table);
	buffer_release(&why);
}

void
drift_release(struct drift_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct drift_list){0};
}

void
drift_of_finding(const struct probe_finding *finding, struct drift *drift)
{
	drift->what = finding->answer == PROBE_NO ? DRIFT_STOPPED
	    : finding->answer == PROBE_SILENT && !finding->service ? DRIFT_UNREACHABLE : DRIFT_UNKNOWN;
	drift->node = finding->node->id;
	drift->service = finding->service;
	drift->message = finding->message;
}
