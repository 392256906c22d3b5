/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/document.h"
#include "model/duration.h"
#include "model/entity.h"
#include "model/name.h"

static void
template_parse_compatibility(const struct place *template, struct arena *arena, struct cluster_template *out)
{
	struct place place = place_member(template, "compatibility");

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->compatible_hardwaretypes = name_list_parse(&place, "hardwaretypes", arena);
	out->compatible_imagetypes = name_list_parse(&place, "imagetypes", arena);
	out->compatible_services = name_list_parse(&place, "services", arena);
}

static void
template_parse_default_service(const struct place *place, struct arena *arena, struct default_service *service)
{
	const char *text = json_string(place->value);
	struct place config;

	*service = (struct default_service){0};
	if (text && name_is_valid(text)) {
		service->name = arena_string(arena, text);
	} else if (text) {
		place_problem(place, "\"%.80s\" is no name of a service", text);
	} else if (jv_get_kind(place->value) == JV_KIND_OBJECT) {
		service->name = name_parse(place, "name", NEED_REQUIRED, arena);
		config = place_member(place, "config");
		if (place_present(&config))
			service->config = config.value;
	} else {
		place_problem(place, "expected string or object, found %s", json_kind_name(place->value));
	}
}

static void
template_parse_default_services(const struct place *defaults, struct arena *arena, struct cluster_template *out)
{
	struct place array = place_member(defaults, "services");
	size_t count;

	if (!place_array(&array, NEED_OPTIONAL))
		return;
	count = json_length(array.value);
	out->default_services = arena_alloc(arena, count, sizeof *out->default_services);
	for (size_t i = 0; i < count; i++) {
		struct place element = place_element(&array, i);
		struct default_service *service = &out->default_services[out->default_service_count];

		template_parse_default_service(&element, arena, service);
		if (service->name)
			out->default_service_count++;
	}
}

/* Forms that were filled in leave blank what is not chosen. */
static bool
template_is_chosen(const struct place *defaults, const char *member)
{
	const char *text = json_string(place_member(defaults, member).value);

	return !text || text[strspn(text, " \t\r\n")];
}

static const char *
template_parse_choice(const struct place *defaults, const char *member, struct arena *arena)
{
	return template_is_chosen(defaults, member) ? name_parse(defaults, member, NEED_OPTIONAL, arena) : NULL;
}

static void
template_parse_defaults(const struct place *template, struct arena *arena, struct cluster_template *out)
{
	struct place place = place_member(template, "defaults"), config;

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	template_parse_default_services(&place, arena, out);
	out->default_provider = template_parse_choice(&place, "provider", arena);
	out->default_hardwaretype = template_parse_choice(&place, "hardwaretype", arena);
	out->default_imagetype = template_parse_choice(&place, "imagetype", arena);
	if (template_is_chosen(&place, "dnsSuffix"))
		out->default_dns_suffix = name_parse_as(&place, "dnsSuffix", NEED_OPTIONAL, name_is_dns_suffix,
		    "DNS suffix", arena);
	config = place_member(&place, "config");
	if (place_object(&config, NEED_OPTIONAL))
		out->default_config = config.value;
}

static void
template_parse_size(const struct place *constraints, struct cluster_template *out)
{
	struct place place = place_member(constraints, "size");

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->size_min = place_integer(&place, "min", 1, 0, INT64_MAX);
	out->size_max = place_integer(&place, "max", INT64_MAX, 0, INT64_MAX);
}

static void
template_parse_service_constraint(const struct place *place, struct arena *arena, struct service_constraint *out)
{
	struct place quantities = place_member(place, "quantities"), min, max;

	*out = (struct service_constraint){.service = arena_string(arena, place->name), .max = INT64_MAX};
	out->hardwaretypes = name_list_parse(place, "hardwaretypes", arena);
	out->imagetypes = name_list_parse(place, "imagetypes", arena);
	if (!place_object(&quantities, NEED_OPTIONAL))
		return;
	min = place_member(&quantities, "min");
	max = place_member(&quantities, "max");
	out->has_min = place_present(&min);
	out->has_max = place_present(&max);
	out->min = place_integer(&quantities, "min", 0, 0, INT64_MAX);
	out->max = place_integer(&quantities, "max", INT64_MAX, 0, INT64_MAX);
}

