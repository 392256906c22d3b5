/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan.h"

#include <string.h>

#include "base/memory.h"
#include "model/document.h"
#include "model/entity.h"
#include "model/name.h"
#include "model/print.h"
#include "model/unavailable.h"

static bool
job_is_measured(const void *from)
{
	return ((const struct job *)from)->runs > 0;
}

static bool
job_has_scope(const void *from)
{
	return ((const struct job *)from)->has_scope;
}

static void
plan_check_without(const struct place *place)
{
	struct members members = members_of(place);
	struct arena scratch = {0};
	struct place nodes;

	while (members_next(&members, &nodes))
		name_read_list(&nodes, NEED_REQUIRED, &scratch);
	arena_release(&scratch);
}

static void
job_check(const struct place *place, struct arena *arena, void *to)
{
	struct place scope = place_member(place, "scope");

	(void)arena;
	((struct job *)to)->has_scope = jv_get_kind(scope.value) == JV_KIND_OBJECT;
}

static const struct member scope_members[] = {
	{"action", MEMBER_NAME(struct job, scope_action), MEMBER_OMITTED},
	{"graceful", MEMBER_BOOLEAN(struct job, scope_graceful), MEMBER_OMITTED},
	{"max_unavailable", MEMBER_STRING(struct job, scope_max_unavailable), MEMBER_OMITTED, .is_valid = unavailable_is_valid,
	    .what = "not a number of nodes"},
	{"nodes", MEMBER_NAMES(struct job, scope_nodes), MEMBER_OMITTED},
	{"services", MEMBER_NAMES(struct job, scope_services), MEMBER_OMITTED},
};
static const struct document job_scope = {DOCUMENT_MEMBERS(scope_members)};

static const struct member job_members[] = {
	{"action", MEMBER_NAME(struct job, action), MEMBER_REQUIRED},
	{"cluster", MEMBER_NAME(struct job, cluster), MEMBER_REQUIRED},
	{"critical_path_s", MEMBER_NUMBER(struct job, critical_path_s), 0, .number = {0, EXPECT_MAX_S, 0}},
	{"dead", MEMBER_NAMES(struct job, dead), MEMBER_OMITTED},
	{"expected_p90_s", MEMBER_NUMBER(struct job, expected_p90_s), 0, .number = {0, EXPECT_MAX_S, 0},
	    .is_printed = job_is_measured},
	{"expected_s", MEMBER_NUMBER(struct job, expected_s), 0, .number = {0, EXPECT_MAX_S, 0}, .is_printed = job_is_measured},
	{"id", MEMBER_NAME(struct job, id), 0},
	{"kind", MEMBER_KIND("job")},
	{"max_unavailable", MEMBER_STRING(struct job, max_unavailable), MEMBER_OMITTED, .is_valid = unavailable_is_valid,
	    .what = "not a number of nodes"},
	{"rolling", MEMBER_BOOLEAN(struct job, rolling), MEMBER_OMITTED},
	{"runs", MEMBER_INTEGER(struct job, runs), MEMBER_OMITTED},
	{"scope", MEMBER_INLINE, 0, .inner = &job_scope, .is_printed = job_has_scope},
	{"slots", MEMBER_INTEGER(struct job, slots), MEMBER_OMITTED},
	{"tasks", MEMBER_INTEGER(struct job, tasks), 0},
	{"tenant", MEMBER_NAME(struct job, tenant), 0, .otherwise = "default"},
	{"unmeasured", MEMBER_INTEGER(struct job, unmeasured), MEMBER_OMITTED},
	{"without", MEMBER_TEXT(struct job, without), MEMBER_OMITTED, .check = plan_check_without},
};

const struct document job_table = {DOCUMENT_MEMBERS(job_members), .size = sizeof(struct job), .check = job_check};

void
job_parse(const struct place *place, struct arena *arena, struct job *job)
{
	document_parse(&job_table, place, arena, job);
}

void
job_print(const struct job *job, struct buffer *out)
{
	document_print(&job_table, job, out);
}

enum { STEP_IS_TASK = 1, STEP_IS_MILESTONE = 2 };

static unsigned
step_variant(const void *from)
{
	return ((const struct step *)from)->is_milestone ? STEP_IS_MILESTONE : STEP_IS_TASK;
}

static void
step_parse_kind(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct step *step = to;
	const char *kind = json_string(place->value);

	(void)member;
	(void)arena;
	step->is_milestone = kind && strcmp(kind, "milestone") == 0;
	if (!step->is_milestone && place->up)
		document_check_kind(place->up, "task", NEED_REQUIRED);
}

static void
step_print_kind(const struct member *member, const void *from, struct print *print)
{
	print_string(print, member->name, ((const struct step *)from)->is_milestone ? "milestone" : "task");
}

