/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/reference-check.h"

#include "model/name.h"
#include "model/take/macro.h"

struct place
check_warning(struct check *check, const struct place *place)
{
	struct place warning = *place;

	warning.problems = &check->warnings;
	return warning;
}

bool
check_known(const struct place *place, const char *name, const struct check *check, enum entity_kind kind)
{
	const char *near;

	if (!name || catalogue_find(check->catalogue, kind, name))
		return true;
	if (names_find(&check->catalogue->left_out[kind], name) != NAMES_NONE)
		return false;
	near = catalogue_suggest(check->catalogue, kind, name);
	place_problem(place, "there is no %s \"%s\"%s%s%s", entity_kind_words(kind), name,
	    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return false;
}

bool
check_exists(const struct place *place, const struct check *check, enum entity_kind kind)
{
	return check_known(place, json_string(place->value), check, kind);
}

void
check_list(const struct place *object, const char *member, const struct check *check, enum entity_kind kind)
{
	struct place list = place_member(object, member);

	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place element = place_element(&list, i);

		check_exists(&element, check, kind);
	}
}

struct check_services { /* for check_macro_service */
	const struct check *check;
	const struct string_list *allowed;
};

static void
check_macro_service(const struct place *place, int length, const char *text, const char *service, const void *context)
{
	const struct check_services *services = context;
	const struct catalogue *catalogue = services->check->catalogue;

	if (names_find(&catalogue->left_out[ENTITY_SERVICE], service) != NAMES_NONE)
		return;
	if (!catalogue_find(catalogue, ENTITY_SERVICE, service))
		place_problem(place, "%.*s: there is no service \"%s\"", length, text, service);
	else if (services->allowed->count && !name_set_has(services->allowed, service))
		place_problem(place, "%.*s: the template does not allow the service \"%s\"", length, text, service);
}

void
check_macros(const struct place *place, const struct check *check, const struct string_list *allowed)
{
	macro_check(place, check_macro_service, &(struct check_services){check, allowed});
}
