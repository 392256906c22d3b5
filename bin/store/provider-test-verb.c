/* SPDX-License-Identifier: Apache-2.0
 *
 * test and import-flavors: what the plugin of a provider finds out by asking its cloud, which makes nothing for that.
 */
#include "provider-verb.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "admin/doctor-report.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "exec/plugin-schema.h"
#include "json/json.h"
#include "model/name.h"
#include "model/take/origin.h"
#include "store/entity-input.h"
#include "verb-change.h"
#include "worker/entity-ask.h"

static struct store_verb_change_options changing;

static const struct command test_command = {
	"coopr-provider test", "[OPTION]... PROVIDER", "Try a provider, with all that hardware types and image types name, without making anything.",
	store_verb_list_options,
	"  coopr-provider test ocean\n"
	"  coopr-provider test ocean -o json | jq -r 'select(.status != \"ok\") | .text'\n"};

static const struct option_spec import_options[] = {
	STORE_VERB_CHANGE_OPTIONS(&changing),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command import_command = {
	"coopr-provider import-flavors", "[OPTION]... PROVIDER [FLAVOR]...",
	"Make hardware types of the flavors of a cloud, with what they have and cost.", import_options,
	"  coopr-provider import-flavors --dry-run ocean\n"
	"  coopr-provider import-flavors ocean 's-*' 'c-*'\n"};

/* Finds the provider in the catalogue, and what its plugin says of itself. Returns NULL with a reason. */
static const struct entity *
provider_verb_find(const struct catalogue *catalogue, const char *name, jv *schema, struct error *err)
{
	const struct entity *entity = catalogue_need(catalogue, ENTITY_PROVIDER, name, err);

	if (!entity && *provider_verb_elsewhere())
		error_prefix(err, "the store%s", provider_verb_elsewhere());
	*schema = entity && entity->provider.providertype ? plugin_schema("provider", entity->provider.providertype) : jv_invalid();
	return entity;
}

/* Returns what the entity, if it is a hardware type, offers from the provider; NULL where it is none, or offers nothing. */
static const struct hardware_offer *
provider_verb_hardware(const struct entity *entity, const char *provider)
{
	return entity->kind == ENTITY_HARDWARETYPE ? hardwaretype_offer(&entity->hardwaretype, provider) : NULL;
}

/* --- test --- */

struct test {
	struct doctor_report report;
	size_t machines; /* where the plugin has nothing but list */
};

static int
provider_verb_take_check(void *context, const char *line, size_t length, struct error *err)
{
	struct test *test = context;
	struct arena *arena = &test->report.arena;
	const char *name, *text, *status;
	jv record;

	if (json_parse("its test", line, length, &record, err) < 0)
		return -1;
	name = json_arena_string(record, "name", arena);
	text = json_arena_string(record, "text", arena);
	status = json_arena_string(record, "status", arena);
	if (name && text && status)
		doctor_say(&test->report, name, strcmp(status, "ok") == 0 ? DOCTOR_OK : strcmp(status, "fault") == 0 ? DOCTOR_ERROR : DOCTOR_WARNING,
		    json_arena_string(record, "remedy", arena), "%s", text);
	jv_free(record);
	return 0;
}

static int
provider_verb_count_machine(void *context, const char *line, size_t length, struct error *err)
{
	struct test *test = context;

	(void)line, (void)length, (void)err;
	test->machines++;
	return 0;
}

/* Adds a name to a list of the entity once. */
static void
provider_verb_add_name(jv *names, const char *name)
{
	if (!json_array_has(*names, NULL, name))
		*names = jv_array_append(*names, jv_string(name));
}

/* Appends the entity, with the names of all that hardware types and image types offer of it. */
static void
provider_verb_append_question(const struct catalogue *catalogue, const struct entity *provider, struct buffer *question)
{
	jv entity = jv_copy(provider->source), flavors = jv_array(), images = jv_array();

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *other = &catalogue->entities[i];
		const struct hardware_offer *hardware = provider_verb_hardware(other, provider->name);
		const struct image_offer *image = other->kind == ENTITY_IMAGETYPE ? imagetype_offer(&other->imagetype, provider->name) : NULL;

		if (hardware)
			provider_verb_add_name(&flavors, hardware->flavor);
		if (image)
			provider_verb_add_name(&images, image->image);
	}
	json_set(&entity, "flavors", flavors);
	json_set(&entity, "images", images);
	json_dump(entity, question);
	jv_free(entity);
}

