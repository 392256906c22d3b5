/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "catalogue/catalogue.h"
#include "catalogue/cycle-check.h"
#include "catalogue/reference-check.h"
#include "catalogue/spelling-check.h"
#include "catalogue/template-check.h"

static void
catalogue_check_file_name(struct check *check)
{
	const char *file = file_base_name(check->entity->file), *name = check->entity->name;
	struct place place = place_member(&check->root, "name");
	size_t length = strlen(name);

	if (strncmp(file, name, length) != 0 || (strcmp(file + length, ".json") != 0 && !yaml_is_name(file + length)) ||
	    strchr(file + length + 1, '.'))
		place_problem(&place, "\"%s\" is not the name of the file", name);
}

/* A provider that is not in this catalogue may be in another. */
static void
catalogue_check_providermap(struct check *check)
{
	struct place map = place_member(&check->root, "providermap"), offer;
	struct members members = members_of(&map);

	while (members_next(&members, &offer)) {
		struct place warning = check_warning(check, &offer);

		if (!catalogue_find(check->catalogue, ENTITY_PROVIDER, offer.name))
			place_problem(&warning, "there is no provider \"%s\"", offer.name);
	}
}

static void
catalogue_check_needs(const struct place *object, const char *member, struct check *check, bool optional)
{
	struct place list = place_member(object, member);

	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place element = place_element(&list, i), warning = check_warning(check, &element);
		const char *name = json_string(element.value);

		if (strcmp(name, check->entity->name) == 0)
			place_problem(&element, "that is the service itself");
		else if (names_find(&check->provided, name) == NAMES_NONE)
			check_exists(optional ? &warning : &element, check, ENTITY_SERVICE);
	}
}

static bool
catalogue_is_listed(const struct place *object, const char *member, const char *name)
{
	struct place list = place_member(object, member);

	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place element = place_element(&list, i);

		if (strcmp(json_string(element.value), name) == 0)
			return true;
	}
	return false;
}

/* "local" says of a need that it concerns the node itself: it makes none. */
static void
catalogue_check_local(const struct place *object, struct check *check)
{
	struct place list = place_member(object, "local");

	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place element = place_element(&list, i), warning = check_warning(check, &element);
		const char *name = json_string(element.value);

		if (!catalogue_is_listed(object, "requires", name) && !catalogue_is_listed(object, "uses", name))
			place_problem(&warning, "\"%s\" is neither in requires nor in uses, so this says nothing", name);
	}
}

/* An action that is spelled wrong would never be done. */
static void
catalogue_check_actions(struct check *check)
{
	struct place provisioner = place_member(&check->root, "provisioner");
	struct place actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action)) {
		enum action which = action_of_name(action.name);
		const char *near = suggest_word(action.name, action_service_names());
		struct place warning = check_warning(check, &action);

		if (which != ACTION_NONE && !action_is_hardware(which))
			continue;
		if (near)
			place_problem(&action, "services have no action \"%.80s\"; did you mean \"%s\"?", action.name, near);
		else
			place_problem(&warning, "services have no action \"%.80s\"", action.name);
	}
}

static void
catalogue_check_service(struct check *check)
{
	struct place dependencies = place_member(&check->root, "dependencies");
	struct place install = place_member(&dependencies, "install");
	struct place runtime = place_member(&dependencies, "runtime");
	struct place links = place_member(&check->root, "links");
	const struct string_list any = {0};

	catalogue_check_needs(&install, "requires", check, false);
	catalogue_check_needs(&runtime, "requires", check, false);
	catalogue_check_needs(&install, "uses", check, true);
	catalogue_check_needs(&runtime, "uses", check, true);
	catalogue_check_local(&install, check);
	catalogue_check_local(&runtime, check);
	catalogue_check_needs(&dependencies, "conflicts", check, true);
	catalogue_check_actions(check);
	check_macros(&links, check, &any);
}

static void
catalogue_check_entity(struct check *check)
{
	catalogue_check_file_name(check);
	switch (check->entity->kind) {
	case ENTITY_HARDWARETYPE:
	case ENTITY_IMAGETYPE:
		catalogue_check_providermap(check);
		break;
	case ENTITY_SERVICE:
		catalogue_check_service(check);
		break;
	case ENTITY_CLUSTERTEMPLATE:
	case ENTITY_PARTIALTEMPLATE:
		check_template(check);
		break;
	default:
		break;
	}
}

static void
catalogue_check_spelling(const struct check *check, struct findings *findings)
{
	struct problems problems = {.source = &check->entity->yaml};
	struct place root = place_root(check->entity->source, &problems);

	spelling_check(entity_kind_name(check->entity->kind), &root);
	findings_add(findings, SEVERITY_SUSPECT, check->entity->file, &problems);
	problems_release(&problems);
}

void
catalogue_check(const struct catalogue *catalogue, struct findings *findings)
{
	struct check check = {.catalogue = catalogue};

	for (size_t i = catalogue->first[ENTITY_SERVICE]; i < catalogue->first[ENTITY_SERVICE + 1]; i++) {
		const struct string_list *provides = &catalogue->entities[i].service.provides;

		for (size_t j = 0; j < provides->count; j++)
			names_intern(&check.provided, provides->list[j]);
	}
	for (size_t i = 0; i < catalogue->count; i++) {
		check.entity = &catalogue->entities[i];
		check.errors.source = check.warnings.source = &check.entity->yaml;
		check.root = place_root(check.entity->source, &check.errors);
		catalogue_check_entity(&check);
		catalogue_check_spelling(&check, findings);
		findings_add(findings, SEVERITY_ERROR, check.entity->file, &check.errors);
		findings_add(findings, SEVERITY_WARNING, check.entity->file, &check.warnings);
		problems_release(&check.errors);
		problems_release(&check.warnings);
	}
	names_release(&check.provided);
	check_cycles(catalogue, findings);
}
