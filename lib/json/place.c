/* SPDX-License-Identifier: Apache-2.0 */
#include "json/place.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "json/scan.h"
#include "json/yaml-read.h"

enum {
	LOCATE_BYTES = 64 * 1024 * 1024, /* of YAML are looked through for the lines of problems */
};

struct place
place_root(jv document, struct problems *problems)
{
	return (struct place){.value = document, .problems = problems};
}

struct place
place_named(const struct place *object, const char *name, jv value)
{
	return (struct place){.up = object, .name = name, .value = value, .problems = object->problems};
}

/* Gives back the reference to a value that its container keeps alive. */
static jv
place_borrow(jv owned)
{
	jv_free(owned);
	return owned;
}

struct place
place_member(const struct place *object, const char *name)
{
	return place_named(object, name, place_borrow(json_get(object->value, name)));
}

struct place
place_element(const struct place *array, size_t index)
{
	jv value = jv_get_kind(array->value) == JV_KIND_ARRAY
	    ? json_element(array->value, index) : jv_invalid();

	return (struct place){.up = array, .index = index, .value = place_borrow(value), .problems = array->problems};
}

bool
place_present(const struct place *place)
{
	return jv_is_valid(place->value) && jv_get_kind(place->value) != JV_KIND_NULL;
}

void
place_pointer_part(const char *name, struct buffer *out)
{
	buffer_byte(out, '/');
	for (; *name; name++)
		if (*name == '~' || *name == '/')
			buffer_text(out, *name == '~' ? "~0" : "~1");
		else
			buffer_byte(out, *name);
}

void
place_pointer(const struct place *place, struct buffer *out)
{
	if (!place->up)
		return;
	place_pointer(place->up, out);
	if (place->name)
		place_pointer_part(place->name, out);
	else
		buffer_printf(out, "/%zu", place->index);
}

/* Returns the pointer of the next problem for people, which the caller frees: behind the line where it stands, if that is known. It
 * is not looked for where that would take long: in a large text with many problems. */
static char *
place_locate(const struct place *place, const struct problems *problems)
{
	const struct yaml_source *source = problems->source;
	struct buffer pointer = {0};
	size_t line, column;
	char *located;

	place_pointer(place, &pointer);
	if (!source || source->length > LOCATE_BYTES / (problems->count + 1) ||
	    !yaml_locate(source, pointer.data ? pointer.data : "", &line, &column))
		return buffer_take(&pointer);
	located = memory_printf("line %zu, column %zu%s%s", line, column, pointer.data ? ": " : "",
	    pointer.data ? pointer.data : "");
	buffer_release(&pointer);
	return located;
}

void
place_problem(const struct place *place, const char *format, ...)
{
	struct problems *problems = place->problems;
	char text[1024];
	va_list ap;

	if (!problems || problems->total++ >= PROBLEMS_KEPT)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	ARRAY_ROOM(problems->list, problems->count, problems->capacity);
	problems->list[problems->count++] = (struct problem){place_locate(place, problems), memory_string(text)};
}

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

static bool
place_is_kind(const struct place *place, jv_kind kind, enum need need)
{
	if (jv_get_kind(place->value) == kind)
		return true;
	if (need == NEED_REQUIRED || place_present(place))
		place_problem(place, "expected %s, found %s", jv_kind_name(kind), json_kind_name(place->value));
	return false;
}

bool
place_object(const struct place *place, enum need need)
{
	return place_is_kind(place, JV_KIND_OBJECT, need);
}

bool
place_array(const struct place *place, enum need need)
{
	return place_is_kind(place, JV_KIND_ARRAY, need);
}

bool
place_text(const struct place *place, enum need need)
{
	return place_is_kind(place, JV_KIND_STRING, need);
}

/* Takes a number, or a string that is one from its first character to its last. */
static bool
place_is_number(const struct place *place, double *out)
{
	const char *text = json_string(place->value);
	char *end;

	if (jv_get_kind(place->value) == JV_KIND_NUMBER) {
		*out = jv_number_value(place->value);
		return true;
	}
	if (!text || !strchr("-0123456789", *text) || !*text || strpbrk(text, "xX"))
		return false;
	*out = strtod(text, &end);
	return *end == '\0' && isfinite(*out);
}

