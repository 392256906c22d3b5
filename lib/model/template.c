/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/document.h"
#include "model/duration.h"
#include "model/entity.h"
#include "model/name.h"
#include "model/unavailable.h"

static const struct member compatibility_members[] = {
	{"hardwaretypes", MEMBER_NAMES(struct cluster_template, compatible_hardwaretypes), 0},
	{"imagetypes", MEMBER_NAMES(struct cluster_template, compatible_imagetypes), 0},
	{"services", MEMBER_NAMES(struct cluster_template, compatible_services), 0},
};
static const struct document compatibility = {DOCUMENT_MEMBERS(compatibility_members)};

static const struct member default_service_members[] = {
	{"config", MEMBER_PASSED, 0},
	{"name", MEMBER_NAME(struct default_service, name), MEMBER_REQUIRED},
};
static const struct document default_service = {DOCUMENT_MEMBERS(default_service_members),
	.size = sizeof(struct default_service)};

/* Takes a list whose elements are "nginx", or {"name":"nginx","config":...}. */
static void
template_parse_default_services(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct cluster_template *out = to;
	size_t count;

	(void)member;
	if (!place_array(place, NEED_OPTIONAL))
		return;
	count = json_length(place->value);
	out->default_services = arena_alloc(arena, count, sizeof *out->default_services);
	for (size_t i = 0; i < count; i++) {
		struct place element = place_element(place, i), config = place_member(&element, "config");
		struct default_service *service = &out->default_services[out->default_service_count];
		const char *text = json_string(element.value);

		*service = (struct default_service){0};
		if (jv_get_kind(element.value) == JV_KIND_OBJECT)
			document_parse(&default_service, &element, arena, service);
		else if (!text)
			place_problem(&element, "expected string or object, found %s", json_kind_name(element.value));
		else if (!name_is_valid(text))
			place_problem(&element, "\"%.80s\" is not the name of a service", text);
		else
			service->name = arena_string(arena, text);
		if (place_present(&config))
			service->config = config.value;
		if (service->name)
			out->default_service_count++;
	}
}

/* Forms that were filled in leave blank what is not chosen. */
static const struct member defaults_members[] = {
	{"config", MEMBER_VALUE(struct cluster_template, default_config), 0},
	{"dnsSuffix", MEMBER_STRING(struct cluster_template, default_dns_suffix), MEMBER_BLANK, .is_valid = name_is_dns_suffix,
	    .what = "not a DNS suffix"},
	{"hardwaretype", MEMBER_NAME(struct cluster_template, default_hardwaretype), MEMBER_BLANK},
	{"imagetype", MEMBER_NAME(struct cluster_template, default_imagetype), MEMBER_BLANK},
	{"provider", MEMBER_NAME(struct cluster_template, default_provider), MEMBER_BLANK},
	{"services", MEMBER_CUSTOM, 0, .parse = template_parse_default_services},
};
static const struct document defaults = {DOCUMENT_MEMBERS(defaults_members)};

static const struct member size_members[] = {
	{"max", MEMBER_INTEGER(struct cluster_template, size_max), 0, .integer = {0, INT64_MAX, INT64_MAX}},
	{"min", MEMBER_INTEGER(struct cluster_template, size_min), 0, .integer = {0, INT64_MAX, 1}},
};
static const struct document size = {DOCUMENT_MEMBERS(size_members)};

static const struct member quantities_members[] = {
	{"max", MEMBER_INTEGER(struct service_constraint, max), 0, .integer = {0, INT64_MAX, INT64_MAX},
	    MEMBER_PRESENT(struct service_constraint, has_max)},
	{"min", MEMBER_INTEGER(struct service_constraint, min), 0, MEMBER_PRESENT(struct service_constraint, has_min)},
};
static const struct document quantities = {DOCUMENT_MEMBERS(quantities_members)};

static const struct member service_constraint_members[] = {
	{"*", MEMBER_NAME(struct service_constraint, service), MEMBER_KEY, .is_valid = name_is_valid,
	    .what = "not the name of a service"},
	{"hardwaretypes", MEMBER_NAMES(struct service_constraint, hardwaretypes), 0},
	{"imagetypes", MEMBER_NAMES(struct service_constraint, imagetypes), 0},
	{"quantities", MEMBER_INLINE, 0, .inner = &quantities},
};
static const struct document service_constraint = {DOCUMENT_MEMBERS(service_constraint_members),
	.size = sizeof(struct service_constraint)};

/* A list of sets of names. The sets stay in their order, so that an index here is one in the document. */
static void
template_parse_sets(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct service_sets *sets = (struct service_sets *)(void *)((char *)to + member->offset);

	if (!place_array(place, NEED_OPTIONAL))
		return;
	sets->count = json_length(place->value);
	sets->list = arena_alloc(arena, sets->count, sizeof *sets->list);
	for (size_t i = 0; i < sets->count; i++) {
		struct place set = place_element(place, i);

		sets->list[i] = name_set_of(&set, arena);
	}
}

