/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/template-check.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "catalogue/reference-check.h"
#include "model/document.h"
#include "model/name.h"

struct allowed { /* by the whole template, its parts merged */
	struct string_list hardwaretypes, imagetypes, services; /* sorted; empty: any */
};

static bool
template_is_allowed(const struct string_list *set, const char *name)
{
	return set->count == 0 || name_set_has(set, name);
}

static void
template_check_default_type(const struct place *defaults, const struct check *check, enum entity_kind kind,
    const char *name, const struct string_list *allowed)
{
	struct place place = place_member(defaults, entity_kind_name(kind));
	const char *provider = check->entity->template.default_provider;
	const struct entity *type;

	if (!name || !check_known(&place, name, check, kind))
		return;
	type = catalogue_find(check->catalogue, kind, name);
	if (!template_is_allowed(allowed, name))
		place_problem(&place, "\"%s\" is not among the compatible %ss", name, entity_kind_words(kind));
	else if (provider && !(kind == ENTITY_HARDWARETYPE ? (const void *)hardwaretype_offer(&type->hardwaretype, provider)
	    : (const void *)imagetype_offer(&type->imagetype, provider)))
		place_problem(&place, "\"%s\" is not available from the provider \"%s\"", name, provider);
}

static void
template_check_default_services(const struct place *defaults, const struct check *check, const struct allowed *allowed)
{
	struct place services = place_member(defaults, "services");

	for (size_t i = 0; i < json_length(services.value); i++) {
		struct place element = place_element(&services, i), config = place_member(&element, "config");
		struct place name = json_string(element.value) ? element : place_member(&element, "name");

		if (check_exists(&name, check, ENTITY_SERVICE) && !template_is_allowed(&allowed->services,
		    json_string(name.value)))
			place_problem(&name, "\"%s\" is not among the compatible services", json_string(name.value));
		check_macros(&config, check, &allowed->services);
	}
}

static void
template_check_defaults(const struct check *check, const struct allowed *allowed)
{
	const struct cluster_template *template = &check->entity->template;
	struct place defaults = place_member(&check->root, "defaults");
	struct place provider = place_member(&defaults, "provider"), config = place_member(&defaults, "config");

	check_known(&provider, template->default_provider, check, ENTITY_PROVIDER);
	template_check_default_type(&defaults, check, ENTITY_HARDWARETYPE, template->default_hardwaretype,
	    &allowed->hardwaretypes);
	template_check_default_type(&defaults, check, ENTITY_IMAGETYPE, template->default_imagetype, &allowed->imagetypes);
	template_check_default_services(&defaults, check, allowed);
	check_macros(&config, check, &allowed->services);
}

/* A service that a rule names: it has to exist, and the rule says nothing where it is not allowed. */
static void
template_check_rule_service(const struct place *place, const char *name, struct check *check,
    const struct allowed *allowed)
{
	struct place warning = check_warning(check, place);

	if (check_known(place, name, check, ENTITY_SERVICE) && !template_is_allowed(&allowed->services, name))
		place_problem(&warning, "\"%s\" is not among the compatible services, so this says nothing", name);
}

static void
template_check_range(const struct place *place, int64_t min, int64_t max)
{
	if (min > max)
		place_problem(place, "min %" PRId64 " is more than max %" PRId64, min, max);
}

static void
template_check_service_constraints(const struct place *constraints, struct check *check, const struct allowed *allowed)
{
	const struct cluster_template *template = &check->entity->template;
	struct place services = place_member(constraints, "services"), entry;
	struct members members = members_of(&services);
	size_t i = 0;

	while (members_next(&members, &entry)) {
		struct place quantities = place_member(&entry, "quantities");
		const struct service_constraint *constraint = &template->constraints[i++];

		template_check_rule_service(&entry, entry.name, check, allowed);
		check_list(&entry, "hardwaretypes", check, ENTITY_HARDWARETYPE);
		check_list(&entry, "imagetypes", check, ENTITY_IMAGETYPE);
		template_check_range(&quantities, constraint->min, constraint->max);
	}
}

