/* SPDX-License-Identifier: Apache-2.0 */
#include "model/instances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/name.h"

enum { DIGITS = 15 }; /* more of them are no number of instances */

static void
instances_parse_bounds(const struct place *place, struct instance_bounds *bounds)
{
	if (jv_get_kind(place->value) != JV_KIND_OBJECT) {
		bounds->min = bounds->max = place_read_integer(place, 0, 0, INT64_MAX);
		return;
	}
	bounds->min = place_integer(place, "min", 0, 0, INT64_MAX);
	bounds->max = place_integer(place, "max", INT64_MAX, 0, INT64_MAX);
	if (bounds->min > bounds->max)
		place_problem(place, "min %" PRId64 " is more than max %" PRId64, bounds->min, bounds->max);
}

void
instances_parse(const struct place *place, struct arena *arena, struct instances *instances)
{
	struct members members;
	struct place member;

	if (!place_object(place, NEED_OPTIONAL))
		return;
	instances->list = arena_alloc(arena, json_length(place->value), sizeof *instances->list);
	members = members_of(place);
	while (members_next(&members, &member)) {
		struct instance_bounds bounds = {.service = arena_string(arena, member.name), .max = INT64_MAX};

		if (!name_is_valid(member.name))
			place_problem(&member, "\"%.80s\" is no name of a service", member.name);
		if (!place_present(&member))
			continue;
		instances_parse_bounds(&member, &bounds);
		instances->list[instances->count++] = bounds;
	}
}

bool
instances_read_range(const char *text, int64_t *min, int64_t *max)
{
	size_t first = strspn(text, "0123456789"), colon = text[first] == ':';
	const char *rest = text + first + colon;
	size_t second = colon ? strspn(rest, "0123456789") : 0;

	if (rest[second] || first + second == 0 || first > DIGITS || second > DIGITS)
		return false;
	*min = first ? strtoll(text, NULL, 10) : 0;
	*max = !colon ? *min : second ? strtoll(rest, NULL, 10) : INT64_MAX;
	return *min <= *max;
}

jv
instances_value(int64_t min, int64_t max)
{
	jv range;

	if (min == max)
		return jv_number((double)min);
	range = jv_object();
	if (min > 0)
		json_set_number(&range, "min", (double)min);
	if (max < INT64_MAX)
		json_set_number(&range, "max", (double)max);
	return range;
}
