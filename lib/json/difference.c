/* SPDX-License-Identifier: Apache-2.0 */
#include "json/difference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json.h"
#include "json/place.h"

struct difference {
	struct buffer *out;
	size_t count;
};

static void difference_compare(struct difference *d, const struct place *from, const struct place *to);

/* The place is that of the value which is there. */
static void
difference_begin_line(struct difference *d, char sign, const struct place *place)
{
	size_t start;

	buffer_byte(d->out, sign);
	buffer_byte(d->out, ' ');
	start = d->out->length;
	place_pointer(place, d->out);
	if (d->out->length == start)
		buffer_byte(d->out, '/');
	buffer_byte(d->out, ' ');
	d->count++;
}

static void
difference_say_change(struct difference *d, const struct place *from, const struct place *to)
{
	difference_begin_line(d, '~', to);
	json_dump(from->value, d->out);
	buffer_text(d->out, " -> ");
	json_dump(to->value, d->out);
	buffer_byte(d->out, '\n');
}

static void
difference_say_one(struct difference *d, char sign, const struct place *place)
{
	difference_begin_line(d, sign, place);
	json_dump(place->value, d->out);
	buffer_byte(d->out, '\n');
}

static void
difference_compare_arrays(struct difference *d, const struct place *from, const struct place *to)
{
	size_t before = json_length(from->value), after = json_length(to->value);

	for (size_t i = 0; i < before || i < after; i++) {
		struct place a = place_element(from, i), b = place_element(to, i);

		difference_compare(d, &a, &b);
	}
}

/* Member names of both, sorted, each once. Owned. */
static jv
difference_all_names(jv from, jv to)
{
	return jv_keys(jv_object_merge(jv_copy(from), jv_copy(to)));
}

static void
difference_compare_objects(struct difference *d, const struct place *from, const struct place *to)
{
	jv names = difference_all_names(from->value, to->value);

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = jv_array_get(jv_copy(names), (int)i);
		struct place a = place_member(from, json_string(name)), b = place_member(to, json_string(name));

		difference_compare(d, &a, &b);
		jv_free(name);
	}
	jv_free(names);
}

static void
difference_compare(struct difference *d, const struct place *from, const struct place *to)
{
	jv_kind before = jv_get_kind(from->value), after = jv_get_kind(to->value);

	if (before == JV_KIND_INVALID)
		difference_say_one(d, '+', to);
	else if (after == JV_KIND_INVALID)
		difference_say_one(d, '-', from);
	else if (before == JV_KIND_OBJECT && after == JV_KIND_OBJECT)
		difference_compare_objects(d, from, to);
	else if (before == JV_KIND_ARRAY && after == JV_KIND_ARRAY)
		difference_compare_arrays(d, from, to);
	else if (!jv_equal(jv_copy(from->value), jv_copy(to->value)))
		difference_say_change(d, from, to);
}

size_t
json_difference(jv from, jv to, struct buffer *out)
{
	struct difference d = {.out = out};
	struct place a = place_root(from, NULL), b = place_root(to, NULL);

	difference_compare(&d, &a, &b);
	return d.count;
}
