/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of members and the JSON Schemas say the same: names, types, bounds, what has to be there, what is refused.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "catalogue/validate.h"
#include "json/json.h"
#include "model/amounts.h"
#include "model/answer/answer.h"
#include "model/document.h"
#include "model/event.h"
#include "tap.h"

enum { STRING = 1, NUMBER = 2, BOOLEAN = 4, ARRAY = 8, OBJECT = 16, NULLS = 32 };

static const double EXACT_MAX = 9007199254740991.0;

struct schema { /* a part of a schema, and the file that its references are in */
	jv part, file;
};

struct view { /* what a part says, with all that it refers to; owned */
	unsigned types;
	jv properties, files; /* the parts of the properties, and their files, by name */
	jv required;
	double minimum, maximum;
	bool is_closed;
	struct schema elements; /* of a list, or of an object whose names are free */
};

static jv
read_schema(const char *name)
{
	const char *root = getenv("COOPR_ROOT");
	char *path = memory_printf("%s/share/coopr/schema/%s", root ? root : ".", name);
	struct error err;
	jv schema;

	if (json_read_file(path, &schema, &err) < 0) {
		tap_ok(false, "%s", err.text);
		schema = jv_object();
	}
	free(path);
	return schema;
}

/* Returns what a reference leads to, owned: "service.json", "definitions.json#/$defs/name", "#/$defs/max". */
static struct schema
follow(const char *reference, jv file)
{
	size_t length = strcspn(reference, "#");
	char *name = memory_substring(reference, length);
	struct schema to = {.file = length ? read_schema(name) : jv_copy(file)};
	const char *definition = strrchr(reference, '/');
	jv definitions = json_get(to.file, "$defs");

	to.part = definition ? json_get(definitions, definition + 1) : jv_copy(to.file);
	jv_free(definitions);
	free(name);
	return to;
}

static unsigned
type_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned type;
	} types[] = {{"string", STRING}, {"number", NUMBER}, {"integer", NUMBER}, {"boolean", BOOLEAN}, {"array", ARRAY},
	    {"object", OBJECT}, {"null", NULLS}};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return 0;
}

static void look(struct view *view, jv part, jv file, bool is_certain);

static void
look_each(struct view *view, jv part, const char *name, jv file, bool is_certain)
{
	jv list = json_get(part, name);

	for (size_t i = 0; i < json_length(list); i++) {
		jv element = jv_array_get(jv_copy(list), (int)i), condition = json_get(element, "if");

		if (!jv_is_valid(condition))
			look(view, element, file, is_certain);
		jv_free(condition);
		jv_free(element);
	}
	jv_free(list);
}

static void
look_at_types(struct view *view, jv part)
{
	jv type = json_get(part, "type"), values = json_get(part, "enum"), constant = json_get(part, "const");

	if (json_string(type))
		view->types |= type_of(json_string(type));
	for (size_t i = 0; jv_get_kind(type) == JV_KIND_ARRAY && i < json_length(type); i++) {
		jv element = jv_array_get(jv_copy(type), (int)i);

		view->types |= type_of(json_string(element));
		jv_free(element);
	}
	for (size_t i = 0; i < json_length(values); i++) {
		jv value = jv_array_get(jv_copy(values), (int)i);

		view->types |= type_of(json_kind_name(value));
		jv_free(value);
	}
	if (jv_is_valid(constant))
		view->types |= type_of(json_kind_name(constant));
	jv_free(type);
	jv_free(values);
	jv_free(constant);
}

static void
look_at_properties(struct view *view, jv part, jv file)
{
	jv properties = json_get(part, "properties"), names = jv_get_kind(properties) == JV_KIND_OBJECT
	    ? jv_keys(jv_copy(properties)) : jv_array();

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = jv_array_get(jv_copy(names), (int)i), known = json_get(view->properties, json_string(name));

		if (!jv_is_valid(known)) {
			json_set(&view->properties, json_string(name), json_get(properties, json_string(name)));
			json_set(&view->files, json_string(name), jv_copy(file));
		}
		jv_free(known);
		jv_free(name);
	}
	jv_free(names);
	jv_free(properties);
}

static void
look_at_elements(struct view *view, jv part, const char *name, jv file)
{
	jv elements = json_get(part, name);

	view->is_closed = view->is_closed || jv_get_kind(elements) == JV_KIND_FALSE;
	if (jv_get_kind(elements) == JV_KIND_OBJECT && !jv_is_valid(view->elements.part))
		view->elements = (struct schema){jv_copy(elements), jv_copy(file)};
	jv_free(elements);
}

