/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/validate.h"

#include <string.h>

#include "catalogue/catalogue.h"
#include "catalogue/clusterspec.h"
#include "model/document.h"
#include "model/event.h"
#include "model/expectation.h"
#include "model/layout.h"
#include "model/limits.h"
#include "model/name.h"
#include "model/plan.h"
#include "model/request.h"
#include "model/result.h"

static const char *const kinds[] = {
	"provider", "hardwaretype", "imagetype", "service", "clustertemplate", "partialtemplate", "tenant", "request",
	"clusterspec", "cluster", "node", "unsatisfiable", "job", "task", "milestone", "take", "result", "event", "limits",
	"expectation", NULL
};

enum { FIRST_RECORD = 9 }; /* in kinds: from here on they are records of streams */

static void
validate_entity(enum entity_kind kind, const struct place *place)
{
	struct arena arena = {0};
	struct entity entity;

	document_check_kind(place, entity_kind_name(kind), NEED_OPTIONAL);
	entity_parse(kind, place, &arena, &entity);
	entity_release(&entity);
	arena_release(&arena);
}

static void
validate_tenant(const struct place *place)
{
	struct arena arena = {0};
	struct tenant tenant;

	tenant_parse(place, &arena, &tenant);
	jv_free(tenant.source);
	arena_release(&arena);
}

static void
validate_request(const struct place *place)
{
	struct request request;

	request_parse(place->value, &request, place->problems);
	request_release(&request);
}

static void
validate_cluster(const struct place *place)
{
	struct arena arena = {0};
	struct cluster cluster;

	cluster_parse(place, &arena, &cluster);
	cluster_release(&cluster);
	arena_release(&arena);
}

static void
validate_node(const struct place *place)
{
	struct arena arena = {0};
	struct node node;

	node_parse(place, &arena, &node);
	jv_free(node.source);
	arena_release(&arena);
}

static void
validate_job(const struct place *place)
{
	struct arena arena = {0};
	struct job job;

	job_parse(place, &arena, &job);
	arena_release(&arena);
}

static void
validate_unexpanded(const struct place *cluster, struct arena *arena)
{
	struct place list = place_member(cluster, "unexpanded");

	for (size_t i = 0; place_array(&list, NEED_OPTIONAL) && i < json_length(list.value); i++) {
		struct place element = place_element(&list, i);

		if (!place_object(&element, NEED_REQUIRED))
			continue;
		place_string(&element, "pointer", NEED_REQUIRED, arena);
		place_string(&element, "text", NEED_REQUIRED, arena);
	}
}

static void
validate_take_cluster(const struct place *cluster, struct arena *arena)
{
	struct place provider = place_member(cluster, "provider"), config = place_member(cluster, "config");
	struct provider parsed;

	if (!place_object(cluster, NEED_REQUIRED))
		return;
	name_parse_as(cluster, "id", NEED_REQUIRED, cluster_id_is_valid, "cluster id", arena);
	name_parse(cluster, "name", NEED_REQUIRED, arena);
	name_parse(cluster, "tenant", NEED_OPTIONAL, arena);
	place_string(cluster, "catalogue", NEED_OPTIONAL, arena);
	place_object(&config, NEED_OPTIONAL);
	validate_unexpanded(cluster, arena);
	provider_parse(&provider, arena, &parsed);
	jv_free(parsed.source);
}

/* A task that coopr-queue take has given out carries the machine, the cluster and the attempt. */
static void
validate_handed_out(const struct place *place, struct arena *arena)
{
	static const char *const texts[] = {"worker", "nodes", "log", "token"};
	struct place machine = place_member(place, "machine"), cluster = place_member(place, "cluster");
	struct place attempt = place_member(place, "attempt");

	name_parse(place, "job", NEED_REQUIRED, arena);
	place_integer(place, "attempt", 1, 1, INT64_MAX);
	if (!place_present(&attempt))
		place_problem(&attempt, "expected number, found %s", json_kind_name(attempt.value));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		place_string(place, texts[i], NEED_OPTIONAL, arena);
	validate_node(&machine);
	validate_take_cluster(&cluster, arena);
}

static void
validate_take(const struct place *place)
{
	struct arena arena = {0};
	struct step step;

	step_parse(place, &arena, &step);
	validate_handed_out(place, &arena);
	arena_release(&arena);
}

static void
validate_step(const struct place *place)
{
	struct place job = place_member(place, "job");
	struct arena arena = {0};
	struct step step;

	step_parse(place, &arena, &step);
	if (place_present(&job) && !step.is_milestone)
		validate_handed_out(place, &arena);
	arena_release(&arena);
}

static void
validate_result(const struct place *place)
{
	struct result result;

	result_parse(place, &result);
	result_release(&result);
}

static void
validate_expectation(const struct place *place)
{
	struct expectations expectations = {0};

	if (place_object(place, NEED_REQUIRED))
		expectations_take(&expectations, place);
	expectations_release(&expectations);
}

static bool
validate_is_pointer(const char *text)
{
	for (const char *p = text; *p; p++)
		if (*p == '~' && p[1] != '0' && p[1] != '1')
			return false;
	return !*text || *text == '/';
}

static void
validate_unsatisfiable(const struct place *place)
{
	struct place conflict = place_member(place, "conflict");
	struct arena arena = {0};

	if (!place_object(place, NEED_REQUIRED))
		return;
	document_check_kind(place, "unsatisfiable", NEED_REQUIRED);
	place_string(place, "because", NEED_REQUIRED, &arena);
	if (place_array(&conflict, NEED_REQUIRED))
		place_strings(place, "conflict", &arena);
	for (size_t i = 0; i < json_length(conflict.value); i++) {
		struct place pointer = place_element(&conflict, i);
		const char *text = json_string(pointer.value);

		if (text && !validate_is_pointer(text))
			place_problem(&pointer, "\"%.80s\" is no JSON Pointer", text);
	}
	arena_release(&arena);
}

static void
validate_event(const struct place *place)
{
	struct arena arena = {0};
	struct event event;

	event_parse(place, &arena, &event);
	arena_release(&arena);
}

static void
validate_limits(const struct place *place)
{
	struct limits limits;

	limits_parse(place, &limits);
	limits_release(&limits);
}

static void
validate_clusterspec(const struct place *place)
{
	struct clusterspec spec;

	clusterspec_parse(place, &spec);
	clusterspec_release(&spec);
}

bool
validate_document(const char *kind, const struct place *place)
{
	static const struct {
		const char *kind;
		void (*validate)(const struct place *place);
	} others[] = {
		{"tenant", validate_tenant}, {"request", validate_request}, {"cluster", validate_cluster},
		{"node", validate_node}, {"job", validate_job}, {"task", validate_step}, {"milestone", validate_step},
		{"take", validate_take}, {"result", validate_result}, {"unsatisfiable", validate_unsatisfiable}, {"event",
		    validate_event},
		{"limits", validate_limits}, {"expectation", validate_expectation}, {"clusterspec", validate_clusterspec},
	};
	enum entity_kind entity = entity_kind_of(kind);

	if (entity != ENTITY_NONE) {
		validate_entity(entity, place);
		return true;
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(others[i].kind, kind) == 0) {
			others[i].validate(place);
			return true;
		}
	return false;
}

const char *const *
validate_kinds(void)
{
	return kinds;
}

bool
validate_is_record(const char *kind)
{
	for (size_t i = FIRST_RECORD; kinds[i]; i++)
		if (strcmp(kinds[i], kind) == 0)
			return true;
	return false;
}
