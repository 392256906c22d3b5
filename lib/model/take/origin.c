/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "model/take/task.h"

static const char mark[] = "of";
static const char *const names[] = {[ORIGIN_INSTALLATION] = "installation", [ORIGIN_TENANT] = "tenant"};

const char *
origin_name(enum origin origin)
{
	return names[origin];
}

enum origin
origin_of(jv document, enum origin otherwise)
{
	jv value = json_get(document, mark);
	const char *text = json_string(value);
	enum origin origin = jv_is_valid(value) ? ORIGIN_TENANT : otherwise;

	if (text && strcmp(text, names[ORIGIN_INSTALLATION]) == 0)
		origin = ORIGIN_INSTALLATION;
	jv_free(value);
	return origin;
}

void
origin_mark(jv *document, enum origin origin)
{
	json_set_string(document, mark, names[origin]);
}

void
origin_unmark(jv *document)
{
	if (jv_get_kind(*document) == JV_KIND_OBJECT)
		*document = jv_object_delete(*document, jv_string(mark));
}

static void origin_check_fields(const struct place *fields, jv schema);

/* Returns whether each of the words names something beneath a folder. What only a shell would take apart is not taken apart here. */
static bool
origin_is_beneath(const char *words)
{
	char *copy = memory_string(words), *rest = copy, *word;
	bool is_beneath = !strpbrk(words, "'\"\\~$`*?[");

	for (const char *byte = words; *byte; byte++)
		is_beneath &= (unsigned char)*byte >= ' ' && *byte != 0x7f;
	while ((word = strsep(&rest, " ")))
		is_beneath &= !*word || location_is_inside(word);
	free(copy);
	return is_beneath;
}

/* Returns whether what stands there is a path of the host: a string, or one in a list or an object. */
static bool
origin_has_path(jv value)
{
	bool found = json_string(value) && !origin_is_beneath(json_string(value));

	for (size_t i = 0; jv_get_kind(value) == JV_KIND_ARRAY && i < json_length(value) && !found; i++) {
		jv element = json_element(value, i);

		found = origin_has_path(element);
		jv_free(element);
	}
	return found || jv_get_kind(value) == JV_KIND_OBJECT;
}

static void
origin_refuse_path(const struct place *field)
{
	if (origin_has_path(field->value))
		place_problem(field, "a tenant's document names no path of the host; name a file of the installation, without a leading / "
		    "and without .., or have a superadmin store the document");
}

static void
origin_refuse(const struct place *field)
{
	place_problem(field, "a tenant's document does not say that, as it is of the host; leave it out, or have a superadmin store "
	    "the document");
}

/* Checks the objects of a list by what is said of them; what is not an object, or not named there, is refused. */
static void
origin_check_list(const struct place *list, jv items)
{
	jv properties = json_get(items, "properties");

	for (size_t i = 0; i < json_length(list->value); i++) {
		struct place element = place_element(list, i), member;
		struct members members;

		if (!place_object(&element, NEED_REQUIRED))
			continue;
		members = members_of(&element);
		while (members_next(&members, &member))
			if (!jv_object_has(jv_copy(properties), jv_string(member.name)))
				origin_refuse(&member);
		origin_check_fields(&element, items);
	}
	jv_free(properties);
}

static void
origin_check_field(const struct place *field, jv property)
{
	char *of = json_get_string(property, mark);
	jv items = json_get(property, "items");

	if (of && strcmp(of, "path") == 0)
		origin_refuse_path(field);
	else if (of && jv_get_kind(field->value) == JV_KIND_ARRAY && jv_get_kind(items) == JV_KIND_OBJECT)
		origin_check_list(field, items);
	else if (of && strcmp(of, ORIGIN_ADDRESS) != 0 && place_present(field))
		origin_refuse(field);
	else if (!of && jv_get_kind(field->value) == JV_KIND_OBJECT)
		origin_check_fields(field, property);
	for (size_t i = 0; !of && jv_get_kind(field->value) == JV_KIND_ARRAY && i < json_length(field->value); i++) {
		struct place element = place_element(field, i);

		origin_check_field(&element, items);
	}
	jv_free(items);
	free(of);
}

