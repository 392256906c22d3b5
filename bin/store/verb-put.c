/* SPDX-License-Identifier: Apache-2.0
 *
 * put: entities from files.
 */
#include "account/guest.h"
#include "verb.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "store/entity-input.h"
#include "verb-change.h"

static struct store_verb_change_options changing;
static const char *kind, *name;
static long expected = VERSION_ANY;

static const struct option_spec put_options[] = {
	OPTION_STRING('k', "kind", &kind, "KIND", "the kind of the files (default: their member \"kind\", or their folder)"),
	OPTION_STRING(0, "name", &name, "NAME", "the file must have this entity, and no other"),
	OPTION_NUMBER('e', "expect", &expected, "VERSION", "refuse if this is not the newest version; 0: if there is one"),
	STORE_VERB_CHANGE_OPTIONS(&changing),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command put_command = {
	"coopr-store put", "[OPTION]... [FILE]...", "Make what the files say the newest versions of entities.", put_options,
	"  coopr-store put -m 'two more workers' services/nginx.json\n"
	"  coopr-store get service nginx | sed s/80/8080/ | coopr-store put -k service\n"};

/* Returns how many were changed, or -1. */
static int
put_verb_put_all(struct change *change, const struct entity_input *input, struct revisions *changed, struct error *err)
{
	int result = 0, count = 0;
	int64_t version;

	for (size_t i = 0; i < input->count && result >= 0; i++) {
		const struct input_entity *entity = &input->list[i];

		result = change_put(change, entity, expected, &version, err);
		if (result > 0) {
			count++;
			result = entities_get(change->store, entity->kind, entity->name, version, changed, err);
			if (result >= 0)
				changed->list[changed->count - 1].note = entity->note;
		}
	}
	return result < 0 ? -1 : count;
}

static int
put_verb_change_store(struct entity_input *input)
{
	struct revisions changed = {0};
	struct change change;
	struct store *store;
	struct error err;
	int count, code;

	store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);
	code = store_verb_check_amount(store, input);
	if (code == 0)
		code = store_verb_pin_addresses(store, input);
	if (code) {
		store_release(store);
		return code;
	}
	store_verb_note_doubts(store, input, !changing.change.quiet);
	store_verb_begin(&change, store, &changing);
	code = store_verb_check_origin(store, input);
	count = code ? 0 : put_verb_put_all(&change, input, &changed, &err);
	if (code == 0)
		code = count < 0 ? message_error(&err) : store_verb_end(&change, &changing);
	if (code == 0) {
		if (changed.count)
			store_verb_print(&changed);
		if (!changing.change.quiet)
			message("%d %s, %zu as before", count, changing.dry_run ? "would be changed" : "changed",
			    input->count - (size_t)count);
	}
	change_release(&change);
	revisions_release(&changed);
	store_release(store);
	return code;
}

/* Checks that the entity of --name is what was read, and nothing else. */
static int
put_verb_check_name(const struct entity_input *input)
{
	const struct input_entity *first = input->list;

	if (!name || (input->count == 1 && strcmp(first->name, name) == 0))
		return 0;
	if (input->count == 1)
		message("%s: its name is \"%s\", and not \"%s\"", first->source, first->name, name);
	else
		message("--name is of one entity; %zu were read", input->count);
	return EX_DATAERR;
}

static int
put_verb_put_files(const struct command *command, char *const *paths)
{
	enum entity_kind its_kind = kind ? store_verb_kind(command, kind) : ENTITY_NONE;
	struct entity_input input = {0};
	struct error err;
	int code = 0;

	for (; *paths && code == 0; paths++)
		if (guest_refuse_file(*paths, &err) < 0 || entity_input_read(&input, *paths, its_kind, &err) < 0)
			code = message_error(&err);
	if (code == 0)
		code = store_verb_report(&input.findings);
	if (code == 0)
		code = put_verb_check_name(&input);
	if (code == 0)
		code = put_verb_change_store(&input);
	entity_input_release(&input);
	return message_end(code);
}

int
store_verb_put(int argc, char **argv)
{
	static char standard_input[] = "-";
	char *const input[] = {standard_input, NULL};

	argv += option_parse(&put_command, argc, argv);
	return put_verb_put_files(&put_command, *argv ? argv : input);
}