static void
template_parse_service_constraints(const struct place *constraints, struct arena *arena, struct cluster_template *out)
{
	struct place place = place_member(constraints, "services"), entry;
	struct members members;

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->constraints = arena_alloc(arena, json_length(place.value), sizeof *out->constraints);
	members = members_of(&place);
	while (members_next(&members, &entry)) {
		if (!name_is_valid(entry.name))
			place_problem(&entry, "\"%.80s\" is no name of a service", entry.name);
		else if (place_object(&entry, NEED_REQUIRED))
			template_parse_service_constraint(&entry, arena, &out->constraints[out->constraint_count++]);
	}
}

/* A list of sets of names. The sets stay in their order, so that an index here is one in the document. */
static struct service_sets
template_parse_sets(const struct place *object, const char *name, struct arena *arena)
{
	struct place array = place_member(object, name);
	struct service_sets sets = {0};
	size_t count;

	if (!place_array(&array, NEED_OPTIONAL))
		return sets;
	count = json_length(array.value);
	sets.list = arena_alloc(arena, count, sizeof *sets.list);
	for (size_t i = 0; i < count; i++) {
		struct place set = place_element(&array, i);

		sets.list[sets.count++] = name_set_of(&set, arena);
	}
	return sets;
}

static void
template_parse_layout(const struct place *constraints, struct arena *arena, struct cluster_template *out)
{
	struct place place = place_member(constraints, "layout");

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->mustcoexist = template_parse_sets(&place, "mustcoexist", arena);
	out->cantcoexist = template_parse_sets(&place, "cantcoexist", arena);
	out->mutuallyexclusive = template_parse_sets(&place, "mutuallyexclusive", arena);
}

static void
template_parse_count_rule(const struct place *place, struct arena *arena, struct count_rule *rule)
{
	struct place terms = place_member(place, "terms"), term;
	struct members members;

	*rule = (struct count_rule){.name = place_string(place, "name", NEED_OPTIONAL, arena)};
	rule->min = place_number(place, "min", -INFINITY, -AMOUNT_MAX, AMOUNT_MAX);
	rule->max = place_number(place, "max", INFINITY, -AMOUNT_MAX, AMOUNT_MAX);
	if (!place_object(&terms, NEED_REQUIRED))
		return;
	rule->terms = arena_alloc(arena, json_length(terms.value), sizeof *rule->terms);
	members = members_of(&terms);
	while (members_next(&members, &term)) {
		if (!name_is_valid(term.name))
			place_problem(&term, "\"%.80s\" is no name of a service", term.name);
		rule->terms[rule->term_count].service = arena_string(arena, term.name);
		rule->terms[rule->term_count++].coefficient =
		    place_number(&terms, term.name, 0, -AMOUNT_MAX, AMOUNT_MAX);
	}
}

static void
template_parse_counts(const struct place *constraints, struct arena *arena, struct cluster_template *out)
{
	struct place array = place_member(constraints, "counts");

	if (!place_array(&array, NEED_OPTIONAL))
		return;
	out->counts = arena_alloc(arena, json_length(array.value), sizeof *out->counts);
	for (size_t i = 0; i < json_length(array.value); i++) {
		struct place rule = place_element(&array, i);

		if (place_object(&rule, NEED_REQUIRED))
			template_parse_count_rule(&rule, arena, &out->counts[out->count_count++]);
	}
}

static void
template_parse_spread_rule(const struct place *place, struct arena *arena, struct spread_rule *rule)
{
	struct place over = place_member(place, "over"), services = place_member(place, "services");

	rule->services = name_set_of(&services, arena);
	rule->min = place_integer(place, "min", 1, 1, INT64_MAX);
	rule->over = place_string(place, "over", NEED_OPTIONAL, arena);
	if (!rule->over)
		rule->over = "zone";
	if (strcmp(rule->over, "zone") != 0)
		place_problem(&over, "services can be spread over \"zone\", not over \"%.80s\"", rule->over);
}