static void
step_check_undo(const struct place *place)
{
	for (size_t i = 0; i < json_length(place->value); i++) {
		struct place element = place_element(place, i);
		const char *text = json_string(element.value);

		if (text && action_of_name(text) == ACTION_NONE)
			place_problem(&element, "\"%.80s\" is not an action", text);
	}
}

static void
step_check(const struct place *place, struct arena *arena, void *to)
{
	struct step *step = to;

	(void)arena;
	if (!step->is_milestone && step->action != ACTION_NONE && step->action != ACTION_STATUS &&
	    action_is_hardware(step->action) != !step->service)
		place_problem(place, step->service ? "%s is done to the node, not to a service"
		    : "%s is done to a service, and none is named", action_name(step->action));
}

static bool
step_is_measured(const void *from)
{
	return ((const struct step *)from)->runs > 0;
}

static const struct member step_members[] = {
	{"action", MEMBER_ACTION(struct step, action), MEMBER_REQUIRED, .variants = STEP_IS_TASK},
	{"after", MEMBER_NAMES(struct step, after), 0},
	{"archive", MEMBER_NAME(struct step, archive), MEMBER_OMITTED, .variants = STEP_IS_TASK},
	{"expect_s", MEMBER_NUMBER(struct step, expect_s), 0, .variants = STEP_IS_TASK, .number = {0, EXPECT_MAX_S, 0}},
	{"fields", MEMBER_TEXT(struct step, fields), 0, .variants = STEP_IS_TASK, .otherwise = "{}"},
	{"id", MEMBER_NAME(struct step, id), MEMBER_REQUIRED},
	{"kind", MEMBER_CUSTOM, MEMBER_REQUIRED | MEMBER_FIRST, .parse = step_parse_kind, .print = step_print_kind},
	{"name", MEMBER_STRING(struct step, name), 0, .variants = STEP_IS_MILESTONE},
	{"node", MEMBER_NAME(struct step, node), MEMBER_REQUIRED, .variants = STEP_IS_TASK},
	{"of", MEMBER_STRING(struct step, of), MEMBER_OMITTED, .variants = STEP_IS_TASK},
	{"p90_s", MEMBER_NUMBER(struct step, p90_s), 0, .variants = STEP_IS_TASK, .number = {0, EXPECT_MAX_S, 0},
	    .is_printed = step_is_measured},
	{"patience_s", MEMBER_INTEGER(struct step, patience_s), 0, .variants = STEP_IS_TASK,
	    .integer = {0, ACTION_PATIENCE_MAX_S, ACTION_PATIENCE_S}},
	{"rank", MEMBER_NUMBER(struct step, rank), 0, .number = {0, EXPECT_MAX_S, 0}},
	{"retries", MEMBER_INTEGER(struct step, retries), 0, .variants = STEP_IS_TASK,
	    .integer = {0, ACTION_RETRIES_MAX, ACTION_RETRIES}},
	{"runs", MEMBER_INTEGER(struct step, runs), MEMBER_OMITTED, .variants = STEP_IS_TASK},
	{"scripts", MEMBER_NAME(struct step, scripts), MEMBER_OMITTED, .variants = STEP_IS_TASK},
	{"service", MEMBER_NAME(struct step, service), 0, .variants = STEP_IS_TASK},
	{"timeout_s", MEMBER_INTEGER(struct step, timeout_s), 0, .variants = STEP_IS_TASK,
	    .integer = {1, ACTION_TIMEOUT_MAX_S, ACTION_TIMEOUT_S}},
	{"type", MEMBER_NAME(struct step, type), MEMBER_REQUIRED, .variants = STEP_IS_TASK},
	{"undo", MEMBER_NAMES(struct step, undo), MEMBER_OMITTED, .variants = STEP_IS_TASK, .check = step_check_undo},
	{"without", MEMBER_TEXT(struct step, without), MEMBER_OMITTED, .variants = STEP_IS_TASK, .check = plan_check_without},
};

const struct document step_table = {DOCUMENT_MEMBERS(step_members), .size = sizeof(struct step),
	.variant = step_variant, .check = step_check};

void
step_parse(const struct place *place, struct arena *arena, struct step *step)
{
	document_parse(&step_table, place, arena, step);
	if (step->is_milestone)
		step->action = ACTION_NONE;
}

void
step_take_service(struct step *step, const struct service *service, const struct service_action *does)
{
	step->service = service->name;
	step->of = service->of;
	step->type = does->type;
	step->scripts = does->kept ? does->digest : NULL;
	step->timeout_s = does->timeout_s;
	step->retries = does->retries;
	step->patience_s = does->patience_s;
	step->expect_s = does->expect_s;
}

void
step_print(const struct step *step, struct buffer *out)
{
	document_print(&step_table, step, out);
}
