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

static void
check_macros_in_text(const struct place *place, const struct check *check, const struct string_list *allowed)
{
	const char *cursor = json_string(place->value);
	struct macro macro;

	while (macro_next(&cursor, &macro)) {
		int length = (int)(macro.text.length < 200 ? macro.text.length : 200);

		if (macro.is_malformed)
			place_problem(place, "%.*s: this is no macro of coopr-macros(7)", length, macro.text.start);
		else if (!*macro.service || names_find(&check->catalogue->left_out[ENTITY_SERVICE], macro.service) != NAMES_NONE)
			continue;
		else if (!catalogue_find(check->catalogue, ENTITY_SERVICE, macro.service))
			place_problem(place, "%.*s: there is no service \"%s\"", length, macro.text.start, macro.service);
		else if (allowed->count && !name_set_has(allowed, macro.service))
			place_problem(place, "%.*s: the template does not allow the service \"%s\"", length, macro.text.start,
			    macro.service);
	}
}

void
check_macros(const struct place *place, const struct check *check, const struct string_list *allowed)
{
	struct members members;
	struct place part;

	switch (jv_get_kind(place->value)) {
	case JV_KIND_STRING:
		check_macros_in_text(place, check, allowed);
		return;
	case JV_KIND_ARRAY:
		for (size_t i = 0; i < json_length(place->value); i++) {
			part = place_element(place, i);
			check_macros(&part, check, allowed);
		}
		return;
	case JV_KIND_OBJECT:
		members = members_of(place);
		while (members_next(&members, &part))
			check_macros(&part, check, allowed);
		return;
	default:
		return;
	}
}