#define MEMBER_SETS(field) \
	MEMBER_CUSTOM_FIELD(struct cluster_template, field, struct service_sets), .parse = template_parse_sets

static const struct member layout_members[] = {
	{"cantcoexist", MEMBER_SETS(cantcoexist)},
	{"mustcoexist", MEMBER_SETS(mustcoexist)},
	{"mutuallyexclusive", MEMBER_SETS(mutuallyexclusive)},
};
static const struct document layout = {DOCUMENT_MEMBERS(layout_members)};

static void
template_parse_terms(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct count_rule *rule = to;
	struct members members;
	struct place term;

	(void)member;
	if (!place_object(place, NEED_REQUIRED))
		return;
	rule->terms = arena_alloc(arena, json_length(place->value), sizeof *rule->terms);
	members = members_of(place);
	while (members_next(&members, &term)) {
		if (!name_is_valid(term.name))
			place_problem(&term, "\"%.80s\" is not the name of a service", term.name);
		rule->terms[rule->term_count].service = arena_string(arena, term.name);
		rule->terms[rule->term_count++].coefficient = place_read_number(&term, 0, -AMOUNT_MAX, AMOUNT_MAX);
	}
}

static const struct member count_rule_members[] = {
	{"max", MEMBER_NUMBER(struct count_rule, max), 0, .number = {-AMOUNT_MAX, AMOUNT_MAX, INFINITY}},
	{"min", MEMBER_NUMBER(struct count_rule, min), 0, .number = {-AMOUNT_MAX, AMOUNT_MAX, -INFINITY}},
	{"name", MEMBER_STRING(struct count_rule, name), 0},
	{"terms", MEMBER_CUSTOM, MEMBER_REQUIRED, .parse = template_parse_terms},
};
static const struct document count_rule = {DOCUMENT_MEMBERS(count_rule_members), .size = sizeof(struct count_rule)};

static void
template_check_over(const struct place *place)
{
	const char *over = json_string(place->value);

	if (over && strcmp(over, "zone") != 0)
		place_problem(place, "services can be spread over \"zone\", not over \"%.80s\"", over);
}

static void
template_check_fallback(const struct place *place)
{
	for (size_t i = 0; jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++) {
		struct place element = place_element(place, i);
		const char *what = json_string(element.value);

		if (what && strcmp(what, "zone") != 0 && strcmp(what, "hardwaretype") != 0)
			place_problem(&element, "machines can have another \"zone\" or \"hardwaretype\", not another \"%.80s\"", what);
	}
}

static const struct member spread_rule_members[] = {
	{"min", MEMBER_INTEGER(struct spread_rule, min), 0, .integer = {1, INT64_MAX, 1}},
	{"over", MEMBER_STRING(struct spread_rule, over), 0, .otherwise = "zone", .check = template_check_over},
	{"services", MEMBER_SET(struct spread_rule, services), MEMBER_REQUIRED},
};
static const struct document spread_rule = {DOCUMENT_MEMBERS(spread_rule_members), .size = sizeof(struct spread_rule)};

static const struct member constraints_members[] = {
	{"counts", MEMBER_LIST(struct cluster_template, counts, struct count_rule, count_count), 0, .inner = &count_rule},
	{"fallback", MEMBER_SET(struct cluster_template, fallback), 0, .check = template_check_fallback},
	{"layout", MEMBER_INLINE, 0, .inner = &layout},
	{"oneof", MEMBER_SETS(oneof)},
	{"services", MEMBER_MAP(struct cluster_template, constraints, struct service_constraint, constraint_count), 0,
	    .inner = &service_constraint},
	{"size", MEMBER_INLINE, 0, .inner = &size},
	{"spread", MEMBER_LIST(struct cluster_template, spreads, struct spread_rule, spread_count), 0, .inner = &spread_rule},
};
static const struct document constraints = {DOCUMENT_MEMBERS(constraints_members)};

static void
template_parse_objective(const struct place *element, struct cluster_template *out)
{
	const char *text = json_string(element->value);
	enum objective which = text ? objective_find(text) : OBJECTIVE_COUNT;

	if (which == OBJECTIVE_COUNT) {
		struct buffer names = {0};

		objective_enumerate(false, "\"", &names);
		place_problem(element, "expected %s", names.data);
		buffer_release(&names);
		return;
	}
	for (size_t i = 0; i < out->objective_count; i++)
		if (out->objectives[i] == which) {
			place_problem(element, "\"%s\" stands before already", text);
			return;
		}
	out->objectives[out->objective_count++] = which;
}

