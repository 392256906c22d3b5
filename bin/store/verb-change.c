/* SPDX-License-Identifier: Apache-2.0 */
#include "verb-change.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/names.h"
#include "base/plural.h"
#include "base/process.h"
#include "catalogue/spelling-check.h"
#include "inspect/fields.h"
#include "inspect/host-fields.h"
#include "inspect/inspect.h"
#include "inspect/own-addresses.h"
#include "json/scan.h"
#include "login/provisioners.h"
#include "store/entity-input.h"
#include "store/tenant-document.h"

void
store_verb_begin(struct change *change, struct store *store, const struct store_verb_change_options *changing)
{
	struct error err;

	if (changing->change.quiet)
		message_quiet();
	store_set_why(store, changing->why);
	if (change_begin(change, store, &err) < 0)
		exit(message_error(&err));
}

enum { AT_ONCE = 10000, AT_ONCE_BYTES = 8 << 20 }; /* as a request to the server */

size_t
store_verb_input_limit(const struct store *store)
{
	/* With white space as people write it. */
	return store_origin(store) == ORIGIN_TENANT ? 4 * AT_ONCE_BYTES : JSON_BYTES;
}

int
store_verb_check_amount(const struct store *store, const struct entity_input *input)
{
	struct buffer text = {0};
	size_t bytes = 0;

	if (store_origin(store) != ORIGIN_TENANT)
		return 0;
	for (size_t i = 0; i < input->count && input->count <= AT_ONCE && bytes <= AT_ONCE_BYTES; i++) {
		text.length = 0;
		json_dump(input->list[i].document, &text);
		bytes += text.length;
	}
	buffer_release(&text);
	if (input->count <= AT_ONCE && bytes <= AT_ONCE_BYTES)
		return 0;
	message("%s: %zu document%s at once; an administrator of a tenant changes at most %d of them, of %d MiB together, because others "
	    "wait for it; give them in parts", input->list[0].source, input->count, plural(input->count, "", "s"), AT_ONCE,
	    AT_ONCE_BYTES >> 20);
	return EX_DATAERR;
}

/* Returns 1 where the entity is what the installation has written, 0, or -1. */
static int
store_verb_is_known(struct store *store, const struct input_entity *entity, struct error *err)
{
	struct revisions list = {0};
	struct buffer text = {0};
	int result = entities_look(store, entity->kind, entity->name, &list, err);

	json_dump(entity->document, &text);
	if (result == 0)
		result = list.list[0].origin == ORIGIN_INSTALLATION && list.list[0].text &&
		    strcmp(list.list[0].text, buffer_string(&text)) == 0;
	buffer_release(&text);
	revisions_release(&list);
	return result;
}

int
store_verb_pin_addresses(struct store *store, struct entity_input *input)
{
	struct fields_check check = {.catalogue = NULL};
	struct string_list ranges;
	struct arena arena = {0};
	struct error err;
	int result = 0;

	for (size_t i = 0; i < input->count && store_origin(store) == ORIGIN_TENANT && result >= 0; i++) {
		struct input_entity *entity = &input->list[i];

		if (entity->kind != ENTITY_PROVIDER)
			continue;
		result = store_verb_is_known(store, entity, &err);
		if (result == 0 && (result = tenant_addresses(store, &arena, &ranges, &err)) == 0)
			own_addresses_pin(&check, &entity->document, &ranges);
	}
	arena_release(&arena);
	fields_check_release(&check);
	return result < 0 ? message_error(&err) : 0;
}

/* Adds what an entity of the tenant must not say. Returns 0, or -1. */
static int
store_verb_check_entity(struct store *store, struct fields_check *check, const struct input_entity *entity, const struct place *root,
    struct error *err)
{
	struct arena arena = {0};
	struct string_list ranges;
	int known = store_verb_is_known(store, entity, err);

