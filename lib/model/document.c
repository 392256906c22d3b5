/* SPDX-License-Identifier: Apache-2.0 */
#include "model/document.h"

#include <string.h>

struct members
members_of(const struct place *object)
{
	bool walkable = jv_get_kind(object->value) == JV_KIND_OBJECT;

	return (struct members){object, walkable ? jv_keys(jv_copy(object->value)) : jv_array(), 0};
}

bool
members_next(struct members *members, struct place *member)
{
	jv name;

	if (members->index == json_length(members->keys)) {
		jv_free(members->keys);
		return false;
	}
	name = jv_array_get(jv_copy(members->keys), (int)members->index++);
	*member = place_member(members->object, jv_string_value(name));
	/* keys holds the string still. */
	jv_free(name);
	return true;
}

void
document_check_kind(const struct place *place, const char *kind, enum need need)
{
	struct place member = place_member(place, "kind");
	const char *text = json_string(member.value);

	if (need == NEED_OPTIONAL && !place_present(&member))
		return;
	if (!text)
		place_problem(&member, "expected \"%s\", found %s", kind, json_kind_name(member.value));
	else if (strcmp(text, kind) != 0)
		place_problem(&member, "expected \"%s\", found \"%.80s\"", kind, text);
}