/* Adds to view what a part says. Of alternatives it is not certain which one holds. */
static void
look(struct view *view, jv part, jv file, bool is_certain)
{
	jv reference = json_get(part, "$ref"), minimum = json_get(part, "minimum"), maximum = json_get(part, "maximum");
	jv required = json_get(part, "required");

	look_at_types(view, part);
	look_at_properties(view, part, file);
	look_at_elements(view, part, "items", file);
	look_at_elements(view, part, "additionalProperties", file);
	if (jv_get_kind(minimum) == JV_KIND_NUMBER)
		view->minimum = jv_number_value(minimum);
	if (jv_get_kind(maximum) == JV_KIND_NUMBER)
		view->maximum = jv_number_value(maximum);
	if (is_certain && jv_get_kind(required) == JV_KIND_ARRAY)
		view->required = jv_array_concat(view->required, jv_copy(required));
	if (json_string(reference)) {
		struct schema to = follow(json_string(reference), file);

		look(view, to.part, to.file, is_certain);
		jv_free(to.part);
		jv_free(to.file);
	}
	look_each(view, part, "allOf", file, is_certain);
	look_each(view, part, "anyOf", file, is_certain && view->types == 0);
	jv_free(reference);
	jv_free(minimum);
	jv_free(maximum);
	jv_free(required);
}

static struct view
view_of(jv part, jv file)
{
	struct view view = {.properties = jv_object(), .files = jv_object(), .required = jv_array(), .minimum = NAN, .maximum = NAN};

	look(&view, part, file, true);
	return view;
}

static void
view_release(struct view *view)
{
	jv_free(view->properties);
	jv_free(view->files);
	jv_free(view->required);
	jv_free(view->elements.part);
	jv_free(view->elements.file);
}

static bool
view_requires(const struct view *view, const char *name)
{
	bool found = false;

	for (size_t i = 0; i < json_length(view->required) && !found; i++) {
		jv element = jv_array_get(jv_copy(view->required), (int)i);

		found = strcmp(json_string(element), name) == 0;
		jv_free(element);
	}
	return found;
}

/* What a row lets through, null aside; 0: the row's own function knows. */
static unsigned
types_of(const struct member *member)
{
	switch (member->type) {
	case TYPE_KIND:
	case TYPE_STRING:
	case TYPE_NAME:
	case TYPE_WORD:
	case TYPE_TIME:
		return STRING;
	case TYPE_INTEGER:
	case TYPE_NUMBER:
		return NUMBER | STRING;
	case TYPE_BOOLEAN:
		return BOOLEAN;
	case TYPE_NAMES:
	case TYPE_SET:
	case TYPE_STRINGS:
	case TYPE_LIST:
		return ARRAY;
	case TYPE_AMOUNTS:
	case TYPE_VALUE:
	case TYPE_TEXT:
	case TYPE_OBJECT:
	case TYPE_MAP:
		return OBJECT;
	case TYPE_CUSTOM:
	case TYPE_PASSED:
		break;
	}
	return 0;
}

static void compare(const struct document *const *tables, unsigned variant, const struct view *view, const char *where);

static void
compare_part(const struct document *inner, jv part, jv file, const char *where)
{
	const struct document *tables[2] = {inner, NULL};
	struct view view = view_of(part, file);

	compare(tables, ~0U, &view, where);
	view_release(&view);
}

/* The members inside a member: of its elements where it is a list or its names are free, else its own. */
static void
compare_inner(const struct member *member, const struct view *view, const char *where)
{
	const struct document *tables[2] = {member->inner, NULL};
	jv names = jv_keys(jv_copy(view->properties));

	if (jv_is_valid(view->elements.part))
		compare_part(member->inner, view->elements.part, view->elements.file, where);
	else if (member->type != TYPE_CUSTOM || strcmp(member->name, "actions") != 0)
		compare(tables, ~0U, view, where);
	for (size_t i = 0; strcmp(member->name, "actions") == 0 && i < json_length(names); i++) {
		jv name = jv_array_get(jv_copy(names), (int)i);
		jv part = json_get(view->properties, json_string(name)), file = json_get(view->files, json_string(name));

		compare_part(member->inner, part, file, where);
		jv_free(part);
		jv_free(file);
		jv_free(name);
	}
	jv_free(names);
}

static void
compare_bounds(const struct member *member, const struct view *view, const char *where)
{
	double least = member->type == TYPE_INTEGER ? (double)member->integer.least : member->number.least;
	double most = member->type == TYPE_INTEGER ? (double)member->integer.most : member->number.most;

	if (most == 0 && least == 0)
		most = member->type == TYPE_INTEGER ? EXACT_MAX : AMOUNT_MAX;
	if (member->type == TYPE_INTEGER && most > EXACT_MAX)
		most = EXACT_MAX;
	tap_ok(view->minimum == least, "%s/%s: at least %g, as the schema has %g", where, member->name, least, view->minimum);
	tap_ok(view->maximum == most, "%s/%s: at most %g, as the schema has %g", where, member->name, most, view->maximum);
}