double
place_read_decimal(const struct place *place, double otherwise, double min, double max, const char **exact)
{
	const char *text = json_string(place->value);
	double value;

	*exact = NULL;
	if (!place_present(place))
		return otherwise;
	if (!place_is_number(place, &value)) {
		place_problem(place, "expected number, found %s", json_kind_name(place->value));
		return otherwise;
	}
	if (value >= min && value <= max) {
		*exact = text && !json_keeps_digits(value, text) ? text : NULL;
		return value;
	}
	if (value < min)
		place_problem(place, "%.17g is less than %.17g", value, min);
	else
		place_problem(place, "%.17g is more than %.17g", value, max);
	return otherwise;
}

double
place_read_number(const struct place *place, double otherwise, double min, double max)
{
	const char *exact;
	double value = place_read_decimal(place, otherwise, min, max, &exact);

	if (exact)
		place_problem(place, "\"%.60s\" " PLACE_LOSES_DIGITS, exact);
	return value;
}

int64_t
place_read_integer(const struct place *place, int64_t otherwise, int64_t min, int64_t max)
{
	const double exact = 9007199254740991.0; /* 2^53 - 1 */
	double low = (double)min < -exact ? -exact : (double)min, high = (double)max > exact ? exact : (double)max;
	double value = place_read_number(place, NAN, low, high);

	if (isnan(value))
		return otherwise;
	if (value == floor(value))
		return (int64_t)value;
	place_problem(place, "expected an integer, found %.17g", value);
	return otherwise;
}

bool
place_read_boolean(const struct place *place, bool otherwise)
{
	jv_kind kind = jv_get_kind(place->value);

	if (kind == JV_KIND_TRUE || kind == JV_KIND_FALSE)
		return kind == JV_KIND_TRUE;
	if (place_present(place))
		place_problem(place, "expected boolean, found %s", json_kind_name(place->value));
	return otherwise;
}

struct string_list
place_read_strings(const struct place *place, struct arena *arena)
{
	struct string_list strings = {0};
	size_t count;

	if (!place_array(place, NEED_OPTIONAL))
		return strings;
	count = json_length(place->value);
	strings.list = arena_alloc(arena, count, sizeof *strings.list);
	for (size_t i = 0; i < count; i++) {
		struct place element = place_element(place, i);

		if (place_text(&element, NEED_REQUIRED))
			strings.list[strings.count++] = arena_string(arena, json_string(element.value));
	}
	return strings;
}

const char *
place_string(const struct place *object, const char *name, enum need need, struct arena *arena)
{
	struct place member = place_member(object, name);

	return place_text(&member, need) ? arena_string(arena, json_string(member.value)) : NULL;
}

double
place_number(const struct place *object, const char *name, double otherwise, double min, double max)
{
	struct place member = place_member(object, name);

	return place_read_number(&member, otherwise, min, max);
}

int64_t
place_integer(const struct place *object, const char *name, int64_t otherwise, int64_t min, int64_t max)
{
	struct place member = place_member(object, name);

	return place_read_integer(&member, otherwise, min, max);
}

bool
place_boolean(const struct place *object, const char *name, bool otherwise)
{
	struct place member = place_member(object, name);

	return place_read_boolean(&member, otherwise);
}

struct string_list
place_strings(const struct place *object, const char *name, struct arena *arena)
{
	struct place member = place_member(object, name);

	return place_read_strings(&member, arena);
}

void
problems_release(struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		free(problems->list[i].pointer);
		free(problems->list[i].text);
	}
	free(problems->list);
	*problems = (struct problems){0};
}

static const char *
problems_pointer(const struct problem *problem)
{
	return *problem->pointer ? problem->pointer : "the whole document";
}

int
problems_report(const struct problems *problems, const char *name)
{
	for (size_t i = 0; i < problems->count; i++)
		message("%s: %s: %s", name, problems_pointer(&problems->list[i]), problems->list[i].text);
	if (problems->total > problems->count)
		message("%s: and %zu more", name, problems->total - problems->count);
	return problems->total ? EX_DATAERR : 0;
}

int
problems_error(const struct problems *problems, const char *object, int code, struct error *err)
{
	size_t length;

	if (problems->total == 0)
		return 0;
	error_set(err, code, "%s", object);
	for (size_t i = 0; i < problems->count; i++) {
		length = strlen(err->text);
		snprintf(err->text + length, sizeof err->text - length, "%s %s: %s", i ? ";" : ":",
		    problems_pointer(&problems->list[i]), problems->list[i].text);
	}
	return -1;
}