static void
template_parse_spreads(const struct place *constraints, struct arena *arena, struct cluster_template *out)
{
	struct place array = place_member(constraints, "spread");

	if (!place_array(&array, NEED_OPTIONAL))
		return;
	out->spreads = arena_alloc(arena, json_length(array.value), sizeof *out->spreads);
	for (size_t i = 0; i < json_length(array.value); i++) {
		struct place rule = place_element(&array, i);

		if (place_object(&rule, NEED_REQUIRED))
			template_parse_spread_rule(&rule, arena, &out->spreads[out->spread_count++]);
	}
}

static void
template_parse_constraints(const struct place *template, struct arena *arena, struct cluster_template *out)
{
	struct place place = place_member(template, "constraints");

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	template_parse_size(&place, out);
	template_parse_service_constraints(&place, arena, out);
	template_parse_layout(&place, arena, out);
	template_parse_counts(&place, arena, out);
	out->oneof = template_parse_sets(&place, "oneof", arena);
	template_parse_spreads(&place, arena, out);
}

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
template_parse_objectives(const struct place *template, struct cluster_template *out)
{
	struct place array = place_member(template, "objective");

	if (place_array(&array, NEED_OPTIONAL) && json_length(array.value) > 0) {
		for (size_t i = 0; i < json_length(array.value); i++) {
			struct place element = place_element(&array, i);

			template_parse_objective(&element, out);
		}
		return;
	}
	out->objectives[0] = OBJECTIVE_MOVES;
	out->objectives[1] = OBJECTIVE_DENSE;
	out->objective_count = 2;
}

/* Milliseconds: a number, "1500", or a number and its unit. */
static int64_t
template_parse_duration(const struct place *object, const char *name)
{
	struct place place = place_member(object, name);
	const char *text = json_string(place.value);
	size_t digits = text ? strspn(text, "0123456789") : 0;
	int64_t ms;

	if (!text || !text[digits] || !digits)
		return place_integer(object, name, 0, 0, INT64_MAX);
	ms = duration_parse(text);
	if (ms == DURATION_TOO_LONG)
		place_problem(&place, "\"%.80s\" is too long", text);
	else if (ms == DURATION_NONE)
		place_problem(&place, "\"%.80s\" is no duration: milliseconds, or as \"30s\", \"15m\", \"12h\", \"2d\"", text);
	return ms < 0 ? 0 : ms;
}

static void
template_parse_administration(const struct place *template, struct cluster_template *out)
{
	struct place place = place_member(template, "administration"), lease;

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	lease = place_member(&place, "leaseduration");
	if (!place_object(&lease, NEED_OPTIONAL))
		return;
	out->lease_initial_ms = template_parse_duration(&lease, "initial");
	out->lease_max_ms = template_parse_duration(&lease, "max");
	out->lease_step_ms = template_parse_duration(&lease, "step");
}

static void
template_parse_inheritance(const struct place *template, struct arena *arena, struct cluster_template *out)
{
	struct place extends = place_member(template, "extends"), includes = place_member(template, "includes");

	if (place_object(&extends, NEED_OPTIONAL))
		out->extends = name_parse(&extends, "name", NEED_REQUIRED, arena);
	if (!place_array(&includes, NEED_OPTIONAL))
		return;
	out->includes.list = arena_alloc(arena, json_length(includes.value), sizeof *out->includes.list);
	for (size_t i = 0; i < json_length(includes.value); i++) {
		struct place include = place_element(&includes, i);
		const char *name = NULL;

		if (place_object(&include, NEED_REQUIRED))
			name = name_parse(&include, "name", NEED_REQUIRED, arena);
		if (name)
			out->includes.list[out->includes.count++] = name;
	}
}

void
cluster_template_parse(const struct place *place, struct arena *arena, struct cluster_template *template)
{
	*template = (struct cluster_template){.size_min = 1, .size_max = INT64_MAX};
	if (!place_object(place, NEED_REQUIRED))
		return;
	template->source = jv_copy(place->value);
	template->name = name_parse(place, "name", NEED_REQUIRED, arena);
	template->immutable = place_boolean(place, "immutable", false);
	template->links = links_parse(place, arena);
	template_parse_compatibility(place, arena, template);
	template_parse_defaults(place, arena, template);
	template_parse_constraints(place, arena, template);
	template_parse_objectives(place, template);
	template_parse_administration(place, template);
	template_parse_inheritance(place, arena, template);
}
