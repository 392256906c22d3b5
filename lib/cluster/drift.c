/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/drift.h"

#include <stdlib.h>

#include "base/terminal.h"
#include "json/record.h"
#include "store/clusters.h"

static const char *const words[] = {"vanished", "unowned", "stopped"};

static const char *
keep(struct arena *arena, const char *text)
{
	return text ? arena_string(arena, text) : NULL;
}

void
drift_add(struct drift_list *list, const struct drift *drift)
{
	struct arena *arena = &list->arena;

	ARRAY_ROOM(list->list, list->count, list->capacity);
	list->list[list->count++] = (struct drift){
		.what = drift->what, .cluster = drift->cluster,
		.tenant = keep(arena, drift->tenant), .name = keep(arena, drift->name),
		.node = keep(arena, drift->node), .service = keep(arena, drift->service),
		.record = keep(arena, drift->record), .provider = keep(arena, drift->provider),
		.mended = keep(arena, drift->mended),
	};
}

static void
set_if(jv *record, const char *name, const char *text)
{
	if (text)
		json_set_string(record, name, text);
}

void
drift_write(const struct drift_list *list, FILE *stream)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct drift *drift = &list->list[i];
		char id[CLUSTER_ID_SIZE];
		jv record = jv_object();

		json_set_string(&record, "kind", "drift");
		json_set_string(&record, "cluster", drift->cluster ? cluster_id_text(drift->cluster, id) : NULL);
		json_set_string(&record, "node", drift->node);
		json_set_string(&record, "what", words[drift->what]);
		set_if(&record, "name", drift->name);
		set_if(&record, "tenant", drift->tenant);
		set_if(&record, "service", drift->service);
		set_if(&record, "mended", drift->mended);
		record_write(record, stream);
		jv_free(record);
	}
}

void
drift_print(const struct drift_list *list, FILE *stream, bool colour)
{
	static const char *const columns[] = {"CLUSTER", "NODE", "SERVICE", "WHAT", "MENDED", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct drift *drift = &list->list[i];

		table_cell(&table, STYLE_BOLD, "%s", drift->name ? drift->name : "-");
		table_cell(&table, STYLE_PLAIN, "%s", drift->node);
		table_cell(&table, STYLE_PLAIN, "%s", drift->service ? drift->service : "-");
		table_cell(&table, STYLE_BAD, "%s", words[drift->what]);
		table_cell(&table, STYLE_GOOD, "%s", drift->mended ? drift->mended : "-");
	}
	if (list->count)
		table_print(&table, stream, colour, true);
	table_release(&table);
}

void
drift_release(struct drift_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct drift_list){0};
}