static void
template_parse_objectives(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct cluster_template *out = to;

	(void)member;
	(void)arena;
	if (place_array(place, NEED_OPTIONAL) && json_length(place->value) > 0) {
		for (size_t i = 0; i < json_length(place->value); i++) {
			struct place element = place_element(place, i);

			template_parse_objective(&element, out);
		}
		return;
	}
	out->objectives[0] = OBJECTIVE_MOVES;
	out->objectives[1] = OBJECTIVE_DENSE;
	out->objective_count = 2;
}

/* Milliseconds: a number, "1500", or a number and its unit. */
static void
template_parse_duration(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	const char *text = json_string(place->value);
	size_t digits = text ? strspn(text, "0123456789") : 0;
	int64_t *ms = (int64_t *)(void *)((char *)to + member->offset);

	(void)arena;
	if (!text || !text[digits] || !digits) {
		*ms = place_read_integer(place, 0, 0, INT64_MAX);
		return;
	}
	*ms = duration_parse(text);
	if (*ms == DURATION_TOO_LONG)
		place_problem(place, "\"%.80s\" is too long", text);
	else if (*ms == DURATION_NONE)
		place_problem(place, "\"%.80s\" is not a duration: milliseconds, or as \"30s\", \"15m\", \"12h\", \"2d\"", text);
	if (*ms < 0)
		*ms = 0;
}

#define MEMBER_DURATION(field) \
	MEMBER_CUSTOM_FIELD(struct cluster_template, field, int64_t), .parse = template_parse_duration

static const struct member lease_members[] = {
	{"initial", MEMBER_DURATION(lease_initial_ms)},
	{"max", MEMBER_DURATION(lease_max_ms)},
	{"step", MEMBER_DURATION(lease_step_ms)},
};
static const struct document lease = {DOCUMENT_MEMBERS(lease_members)};

static const struct member administration_members[] = {
	{"leaseduration", MEMBER_INLINE, 0, .inner = &lease},
};
static const struct document administration = {DOCUMENT_MEMBERS(administration_members)};

static const struct member rolling_members[] = {
	{"max_unavailable", MEMBER_STRING(struct cluster_template, max_unavailable), 0, .is_valid = unavailable_is_valid,
	    .what = "not a number of nodes"},
};
static const struct document rolling = {DOCUMENT_MEMBERS(rolling_members)};

static const struct member extends_members[] = {
	{"name", MEMBER_NAME(struct cluster_template, extends), MEMBER_REQUIRED},
};
static const struct document extends = {DOCUMENT_MEMBERS(extends_members)};

static void
template_parse_includes(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct string_list *includes = &((struct cluster_template *)to)->includes;

	(void)member;
	if (!place_array(place, NEED_OPTIONAL))
		return;
	includes->list = arena_alloc(arena, json_length(place->value), sizeof *includes->list);
	for (size_t i = 0; i < json_length(place->value); i++) {
		struct place include = place_element(place, i);
		const char *name = place_object(&include, NEED_REQUIRED) ? name_parse(&include, "name", NEED_REQUIRED, arena) : NULL;

		if (name)
			includes->list[includes->count++] = name;
	}
}

static const struct member members[] = {
	{"administration", MEMBER_INLINE, 0, .inner = &administration},
	{"backup", MEMBER_OBJECT(struct cluster_template, backup), 0, .inner = &backup_policy_table},
	{"compatibility", MEMBER_INLINE, 0, .inner = &compatibility},
	{"constraints", MEMBER_INLINE, 0, .inner = &constraints},
	{"defaults", MEMBER_INLINE, 0, .inner = &defaults},
	{"description", MEMBER_PASSED, 0},
	{"extends", MEMBER_INLINE, 0, .inner = &extends},
	{"immutable", MEMBER_BOOLEAN(struct cluster_template, immutable), 0},
	{"includes", MEMBER_CUSTOM, 0, .parse = template_parse_includes},
	{"label", MEMBER_PASSED, 0},
	{"links", MEMBER_LIST(struct cluster_template, links.list, struct link, links.count), 0, .inner = &link_table},
	{"name", MEMBER_NAME(struct cluster_template, name), MEMBER_REQUIRED},
	{"objective", MEMBER_CUSTOM, 0, .parse = template_parse_objectives},
	{"repair", MEMBER_STRING(struct cluster_template, repair), 0, .is_valid = service_is_repair,
	    .what = "neither restore nor report"},
	{"rolling", MEMBER_INLINE, 0, .inner = &rolling},
};
const struct document cluster_template_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct cluster_template),
	DOCUMENT_SOURCE(struct cluster_template, source), .is_verbatim = true};

void
cluster_template_parse(const struct place *place, struct arena *arena, struct cluster_template *template)
{
	document_parse(&cluster_template_table, place, arena, template);
}
