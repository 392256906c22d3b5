/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/validate.h"

#include <string.h>

#include "base/memory.h"
#include "catalogue/clusterspec.h"
#include "model/answer/answer.h"
#include "model/document.h"
#include "model/event.h"
#include "model/expectation.h"
#include "model/layout.h"
#include "model/limits.h"
#include "model/plan.h"
#include "model/request.h"
#include "model/result.h"
#include "model/saved-plan-record.h"
#include "model/take/take-record.h"

static const struct {
	const char *kind;
	const struct document *table;
	const struct document *also; /* of the same document; or NULL */
} kinds[] = {
	{"provider", &provider_table, NULL},
	{"hardwaretype", &hardwaretype_table, NULL},
	{"imagetype", &imagetype_table, NULL},
	{"service", &service_table, NULL},
	{"clustertemplate", &cluster_template_table, NULL},
	{"partialtemplate", &cluster_template_table, NULL},
	{"tenant", &tenant_table, NULL},
	{"request", &request_table, NULL},
	{"clusterspec", &clusterspec_table, NULL},
	{"cluster", &cluster_table, NULL},
	{"node", &node_table, NULL},
	{"unsatisfiable", &unsatisfiable_table, NULL},
	{"job", &job_table, NULL},
	{"task", &step_table, NULL},
	{"milestone", &step_table, NULL},
	{"take", &step_table, &take_record_table},
	{"result", &result_table, NULL},
	{"event", &event_table, NULL},
	{"limits", &limits_table, NULL},
	{"expectation", &expectation_table, NULL},
	{"savedplan", &saved_plan_table, NULL},
	{"seal", &seal_table, NULL},
};

enum {
	KIND_COUNT = sizeof kinds / sizeof *kinds,
	FIRST_RECORD = 9, /* in kinds: from here on they are records of streams */
};

static int
validate_find(const char *kind)
{
	for (int i = 0; i < KIND_COUNT; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return i;
	return -1;
}

bool
validate_tables(const char *kind, const struct document *tables[2])
{
	int found = validate_find(kind);

	if (found < 0)
		return false;
	tables[0] = kinds[found].table;
	tables[1] = kinds[found].also;
	return true;
}

/* A task that was given out is a take record as well. */
static bool
validate_is_taken(const char *kind, const struct place *place)
{
	struct place job = place_member(place, "job");

	return strcmp(kind, "task") == 0 && place_present(&job);
}

bool
validate_document(const char *kind, const struct place *place)
{
	const struct document *tables[2];
	bool is_object = jv_get_kind(place->value) == JV_KIND_OBJECT;
	struct arena arena = {0};

	if (!validate_tables(kind, tables))
		return false;
	if (is_object && !document_member(tables[0], "kind"))
		document_check_kind(place, kind, NEED_OPTIONAL);
	document_validate(tables[0], place, &arena);
	if (is_object && (tables[1] || validate_is_taken(kind, place)))
		document_validate(&take_record_table, place, &arena);
	arena_release(&arena);
	return true;
}

const char *const *
validate_kinds(void)
{
	static const char *names[KIND_COUNT + 1];

	for (size_t i = 0; i < KIND_COUNT; i++)
		names[i] = kinds[i].kind;
	return names;
}

bool
validate_is_record(const char *kind)
{
	return validate_find(kind) >= FIRST_RECORD;
}