static void
compare_member(const struct member *member, unsigned variant, const struct view *object, const char *where)
{
	jv part = json_get(object->properties, member->name), file = json_get(object->files, member->name);
	struct view view = view_of(part, file);
	unsigned types = types_of(member);
	bool is_conditional = member->required || (member->variants && variant == ~0U), is_required = member->flags & MEMBER_REQUIRED;
	char *inside = memory_printf("%s/%s", where, member->name);

	if (!tap_ok(jv_is_valid(part), "%s is in the schema", inside))
		goto end;
	if (!is_conditional)
		tap_ok(is_required == view_requires(object, member->name), "%s is %s in both", inside,
		    is_required ? "required" : "optional");
	if (types)
		tap_ok((view.types & ~(unsigned)NULLS) == types, "%s has the types %#x, as the schema has %#x", inside, types, view.types);
	if (types && !is_conditional)
		tap_ok(!(view.types & NULLS) == is_required, "%s may be null where it may be absent", inside);
	if (member->type == TYPE_INTEGER || member->type == TYPE_NUMBER)
		compare_bounds(member, &view, where);
	if (member->inner)
		compare_inner(member, &view, inside);
end:
	free(inside);
	view_release(&view);
	jv_free(part);
	jv_free(file);
}

static bool
is_in(const struct document *table, unsigned variant, const char *name)
{
	const struct member *member = table ? document_member(table, name) : NULL;

	return member && (!member->variants || (member->variants & variant));
}

/* Compares the members of an object: those of the tables, in a variant, and those of the schema. */
static void
compare(const struct document *const *tables, unsigned variant, const struct view *view, const char *where)
{
	jv names = jv_keys(jv_copy(view->properties));

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = jv_array_get(jv_copy(names), (int)i);

		/* Entities are checked for their kind by validate_document. */
		if (strcmp(json_string(name), "kind") != 0)
			tap_ok(is_in(tables[0], variant, json_string(name)) || is_in(tables[1], variant, json_string(name)),
			    "%s/%s is in the table", where, json_string(name));
		jv_free(name);
	}
	jv_free(names);
	tap_ok(!tables[0]->unknown == !view->is_closed, "%s: others are %s in both", where,
	    view->is_closed ? "refused" : "passed on");
	for (size_t t = 0; t < 2 && tables[t]; t++) {
		const struct member *before = NULL;

		for (size_t i = 0; i < tables[t]->count; i++) {
			const struct member *member = &tables[t]->members[i];

			if (before)
				tap_ok(strcmp(before->name, member->name) < 0, "%s/%s stands in its order", where, member->name);
			before = member;
			if (!(member->flags & (MEMBER_KEY | MEMBER_UNCHECKED)) && (!member->variants || (member->variants & variant)))
				compare_member(member, variant, view, where);
		}
	}
}

static void
compare_kind(const char *kind, const struct document *const *tables)
{
	unsigned variant = strcmp(kind, "milestone") == 0 ? 2 : strcmp(kind, "task") == 0 || strcmp(kind, "take") == 0 ? 1 : ~0U;
	char *name = memory_printf("%s.json", kind);
	jv schema = read_schema(name);
	struct view view = view_of(schema, schema);

	compare(tables, variant, &view, kind);
	view_release(&view);
	jv_free(schema);
	free(name);
}

/* Each kind of event is in the schema, and explained in coopr-event(5). */
static void
compare_event_kinds(void)
{
	jv schema = read_schema("event.json"), properties = json_get(schema, "properties"), event = json_get(properties, "event");
	jv names = json_get(event, "enum");
	const char *root = getenv("COOPR_ROOT");
	char *path = memory_printf("%s/man/man5/coopr-event.5", root ? root : ".");
	struct buffer page = {0};
	struct error err;

	tap_ok(file_read(AT_FDCWD, path, 1 << 20, &page, &err) == 0, "coopr-event(5) can be read");
	tap_is_number((long)json_length(names), EVENT_KIND_COUNT, "the schema has as many kinds of events");
	for (enum event_kind kind = 0; kind < EVENT_KIND_COUNT && kind < json_length(names); kind++) {
		jv name = jv_array_get(jv_copy(names), (int)kind);
		char *last = memory_printf(" %s\n", event_name(kind)), *among = memory_printf(" %s ,", event_name(kind));
		const char *items = page.data ? strstr(page.data, ".It Cm put") : NULL;

		tap_is_text(json_string(name), event_name(kind), "event %s is in the schema", event_name(kind));
		tap_ok(items && (strstr(items, last) || strstr(items, among)), "event %s is in coopr-event(5)", event_name(kind));
		free(last);
		free(among);
		jv_free(name);
	}
	buffer_release(&page);
	free(path);
	jv_free(names);
	jv_free(event);
	jv_free(properties);
	jv_free(schema);
}

int
main(void)
{
	const struct document *tables[2] = {&solution_table, NULL};

	compare_kind("solution", tables);
	for (const char *const *kind = validate_kinds(); *kind; kind++)
		if (validate_tables(*kind, tables))
			compare_kind(*kind, tables);
	compare_event_kinds();
	return tap_end();
}