static void
template_check_set(const struct place *set, struct check *check, const struct allowed *allowed)
{
	struct names seen = {0};

	for (size_t i = 0; i < json_length(set->value); i++) {
		struct place element = place_element(set, i), warning = check_warning(check, &element);
		size_t known = seen.count;
		const char *name = json_string(element.value);

		template_check_rule_service(&element, name, check, allowed);
		if ((size_t)names_intern(&seen, name) < known)
			place_problem(&warning, "\"%s\" stands in this set before already", name);
	}
	names_release(&seen);
}

static void
template_check_sets(const struct place *object, const char *member, struct check *check, const struct allowed *allowed)
{
	struct place sets = place_member(object, member);

	for (size_t i = 0; i < json_length(sets.value); i++) {
		struct place set = place_element(&sets, i), warning = check_warning(check, &set);

		template_check_set(&set, check, allowed);
		if (strcmp(member, "cantcoexist") == 0 && json_length(set.value) > 2)
			place_problem(&warning, "this forbids only all %zu on one node; mutuallyexclusive forbids any two of them",
			    json_length(set.value));
	}
}

static void
template_check_counts(const struct place *constraints, struct check *check, const struct allowed *allowed)
{
	struct place rules = place_member(constraints, "counts"), term;

	for (size_t i = 0; i < json_length(rules.value); i++) {
		const struct count_rule *count = &check->entity->template.counts[i];
		struct place rule = place_element(&rules, i), terms = place_member(&rule, "terms");
		struct members members = members_of(&terms);

		while (members_next(&members, &term))
			template_check_rule_service(&term, term.name, check, allowed);
		if (count->min > count->max)
			place_problem(&rule, "min %g is more than max %g", count->min, count->max);
	}
}

static void
template_check_constraints(struct check *check, const struct allowed *allowed)
{
	const struct cluster_template *template = &check->entity->template;
	struct place constraints = place_member(&check->root, "constraints");
	struct place size = place_member(&constraints, "size"), layout = place_member(&constraints, "layout");
	struct place spreads = place_member(&constraints, "spread");

	template_check_range(&size, template->size_min, template->size_max);
	template_check_service_constraints(&constraints, check, allowed);
	template_check_sets(&layout, "mustcoexist", check, allowed);
	template_check_sets(&layout, "cantcoexist", check, allowed);
	template_check_sets(&layout, "mutuallyexclusive", check, allowed);
	template_check_sets(&constraints, "oneof", check, allowed);
	template_check_counts(&constraints, check, allowed);
	for (size_t i = 0; i < json_length(spreads.value); i++) {
		struct place rule = place_element(&spreads, i), services = place_member(&rule, "services");

		template_check_set(&services, check, allowed);
	}
}

static void
template_check_lease(const struct check *check)
{
	const struct cluster_template *template = &check->entity->template;
	struct place administration = place_member(&check->root, "administration");
	struct place lease = place_member(&administration, "leaseduration"), initial = place_member(&lease, "initial");

	if (template->lease_max_ms && (template->lease_initial_ms > template->lease_max_ms || !template->lease_initial_ms))
		place_problem(&initial, "the initial lease is longer than the longest one");
}

/* Checks the names that the template extends and includes, and that the parts go together. */
static void
template_check_inheritance(const struct check *check, jv *merged)
{
	struct place extends = place_member(&check->root, "extends"), name = place_member(&extends, "name");
	struct place includes = place_member(&check->root, "includes");
	bool known = check_exists(&name, check, ENTITY_CLUSTERTEMPLATE);
	struct error err;

	for (size_t i = 0; i < json_length(includes.value); i++) {
		struct place element = place_element(&includes, i), include = place_member(&element, "name");

		known &= check_exists(&include, check, ENTITY_PARTIALTEMPLATE);
	}
	*merged = known ? catalogue_template(check->catalogue, check->entity->name, &err) : jv_invalid();
	if (known && !jv_is_valid(*merged))
		place_problem(&check->root, "%s", err.text);
}