static void
origin_check_fields(const struct place *fields, jv schema)
{
	jv properties = json_get(schema, "properties");
	struct members members = members_of(fields);
	struct place field;

	while (members_next(&members, &field)) {
		jv property = json_get(properties, field.name);

		origin_check_field(&field, property);
		jv_free(property);
	}
	jv_free(properties);
}

void
origin_check_plugin(const struct place *type, const struct place *fields, jv schema)
{
	if (origin_of(schema, ORIGIN_TENANT) == ORIGIN_INSTALLATION)
		place_problem(type, "only documents that a superadmin has stored have the type \"%.80s\": who uses it can take the host that it "
		    "works on; name another type, or have a superadmin store the document", json_string(type->value));
	if (jv_get_kind(fields->value) == JV_KIND_OBJECT)
		origin_check_fields(fields, schema);
}

void
origin_check_images(const struct place *imagetype)
{
	struct place offers = place_member(imagetype, "providermap"), offer;
	struct members members = members_of(&offers);

	while (members_next(&members, &offer)) {
		struct place image = place_member(&offer, "image");

		origin_refuse_path(&image);
	}
}

/* Returns whether a tenant has written the fields that the task's plugin gets. */
static bool
origin_has_tenants_fields(const struct task *task)
{
	return origin_of(action_is_providers(task->action) ? task->provider : task->source, ORIGIN_INSTALLATION) == ORIGIN_TENANT;
}

/* Returns whether a tenant has written the image type of the machine that is to be made. */
static bool
origin_has_tenants_image(const struct task *task)
{
	jv machine = task->action == ACTION_CREATE ? json_get(task->source, "machine") : jv_invalid();
	bool is_tenants = origin_of(machine, ORIGIN_INSTALLATION) == ORIGIN_TENANT;

	jv_free(machine);
	return is_tenants;
}

bool
origin_is_tenants(const struct task *task)
{
	return origin_has_tenants_fields(task) || origin_has_tenants_image(task);
}

/* Checks the image of the machine that is to be made. */
static int
origin_check_image(const struct task *task, struct error *err)
{
	struct problems problems = {0};
	jv machine = json_get(task->source, "machine"), value = json_get(machine, "image");
	struct place root = place_root(machine, &problems), image = place_named(&root, "image", value);
	int result = 0;

	origin_refuse_path(&image);
	if (problems.total > 0)
		result = error_set(err, EX_NOPERM, "machine %s: %s: %s", task->machine.id ? task->machine.id : "", problems.list[0].pointer,
		    problems.list[0].text);
	problems_release(&problems);
	jv_free(value);
	jv_free(machine);
	return result;
}

bool
origin_is_mentioned(const char *record, size_t length)
{
	static const char text[] = "\"of\":\"tenant\"";

	return memmem(record, length, text, sizeof text - 1) != NULL;
}

int
origin_check_task(const struct task *task, jv schema, struct error *err)
{
	bool is_providers = action_is_providers(task->action);
	struct problems problems = {0};
	jv plugin = jv_string(task->type ? task->type : "");
	struct place fields = place_root(task->fields, &problems), type = place_named(&fields, is_providers ? "providertype" : "type", plugin);
	int result = 0;

	/* What is deleted was made, and its provider may have been described otherwise then. */
	if (task->action != ACTION_DELETE && origin_has_tenants_fields(task))
		origin_check_plugin(&type, &fields, schema);
	if (problems.total > 0)
		result = error_set(err, EX_NOPERM, "%s %s: %s: %s", is_providers ? "provider" : "service",
		    is_providers || !task->service ? task->type : task->service, problems.list[0].pointer, problems.list[0].text);
	problems_release(&problems);
	jv_free(plugin);
	return result == 0 && origin_has_tenants_image(task) ? origin_check_image(task, err) : result;
}
