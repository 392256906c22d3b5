/* SPDX-License-Identifier: Apache-2.0 */
#include "json/diff.h"

#include "base/buffer.h"
#include "json/credential.h"
#include "json/json.h"
#include "json/place.h"

struct diff {
	const char *label;
	struct buffer *out;
	size_t count;
};

/* Appends the value; a password or key in clear is named only. */
static void
diff_say_value(const struct place *place, struct buffer *out)
{
	jv value = jv_copy(place->value);

	credential_hide(&value);
	if (place->name && credential_is_clear(place->name, value)) {
		jv_free(value);
		value = jv_string(CREDENTIAL_HIDDEN);
	}
	json_dump(value, out);
	jv_free(value);
}

/* Says that from, to or both are there, and differ. */
static void
diff_say(struct diff *d, const struct place *from, const struct place *to)
{
	const struct place *place = to ? to : from;
	size_t start;

	buffer_printf(d->out, "%c ", !from ? '+' : !to ? '-' : '~');
	if (d->label)
		buffer_printf(d->out, "%s ", d->label);
	start = d->out->length;
	place_pointer(place, d->out);
	buffer_text(d->out, d->out->length == start ? "/ " : " ");
	if (from)
		diff_say_value(from, d->out);
	if (from && to)
		buffer_text(d->out, " -> ");
	if (to)
		diff_say_value(to, d->out);
	buffer_byte(d->out, '\n');
	d->count++;
}

static void
diff_compare(struct diff *d, const struct place *from, const struct place *to)
{
	jv_kind before = jv_get_kind(from->value), after = jv_get_kind(to->value);

	if (before == JV_KIND_INVALID) {
		diff_say(d, NULL, to);
	} else if (after == JV_KIND_INVALID) {
		diff_say(d, from, NULL);
	} else if (before == JV_KIND_OBJECT && after == JV_KIND_OBJECT) {
		jv names = jv_keys(jv_object_merge(jv_copy(from->value), jv_copy(to->value)));

		for (size_t i = 0; i < json_length(names); i++) {
			jv name = json_element(names, i);
			struct place a = place_member(from, json_string(name)), b = place_member(to, json_string(name));

			diff_compare(d, &a, &b);
			jv_free(name);
		}
		jv_free(names);
	} else if (before == JV_KIND_ARRAY && after == JV_KIND_ARRAY) {
		size_t lengths[] = {json_length(from->value), json_length(to->value)};

		for (size_t i = 0; i < lengths[0] || i < lengths[1]; i++) {
			struct place a = place_element(from, i), b = place_element(to, i);

			diff_compare(d, &a, &b);
		}
	} else if (!jv_equal(jv_copy(from->value), jv_copy(to->value))) {
		diff_say(d, from, to);
	}
}

size_t
json_diff(jv from, jv to, const char *label, struct buffer *out)
{
	struct diff d = {.label = label, .out = out};
	struct place a = place_root(from, NULL), b = place_root(to, NULL);

	diff_compare(&d, &a, &b);
	return d.count;
}