	if (known == 0)
		host_fields_check_entity(check, entity->kind, root);
	if (known == 0 && entity->kind == ENTITY_PROVIDER && (known = tenant_addresses(store, &arena, &ranges, err)) == 0)
		own_addresses_check(check, root, &ranges);
	arena_release(&arena);
	return known < 0 ? -1 : 0;
}

int
store_verb_check_origin(struct store *store, const struct entity_input *input)
{
	struct fields_check check = {.catalogue = NULL};
	struct error err;
	int code = 0;

	for (size_t i = 0; i < input->count && store_origin(store) == ORIGIN_TENANT; i++) {
		const struct input_entity *entity = &input->list[i];
		struct problems problems = {0};
		struct place root = place_root(entity->document, &problems);

		if (store_verb_check_entity(store, &check, entity, &root, &err) < 0)
			code = message_error(&err);
		else if (problems.total > 0 && problems_report(&problems, entity->source) != 0)
			code = EX_NOPERM;
		problems_release(&problems);
	}
	fields_check_release(&check);
	return code;
}

/* Adds the plugins that provisioners of Coopr have described: "provider/openstack". */
static void
store_verb_add_elsewhere(struct store *store, struct names *plugins, struct arena *arena)
{
	static const char *const kinds[] = {"provider", "automator"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char *kind = memory_printf("%stypes", kinds[i]);
		struct arguments documents = {0};
		struct error ignored;
		jv document;

		provisioners_descriptions(store, kind, &documents, &ignored);
		for (size_t j = 0; j < documents.count; j++)
			if (json_parse(kind, documents.list[j], strlen(documents.list[j]), &document, &ignored) == 0) {
				const char *name = json_arena_string(document, "name", arena);

				if (name)
					names_intern(plugins, arena_printf(arena, "%s/%s", kinds[i], name));
				jv_free(document);
			}
		arguments_release(&documents);
		free(kind);
	}
}

void
store_verb_note_doubts(struct store *store, struct entity_input *input, bool warns)
{
	struct names elsewhere = {0};
	struct arena arena = {0};

	store_verb_add_elsewhere(store, &elsewhere, &arena);
	for (size_t i = 0; i < input->count; i++) {
		struct problems doubts = {0};
		struct fields_check check = {.warnings = &doubts, .missing = &doubts, .elsewhere = &elsewhere, .files_apart = true};
		struct place root = place_root(input->list[i].document, &doubts);
		const char *kind = entity_kind_name(input->list[i].kind);

		spelling_check(kind, &root);
		inspect_document(&check, kind, &root);
		for (size_t j = 0; j < doubts.count; j++) {
			const struct problem *doubt = &doubts.list[j];

			entity_input_note(input, &input->list[i], "%s: %s", doubt->pointer, doubt->text);
			if (warns)
				message("%s: %s: warning: %s", input->list[i].source, doubt->pointer, doubt->text);
		}
		input->list[i].lacks_plugin = check.missing_count > 0;
		fields_check_release(&check);
		problems_release(&doubts);
	}
	names_release(&elsewhere);
	arena_release(&arena);
}

int
store_verb_report(const struct findings *findings)
{
	int code = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		message("%s: %s: %s", finding->file, *finding->pointer ? finding->pointer : "the whole document", finding->text);
		if (code != EX_DATAERR)
			code = finding->severity == SEVERITY_MALFORMED ? EX_DATAERR : EX_NO;
	}
	return code;
}

int
store_verb_end(struct change *change, const struct store_verb_change_options *changing)
{
	struct error err;
	int code;

	if (change_check(change, &err) < 0)
		return message_error(&err);
	code = store_verb_report(&change->faults);
	if (code && !changing->force) {
		error_set(&err, code, "nothing was changed");
		error_way_out(&err, "force", "; use --force to change it anyway");
		return message_error(&err);
	}
	if (!changing->dry_run && change_commit(change, &err) < 0)
		return message_error(&err);
	return 0;
}