/* Asks the plugin. Where it can only list, that is what is tried. */
static int
provider_verb_try(const struct catalogue *catalogue, const struct entity *provider, const char *tenant, bool tests, struct test *test,
    struct error *err)
{
	struct buffer question = {0};
	int result;

	provider_verb_append_question(catalogue, provider, &question);
	result = entity_ask(buffer_string(&question), tenant, tests ? "test" : "list",
	    tests ? provider_verb_take_check : provider_verb_count_machine, test, err);
	buffer_release(&question);
	if (result == 0 && !tests)
		doctor_say(&test->report, "list", DOCTOR_OK, NULL, "%zu machine%s of this installation; its plugin can try nothing more", test->machines,
		    plural(test->machines, "", "s"));
	/* That a plugin ends with another code than 0 says no more than what it has printed. */
	return doctor_worst(&test->report) == DOCTOR_ERROR ? 0 : result;
}

int
provider_verb_test(int argc, char **argv)
{
	struct catalogue catalogue = {0};
	struct findings findings = {0};
	struct test test = {.machines = 0};
	const struct entity *provider;
	struct account account;
	struct output output;
	struct error err;
	jv schema = jv_invalid();
	int code = 0;

	argv += option_parse(&test_command, argc, argv);
	store_verb_operands(&test_command, argv, 1, 1, "a provider");
	store_verb_account(&account, STORE_READ, ACCOUNT_ADMIN, "trying providers");

	if (entities_catalogue(account.store, &catalogue, &findings, &err) < 0 ||
	    !(provider = provider_verb_find(&catalogue, argv[0], &schema, &err)) ||
	    provider_verb_try(&catalogue, provider, account.tenant, json_is(schema, "test", JV_KIND_TRUE), &test, &err) < 0)
		code = message_error(&err);
	output = store_verb_output();
	if (test.report.count)
		doctor_print(&test.report, &output);
	if (code == 0)
		code = doctor_worst(&test.report) == DOCTOR_ERROR ? EX_NO : 0;

	jv_free(schema);
	doctor_report_release(&test.report);
	findings_release(&findings);
	catalogue_release(&catalogue);
	account_release(&account);
	return message_end(code);
}

/* --- import-flavors --- */

struct import {
	const struct catalogue *catalogue;
	const char *provider;
	char *const *patterns; /* of the flavors wanted; none: all */
	struct entity_input input;
	size_t listed;
};

static bool
provider_verb_is_wanted(char *const *patterns, const char *flavor)
{
	bool all = !*patterns;

	for (; *patterns; patterns++)
		if (fnmatch(*patterns, flavor, 0) == 0)
			return true;
	return all;
}

/* Finds the hardware type that offers the flavor already, or else has its name. */
static const struct entity *
provider_verb_find_type(const struct import *import, const char *flavor, const char *name)
{
	for (size_t i = 0; i < import->catalogue->count; i++) {
		const struct entity *entity = &import->catalogue->entities[i];
		const struct hardware_offer *offer = provider_verb_hardware(entity, import->provider);

		if (offer && strcmp(offer->flavor, flavor) == 0)
			return entity;
	}
	return catalogue_find(import->catalogue, ENTITY_HARDWARETYPE, name);
}

/* Returns the name of a hardware type for a flavor: the same, with "-" for each character that a name cannot have. */
static const char *
provider_verb_type_name(struct arena *arena, const char *flavor)
{
	char *name = arena_string(arena, flavor);

	for (char *at = name; *at && !name_is_valid(name); at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *at))
			*at = '-';
	return name;
}

/* Sets in the hardware type what the provider offers: other members, and other resources of the capacity, stay. */
static void
provider_verb_set_offer(jv *type, const char *provider, const char *flavor, jv record)
{
	jv map = json_get_object(*type, "providermap"), offer = json_get_object(map, provider);

	json_set_string(&offer, "flavor", flavor);
	if (json_is(record, "capacity", JV_KIND_OBJECT))
		json_set(&offer, "capacity", jv_object_merge(json_get_object(offer, "capacity"), json_get(record, "capacity")));
	if (json_is(record, "cost", JV_KIND_NUMBER))
		json_set(&offer, "cost", json_get(record, "cost"));
	json_set(&map, provider, offer);
	json_set(type, "providermap", map);
}

