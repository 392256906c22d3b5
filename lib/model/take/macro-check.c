/* SPDX-License-Identifier: Apache-2.0 */
#include "json/members.h"
#include "model/take/macro.h"

enum { SHOWN = 200 }; /* bytes of a macro, in a message */

static void
macro_check_text(const struct place *place, macro_names *names, const void *context)
{
	const char *cursor = json_string(place->value);
	struct macro macro;

	while (macro_next(&cursor, &macro)) {
		int length = (int)(macro.text.length < SHOWN ? macro.text.length : SHOWN);

		if (macro.is_malformed)
			place_problem(place, "%.*s: this is not a macro of coopr-macros(7)", length, macro.text.start);
		else if (*macro.service)
			names(place, length, macro.text.start, macro.service, context);
	}
}

void
macro_check(const struct place *place, macro_names *names, const void *context)
{
	struct members members;
	struct place part;

	switch (jv_get_kind(place->value)) {
	case JV_KIND_STRING:
		macro_check_text(place, names, context);
		return;
	case JV_KIND_ARRAY:
		for (size_t i = 0; i < json_length(place->value); i++) {
			part = place_element(place, i);
			macro_check(&part, names, context);
		}
		return;
	case JV_KIND_OBJECT:
		members = members_of(place);
		while (members_next(&members, &part))
			macro_check(&part, names, context);
		return;
	default:
		return;
	}
}
