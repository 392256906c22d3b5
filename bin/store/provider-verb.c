/* SPDX-License-Identifier: Apache-2.0
 *
 * list and describe: what is known of providers without asking anybody.
 */
#include "provider-verb.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "account/guest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/preference.h"
#include "exec/plugin-find.h"
#include "exec/plugin-schema.h"
#include "json/json.h"
#include "model/take/origin.h"
#include "verb.h"

static const struct command list_command = {
	"coopr-provider list", "[OPTION]...", "List the providers, and how many flavors and images they offer.", store_verb_list_options,
	"  coopr-provider list\n"};

static const struct command describe_command = {
	"coopr-provider describe", "[OPTION]... PROVIDER|TYPE", "List the fields of a provider, or of a type of providers.", store_verb_list_options,
	"  coopr-provider describe ocean\n"
	"  coopr-provider describe ec2 -o json\n"};

/* --- list --- */

struct provider_row {
	const char *name, *type;
	char *plugin;          /* its path; NULL: it is not installed */
	size_t flavors, images;
};

#define AT(type, member) LIST_AT(type, struct provider_row, member)

static void
provider_verb_fill_plugin(const void *row, struct list_cell *cell)
{
	const struct provider_row *provider = row;

	list_cell_show(cell, provider->plugin ? STYLE_GOOD : STYLE_BAD, "%s", provider->plugin ? "installed" : "missing");
}

static const struct list_column list_columns[] = {
	{"NAME", "name", AT(TEXT, name)},
	{"TYPE", "type", AT(TEXT, type)},
	{"PLUGIN", "plugin", AT(TEXT, plugin), .fill = provider_verb_fill_plugin},
	{"FLAVORS", "flavors", AT(COUNT, flavors)},
	{"IMAGES", "images", AT(COUNT, images)},
	{0}};

static const struct list providers = {.kind = "providersummary", .rows = "providers", .columns = list_columns,
    .row_size = sizeof(struct provider_row)};

/* Reads all entities; exits with a message where that fails. */
static void
provider_verb_read(struct catalogue *catalogue, struct findings *findings)
{
	struct store *store;
	struct error err;

	store_verb_open(&store, STORE_READ, ACCOUNT_READER);
	if (entities_catalogue(store, catalogue, findings, &err) < 0)
		exit(message_error(&err));
	store_release(store);
}

const char *
provider_verb_elsewhere(void)
{
	return preference_value(PREFERENCE_CATALOGUE, NULL) ? " (coopr import stores those of a catalogue's folder, such as COOPR_CATALOGUE names)" : "";
}

static void
provider_verb_fill_row(const struct catalogue *catalogue, const struct provider *provider, struct provider_row *row)
{
	*row = (struct provider_row){.name = provider->name, .type = provider->providertype,
	    .plugin = provider->providertype ? location_plugin("provider", provider->providertype) : NULL};
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *entity = &catalogue->entities[i];

		row->flavors += entity->kind == ENTITY_HARDWARETYPE && hardwaretype_offer(&entity->hardwaretype, provider->name);
		row->images += entity->kind == ENTITY_IMAGETYPE && imagetype_offer(&entity->imagetype, provider->name);
	}
}

int
provider_verb_list(int argc, char **argv)
{
	struct catalogue catalogue = {0};
	struct findings findings = {0};
	struct output output;
	struct provider_row *rows;
	size_t count = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	provider_verb_read(&catalogue, &findings);
	rows = memory_zeroed(catalogue.count + 1, sizeof *rows);

	for (size_t i = 0; i < catalogue.count; i++)
		if (catalogue.entities[i].kind == ENTITY_PROVIDER)
			provider_verb_fill_row(&catalogue, &catalogue.entities[i].provider, &rows[count++]);
	if (count == 0 && *provider_verb_elsewhere())
		message("the store has no providers%s", provider_verb_elsewhere());
	output = store_verb_output();
	list_print(&providers, rows, count, &output);

	while (count > 0)
		free(rows[--count].plugin);
	free(rows);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return message_end(0);
}

/* --- describe --- */

struct field_row { /* strings live in the arena */
	const char *name, *type, *of, *otherwise, *description;
	bool required, secret;
};

#undef AT
#define AT(type, member) LIST_AT(type, struct field_row, member)

static void
provider_verb_fill_required(const void *row, struct list_cell *cell)
{
	list_cell_show(cell, STYLE_PLAIN, "%s", ((const struct field_row *)row)->required ? "yes" : "");
}

static void
provider_verb_fill_secret(const void *row, struct list_cell *cell)
{
	list_cell_show(cell, STYLE_PLAIN, "%s", ((const struct field_row *)row)->secret ? "yes" : "");
}

static const struct list_column field_columns[] = {
	{"FIELD", "name", AT(TEXT, name)},
	{"TYPE", "type", AT(TEXT, type)},
	{"REQUIRED", "required", AT(FLAG, required), .fill = provider_verb_fill_required},
	{"SECRET", "secret", AT(FLAG, secret), .fill = provider_verb_fill_secret},
	{"WRITTEN BY", "of", AT(TEXT, of)},
	{"DEFAULT", "default", AT(TEXT, otherwise)},
	{"DESCRIPTION", "description", AT(TEXT, description)},
	{0}};

