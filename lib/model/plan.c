/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan.h"

#include <string.h>

#include "base/buffer.h"
#include "model/document.h"
#include "model/name.h"
#include "model/print.h"
#include "model/unavailable.h"

void
job_print(const struct job *job, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", job->action);
	print_string(&print, "cluster", job->cluster);
	print_number(&print, "critical_path_s", job->critical_path_s);
	if (job->dead.count)
		print_strings(&print, "dead", &job->dead);
	print_string(&print, "id", job->id);
	print_string(&print, "kind", "job");
	if (job->max_unavailable)
		print_string(&print, "max_unavailable", job->max_unavailable);
	if (job->rolling)
		print_json(&print, "rolling", "true");
	print_integer(&print, "tasks", (int64_t)job->tasks);
	print_string(&print, "tenant", job->tenant);
	print_end(&print);
}

static void
plan_print_milestone(const struct step *step, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_strings(&print, "after", &step->after);
	print_string(&print, "id", step->id);
	print_string(&print, "kind", "milestone");
	print_string(&print, "name", step->name);
	print_number(&print, "rank", step->rank);
	print_end(&print);
}

void
step_print(const struct step *step, struct buffer *out)
{
	struct print print;

	if (step->is_milestone) {
		plan_print_milestone(step, out);
		return;
	}
	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(step->action));
	print_strings(&print, "after", &step->after);
	print_number(&print, "expect_s", step->expect_s);
	print_json(&print, "fields", step->fields ? step->fields : "{}");
	print_string(&print, "id", step->id);
	print_string(&print, "kind", "task");
	print_string(&print, "node", step->node);
	print_number(&print, "rank", step->rank);
	print_integer(&print, "retries", step->retries);
	print_string(&print, "service", step->service);
	print_integer(&print, "timeout_s", step->timeout_s);
	print_string(&print, "type", step->type);
	if (step->undo.count)
		print_strings(&print, "undo", &step->undo);
	print_end(&print);
}

void
job_parse(const struct place *place, struct arena *arena, struct job *job)
{
	*job = (struct job){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	document_check_kind(place, "job", NEED_REQUIRED);
	job->id = name_parse(place, "id", NEED_OPTIONAL, arena);
	job->cluster = name_parse(place, "cluster", NEED_REQUIRED, arena);
	job->tenant = name_parse(place, "tenant", NEED_OPTIONAL, arena);
	if (!job->tenant)
		job->tenant = "default";
	job->action = name_parse(place, "action", NEED_REQUIRED, arena);
	job->tasks = (size_t)place_integer(place, "tasks", 0, 0, INT64_MAX);
	job->critical_path_s = place_number(place, "critical_path_s", 0, 0, EXPECT_MAX_S);
	job->dead = name_list_parse(place, "dead", arena);
	job->rolling = place_boolean(place, "rolling", false);
	job->max_unavailable = name_parse_as(place, "max_unavailable", NEED_OPTIONAL, unavailable_is_valid,
	    "number of nodes", arena);
}

static enum action
plan_parse_action(const struct place *place)
{
	const char *text = json_string(place->value);
	enum action action = text ? action_of_name(text) : ACTION_NONE;

	if (!text)
		place_problem(place, "expected string, found %s", json_kind_name(place->value));
	else if (action == ACTION_NONE)
		place_problem(place, "\"%.80s\" is no action", text);
	return action;
}

static void
plan_parse_undo(const struct place *task, struct arena *arena, struct step *step)
{
	struct place list = place_member(task, "undo");

	step->undo = name_list_parse(task, "undo", arena);
	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place element = place_element(&list, i);

		if (json_string(element.value))
			plan_parse_action(&element);
	}
}

static void
plan_parse_fields(const struct place *task, struct arena *arena, struct step *step)
{
	struct place fields = place_member(task, "fields");
	struct buffer text = {0};

	step->fields = "{}";
	if (!place_object(&fields, NEED_OPTIONAL))
		return;
	json_dump(fields.value, &text);
	step->fields = arena_string(arena, text.data);
	buffer_release(&text);
}

static void
plan_parse_task(const struct place *place, struct arena *arena, struct step *step)
{
	struct place action = place_member(place, "action");

	step->node = name_parse(place, "node", NEED_REQUIRED, arena);
	step->action = plan_parse_action(&action);
	step->service = name_parse(place, "service", NEED_OPTIONAL, arena);
	step->type = name_parse(place, "type", NEED_REQUIRED, arena);
	step->timeout_s = place_integer(place, "timeout_s", ACTION_TIMEOUT_S, 1, ACTION_TIMEOUT_MAX_S);
	step->retries = place_integer(place, "retries", ACTION_RETRIES, 0, ACTION_RETRIES_MAX);
	step->expect_s = place_number(place, "expect_s", 0, 0, EXPECT_MAX_S);
	plan_parse_fields(place, arena, step);
	plan_parse_undo(place, arena, step);
	if (step->action != ACTION_NONE && step->action != ACTION_STATUS &&
	    action_is_hardware(step->action) != !step->service)
		place_problem(place, step->service ? "%s is done to the node, not to a service"
		    : "%s is done to a service, and none is named", action_name(step->action));
}

void
step_parse(const struct place *place, struct arena *arena, struct step *step)
{
	const char *kind = json_string(place_member(place, "kind").value);

	*step = (struct step){.action = ACTION_NONE};
	if (!place_object(place, NEED_REQUIRED))
		return;
	step->is_milestone = kind && strcmp(kind, "milestone") == 0;
	if (!step->is_milestone)
		document_check_kind(place, "task", NEED_REQUIRED);
	step->id = name_parse(place, "id", NEED_REQUIRED, arena);
	step->after = name_list_parse(place, "after", arena);
	step->rank = place_number(place, "rank", 0, 0, EXPECT_MAX_S);
	if (step->is_milestone)
		step->name = place_string(place, "name", NEED_OPTIONAL, arena);
	else
		plan_parse_task(place, arena, step);
}
