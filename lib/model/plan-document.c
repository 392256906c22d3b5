/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan-document.h"

#include <stdlib.h>
#include <string.h>

#include "json/record.h"

static void
plan_take_step(const struct place *record, struct plan_document *document)
{
	if (document->count == document->capacity) {
		document->capacity = document->capacity ? 2 * document->capacity : 64;
		document->steps = memory_resize(document->steps, document->capacity, sizeof *document->steps);
		document->records = memory_resize(document->records, document->capacity, sizeof *document->records);
	}
	document->records[document->count] = record->index;
	step_parse(record, &document->layout.arena, &document->steps[document->count++]);
}

void
plan_document_take(struct plan_document *document, const struct place *record)
{
	const char *kind = record_kind(record->value);

	if (strcmp(kind, "job") == 0 && document->has_job) {
		place_problem(record, "a second job record");
	} else if (strcmp(kind, "job") == 0) {
		job_parse(record, &document->layout.arena, &document->job);
		document->has_job = true;
	} else if (strcmp(kind, "task") == 0 || strcmp(kind, "milestone") == 0) {
		plan_take_step(record, document);
	} else {
		layout_take(&document->layout, record);
	}
}

void
plan_document_end(struct plan_document *document, struct problems *problems)
{
	struct place stream = place_root((jv){0}, problems);

	nodes_sort(&stream, document->layout.nodes, document->layout.node_count);
}

int
plan_document_read(struct record_reader *reader, struct plan_document *document, struct problems *problems,
    struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv value;
	int got;

	*document = (struct plan_document){0};
	while ((got = record_read(reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		plan_document_take(document, &record);
		jv_free(value);
	}
	if (got < 0)
		return -1;
	if (!document->layout.has_cluster)
		place_problem(&stream, "there is no cluster record");
	if (!document->has_job)
		place_problem(&stream, "there is no job record");
	plan_document_end(document, problems);
	return 0;
}

void
plan_document_release(struct plan_document *document)
{
	free(document->steps);
	free(document->records);
	layout_release(&document->layout);
	*document = (struct plan_document){0};
}