static const struct list fields = {.kind = "providerfield", .rows = "fields", .columns = field_columns, .row_size = sizeof(struct field_row)};

/* Returns the names of the fields that are required, owned; of alternatives, those of the first, which is the usual one. */
static jv
provider_verb_required(jv schema)
{
	jv choices = json_get(schema, "anyOf"), first = json_element(choices, 0), required = json_get(jv_is_valid(first) ? first : schema, "required");

	jv_free(first);
	jv_free(choices);
	return required;
}

/* Returns a value as text: a string as it is, a list with bars between its elements, all else as JSON; NULL where there is none. */
static const char *
provider_verb_text(jv value, struct arena *arena)
{
	struct buffer text = {0};
	const char *copy = NULL;

	if (jv_get_kind(value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(value); i++) {
			jv element = json_element(value, i);

			buffer_printf(&text, "%s%s", i ? "|" : "", json_string(element) ? json_string(element) : "");
			jv_free(element);
		}
	} else if (json_string(value)) {
		buffer_text(&text, json_string(value));
	} else if (jv_is_valid(value)) {
		json_dump(value, &text);
	}
	if (jv_is_valid(value))
		copy = arena_string(arena, buffer_string(&text));
	buffer_release(&text);
	return copy;
}

static const char *
provider_verb_member(jv property, const char *name, struct arena *arena)
{
	jv value = json_get(property, name);
	const char *text = provider_verb_text(value, arena);

	jv_free(value);
	return text;
}

/* Returns whether only a superadmin writes what is described so: a field, or all of them. */
static bool
provider_verb_is_installations(jv described)
{
	return origin_of(described, ORIGIN_TENANT) == ORIGIN_INSTALLATION;
}

static void
provider_verb_fill_field(jv schema, const char *name, jv property, struct arena *arena, struct field_row *row)
{
	jv required = provider_verb_required(schema);

	*row = (struct field_row){.name = arena_string(arena, name), .type = provider_verb_member(property, "type", arena),
	    .otherwise = provider_verb_member(property, "default", arena), .description = provider_verb_member(property, "description", arena),
	    .of = provider_verb_is_installations(schema) || provider_verb_is_installations(property) ? "installation" : "tenant",
	    .required = json_array_has(required, NULL, name),
	    .secret = json_is(property, "writeOnly", JV_KIND_TRUE)};
	jv_free(required);
}

static void
provider_verb_print_fields(jv schema)
{
	jv properties = json_get_object(schema, "properties"), names = jv_keys(jv_copy(properties));
	size_t count = json_length(names);
	struct output output = store_verb_output();
	struct arena arena = {0};
	struct field_row *rows = memory_zeroed(count + 1, sizeof *rows);

	for (size_t i = 0; i < count; i++) {
		jv name = json_element(names, i), property = json_get(properties, json_string(name));

		provider_verb_fill_field(schema, json_string(name), property, &arena, &rows[i]);
		jv_free(property);
		jv_free(name);
	}
	list_print(&fields, rows, count, &output);
	free(rows);
	arena_release(&arena);
	jv_free(names);
	jv_free(properties);
}

/* Returns whether nobody has made a store yet: types of providers are there without one. */
static bool
provider_verb_has_no_store(void)
{
	char *path;
	struct error err;
	bool has_none;

	if (guest_refuse_options(&err) < 0) /* before anything is looked for where an option says */
		exit(message_error(&err));
	path = location_store(store_verb_given.store);
	has_none = !strstr(path, "://") && file_is_absent(AT_FDCWD, path);
	free(path);
	return has_none;
}

/* Returns the type of the provider of that name, or the name where it is a type; the caller frees it. */
static char *
provider_verb_type(const char *name)
{
	struct catalogue catalogue = {0};
	struct findings findings = {0};
	const struct entity *entity;
	char *type;

	if (provider_verb_has_no_store())
		return memory_string(name);
	provider_verb_read(&catalogue, &findings);
	entity = catalogue_find(&catalogue, ENTITY_PROVIDER, name);
	type = memory_string(entity && entity->provider.providertype ? entity->provider.providertype : name);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return type;
}

int
provider_verb_describe(int argc, char **argv)
{
	char *type, *path;
	struct error err;
	jv schema;
	int code = 0;

	argv += option_parse(&describe_command, argc, argv);
	store_verb_operands(&describe_command, argv, 1, 1, "a provider or a type of providers");
	type = provider_verb_type(argv[0]);
	path = plugin_find("provider", type, &err);
	schema = path ? plugin_schema("provider", type) : jv_invalid();

	if (!path) {
		error_prefix(&err, "the store has no provider \"%s\"%s", argv[0], provider_verb_elsewhere());
		err.code = EX_NO;
		code = message_error(&err);
	} else if (!jv_is_valid(schema)) {
		error_set(&err, EX_UNAVAILABLE, "provider type \"%s\": its plugin does not describe its fields", type);
		code = message_error(&err);
	} else {
		provider_verb_print_fields(schema);
	}

	jv_free(schema);
	free(path);
	free(type);
	return message_end(code);
}