/* The default services of a template, the names they provide included. */
static struct names
template_names_offered(const struct check *check, const struct cluster_template *template)
{
	struct names names = {0};

	for (size_t i = 0; i < template->default_service_count; i++) {
		const char *name = template->default_services[i].name;
		const struct entity *entity = catalogue_find(check->catalogue, ENTITY_SERVICE, name);

		names_intern(&names, name);
		for (size_t j = 0; entity && j < entity->service.provides.count; j++)
			names_intern(&names, entity->service.provides.list[j]);
	}
	return names;
}

/* Checks that the needs of one default service are met, and that it does not conflict with another. */
static void
template_check_service(const struct place *services, const struct service *service, const struct names *offered,
    const struct cluster_template *template)
{
	const struct string_list *needs[] = {&service->install_requires, &service->runtime_requires};

	for (size_t n = 0; n < sizeof needs / sizeof *needs; n++)
		for (size_t i = 0; i < needs[n]->count; i++)
			if (names_find(offered, needs[n]->list[i]) == NAMES_NONE)
				place_problem(services, "\"%s\" requires \"%s\", which is not among the default services",
				    service->name, needs[n]->list[i]);
	for (size_t i = 0; i < service->conflicts.count; i++)
		for (size_t j = 0; j < template->default_service_count; j++)
			if (strcmp(service->conflicts.list[i], template->default_services[j].name) == 0)
				place_problem(services, "\"%s\" conflicts with \"%s\"", service->name, service->conflicts.list[i]);
}

/* A template whose default services cannot be together never gives a cluster by itself. */
static void
template_check_together(const struct check *check, const struct place *whole, struct arena *arena)
{
	struct place defaults = place_member(&check->root, "defaults"), services = place_member(&defaults, "services");
	struct cluster_template template;
	struct names offered;

	cluster_template_parse(whole, arena, &template);
	offered = template_names_offered(check, &template);
	for (size_t i = 0; i < template.default_service_count; i++) {
		const struct entity *entity =
		    catalogue_find(check->catalogue, ENTITY_SERVICE, template.default_services[i].name);

		if (entity)
			template_check_service(&services, &entity->service, &offered, &template);
	}
	names_release(&offered);
	jv_free(template.source);
}

void
check_template(struct check *check)
{
	struct place links = place_member(&check->root, "links"), whole = check->root, compatibility;
	struct allowed allowed = {0};
	struct arena arena = {0};
	jv merged = {0};

	if (check->entity->kind == ENTITY_CLUSTERTEMPLATE) {
		template_check_inheritance(check, &merged);
		whole = place_root(jv_is_valid(merged) ? merged : check->entity->source, &check->errors);
		compatibility = place_member(&whole, "compatibility");
		allowed.hardwaretypes = name_set_parse(&compatibility, "hardwaretypes", &arena);
		allowed.imagetypes = name_set_parse(&compatibility, "imagetypes", &arena);
		allowed.services = name_set_parse(&compatibility, "services", &arena);
		template_check_constraints(check, &allowed);
		template_check_lease(check);
		check_macros(&links, check, &allowed.services);
	}
	compatibility = place_member(&check->root, "compatibility");
	check_list(&compatibility, "hardwaretypes", check, ENTITY_HARDWARETYPE);
	check_list(&compatibility, "imagetypes", check, ENTITY_IMAGETYPE);
	check_list(&compatibility, "services", check, ENTITY_SERVICE);
	template_check_defaults(check, &allowed);
	if (check->entity->kind == ENTITY_CLUSTERTEMPLATE)
		template_check_together(check, &whole, &arena);
	jv_free(merged);
	arena_release(&arena);
}
