/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/drift.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cluster/clusters.h"
#include "model/show/list.h"
#include "probe/probe.h"

/* As records have them. */
static const char *const words[] = {"failed", "expired", "vanished", "unreachable", "stopped", "unknown", "unsaved", "unrestored", "unowned", "orphaned_volume"};

static const char *const stages[] = {"", "running", "done", "failed"};

const char *
drift_name(enum drift_what what)
{
	return what == DRIFT_ORPHANED ? "orphaned" : words[what];
}

const char *
drift_stage_name(enum drift_stage stage)
{
	return stages[stage];
}

bool
drift_is_probed(const char *name)
{
	return strcmp(name, words[DRIFT_UNREACHABLE]) == 0 || strcmp(name, words[DRIFT_STOPPED]) == 0 ||
	    strcmp(name, words[DRIFT_UNKNOWN]) == 0;
}

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
		.since_ms = drift->since_ms, .starts_not = drift->starts_not, .answers = drift->answers, .revives = drift->revives, .restores = drift->restores,
		.tenant = drift_keep(arena, drift->tenant), .name = drift_keep(arena, drift->name),
		.node = drift_keep(arena, drift->node), .service = drift_keep(arena, drift->service),
		.message = drift_keep(arena, drift->message), .waits_for = drift_keep(arena, drift->waits_for),
		.record = drift_keep(arena, drift->record), .provider = drift_keep(arena, drift->provider),
		.provider_name = drift_keep(arena, drift->provider_name),
		.keeps = drift_keep(arena, drift->keeps),
		.repair = drift_keep(arena, drift->repair), .stage = drift->stage, .note = drift_keep(arena, drift->note),
	};
}

/* Returns whether it is drift of that cluster that every look at the cluster finds. */
static bool
drift_is_of(const struct drift *drift, int64_t cluster)
{
	return drift->cluster == cluster && drift->what != DRIFT_UNSAVED && drift->what != DRIFT_ORPHANED && drift->what != DRIFT_ORPHANED_VOLUME;
}

void
drift_look_again(struct drift_list *list, int64_t cluster, const struct drift_list *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->list[i].stage != DRIFT_LEFT || !drift_is_of(&list->list[i], cluster))
			list->list[kept++] = list->list[i];
	list->count = kept;
	for (size_t i = 0; i < found->count; i++)
		if (drift_is_of(&found->list[i], cluster))
			drift_add(list, &found->list[i]);
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
drift_fill_cluster(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;
	char id[CLUSTER_ID_SIZE];

	list_cell_text(cell, drift->cluster ? cluster_id_text(drift->cluster, id) : NULL);
}

static void
drift_fill_node(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;

	list_cell_text(cell, drift->what == DRIFT_ORPHANED_VOLUME ? NULL : drift->node);
}

static void
drift_fill_volume(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;

	list_cell_text(cell, drift->what == DRIFT_ORPHANED_VOLUME ? drift->node : NULL);
}

static void
drift_fill_what(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;

	list_cell_text(cell, words[drift->what]);
	if (drift->what == DRIFT_ORPHANED)
		list_cell_show(cell, cell->style, "orphaned");
	if (drift->what == DRIFT_ORPHANED_VOLUME)
		list_cell_show(cell, cell->style, "orphaned volume");
}

/* A person reads how far the repair is. */
static void
drift_fill_repair(const void *row, struct list_cell *cell)
{
	static const enum terminal_style styles[] = {STYLE_PLAIN, STYLE_WARN, STYLE_GOOD, STYLE_BAD};
	const struct drift *drift = row;

	if (drift->repair && drift->what != DRIFT_ORPHANED)
		list_cell_show(cell, styles[drift->stage], "%s %s", drift->repair, stages[drift->stage]);
}

static void
drift_fill_stage(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;

	list_cell_text(cell, drift->stage == DRIFT_LEFT ? NULL : stages[drift->stage]);
}

static void
drift_fill_message(const void *row, struct list_cell *cell)
{
	const struct drift *drift = row;

	buffer_clear(&cell->text);
	if (drift->message)
		printable_line(drift->message, &cell->text);
}

#define AT(type, member) LIST_AT(type, struct drift, member)

static const struct list_column columns[] = {
	{"CLUSTER", "name", AT(TEXT, name), .style = STYLE_BOLD, .when = LIST_SPARSE},
	{"NODE", "node", .fill = drift_fill_node},
	{"VOLUME", "volume", .fill = drift_fill_volume, .when = LIST_SPARSE | LIST_FILLED},
	{"SERVICE", "service", AT(TEXT, service), .when = LIST_SPARSE},
	{"DRIFT", "what", .fill = drift_fill_what, .style = STYLE_BAD},
	{"REPAIR", "mended", AT(TEXT, repair), .fill = drift_fill_repair, .style = STYLE_GOOD, .when = LIST_SPARSE},
	{NULL, "repair", .fill = drift_fill_stage, .when = LIST_SPARSE},
	{"DETAILS", "message", AT(TEXT, message), .fill = drift_fill_message, .when = LIST_SPARSE},
	{NULL, "cluster", .fill = drift_fill_cluster},
	{NULL, "since", AT(TIME, since_ms), .when = LIST_SPARSE},
	{NULL, "tenant", AT(TEXT, tenant), .when = LIST_SPARSE},
	{0}};

static const struct list drift_rows = {.kind = "drift", .columns = columns, .row_size = sizeof(struct drift)};

void
drift_print(const struct drift_list *list, struct output *output)
{
	if (list->count)
		list_print(&drift_rows, list->list, list->count, output);
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