static int
provider_verb_take_flavor(void *context, const char *line, size_t length, struct error *err)
{
	struct import *import = context;
	struct entity_input *input = &import->input;
	const struct entity *known;
	const char *flavor, *name;
	jv record, type;

	if (json_parse("its flavors", line, length, &record, err) < 0)
		return -1;
	flavor = json_arena_string(record, "flavor", &input->arena);
	import->listed += flavor != NULL;
	if (flavor && provider_verb_is_wanted(import->patterns, flavor)) {
		name = provider_verb_type_name(&input->arena, flavor);
		known = provider_verb_find_type(import, flavor, name);
		type = known ? jv_copy(known->source) : jv_object();
		name = known ? arena_string(&input->arena, known->name) : name;
		origin_unmark(&type);
		json_set_string(&type, "name", name);
		provider_verb_set_offer(&type, import->provider, flavor, record);
		ARRAY_ROOM(input->list, input->count, input->capacity);
		input->list[input->count++] = (struct input_entity){.kind = ENTITY_HARDWARETYPE, .name = name, .source = flavor, .document = type};
	}
	jv_free(record);
	return 0;
}

/* Puts them into the store. Returns the exit code. */
static int
provider_verb_put(struct store *store, struct import *import)
{
	struct revisions changed = {0};
	struct change change;
	struct error err;
	int64_t version;
	int result = 0, code;

	store_verb_begin(&change, store, &changing);
	code = store_verb_check_origin(store, &import->input);
	for (size_t i = 0; i < import->input.count && code == 0 && result >= 0; i++) {
		const struct input_entity *entity = &import->input.list[i];

		result = change_put(&change, entity, VERSION_ANY, &version, &err);
		if (result > 0)
			result = entities_get(store, entity->kind, entity->name, version, &changed, &err);
	}
	if (code == 0)
		code = result < 0 ? message_error(&err) : store_verb_end(&change, &changing);
	if (code == 0 && changed.count)
		store_verb_print(&changed);
	if (code == 0 && !changing.change.quiet)
		message("%zu of %zu flavor%s: %zu hardware type%s %s, %zu as before", import->input.count, import->listed, plural(import->listed, "", "s"),
		    changed.count, plural(changed.count, "", "s"), changing.dry_run ? "would be changed" : "changed", import->input.count - changed.count);
	change_release(&change);
	revisions_release(&changed);
	return code;
}

/* Asks for the flavors. EX_NO where the plugin has no way to list them. */
static int
provider_verb_list_flavors(struct import *import, const struct entity *provider, const char *tenant, jv schema, struct error *err)
{
	struct buffer text = {0};
	int result;

	import->provider = provider->name;
	if (!json_is(schema, "flavors", JV_KIND_TRUE))
		return error_set(err, EX_NO, "provider \"%s\": providers of the type %s have no way to list flavors", provider->name,
		    provider->provider.providertype ? provider->provider.providertype : "");
	json_dump(provider->source, &text);
	result = entity_ask(buffer_string(&text), tenant, "flavors", provider_verb_take_flavor, import, err);
	buffer_release(&text);
	if (result == 0 && import->listed == 0)
		return error_set(err, EX_NO, "provider \"%s\": it offers no flavors in its zone; coopr provider test %s tells whether there is such a zone",
		    provider->name, provider->name);
	if (result == 0 && import->input.count == 0)
		return error_set(err, EX_NO, "provider \"%s\": none of its %zu flavors is wanted", provider->name, import->listed);
	return result;
}

int
provider_verb_import_flavors(int argc, char **argv)
{
	struct catalogue catalogue = {0};
	struct findings findings = {0};
	struct import import = {.catalogue = &catalogue};
	const struct entity *provider;
	struct account account;
	struct error err;
	jv schema = jv_invalid();
	int code;

	argv += option_parse(&import_command, argc, argv);
	store_verb_operands(&import_command, argv, 1, SIZE_MAX, "a provider");
	import.patterns = argv + 1;
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "changing entities and secrets");

	if (entities_catalogue(account.store, &catalogue, &findings, &err) < 0 ||
	    !(provider = provider_verb_find(&catalogue, argv[0], &schema, &err)) ||
	    provider_verb_list_flavors(&import, provider, account.tenant, schema, &err) < 0)
		code = message_error(&err);
	else
		code = provider_verb_put(account.store, &import);

	jv_free(schema);
	entity_input_release(&import.input);
	findings_release(&findings);
	catalogue_release(&catalogue);
	account_release(&account);
	return message_end(code);
}
