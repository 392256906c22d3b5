/* SPDX-License-Identifier: Apache-2.0
 *
 * export: to records on stdout, or to a catalogue's folder.
 */
#include "account/guest.h"
#include "verb.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "json/credential.h"
#include "json/record.h"
#include "resource/catalogue-files.h"

static struct command command = {
	"coopr-store export", "[OPTION]... [DIR]",
	"Print all entities as records, or write them to a new folder as a catalogue.", store_verb_options,
	"  coopr-store export -T qa | coopr-store import -T staging -\n"
	"  coopr-store export /srv/git/catalogue && git -C /srv/git/catalogue diff\n"};

/* Parses an entity, without the passwords and keys that who asks may not see. */
static int
export_verb_parse(const char *name, const char *text, jv *document, struct error *err)
{
	if (json_parse(name, text, strlen(text), document, err) < 0)
		return -1;
	if (store_verb_given.hides)
		credential_hide(document);
	return 0;
}

/* Prints each entity as a record that says its kind. */
static int
export_verb_print_records(const struct revisions *list, struct error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct revision *revision = &list->list[i];
		jv document;

		if (export_verb_parse(revision->name, revision->text, &document, err) < 0)
			return -1;
		json_set_string(&document, "kind", entity_kind_name(revision->kind));
		record_write(document, stdout);
		jv_free(document);
	}
	return 0;
}

static int
export_verb_write_file(const char *dir, const struct revision *revision, struct error *err)
{
	char *path = memory_printf("%s/%s/%s.json", dir, entity_kind_folder(revision->kind), revision->name);
	struct buffer text = {0};
	jv document;
	int result = export_verb_parse(path, revision->text, &document, err);

	if (result == 0) {
		json_dump_pretty(document, &text);
		jv_free(document);
		result = file_replace(AT_FDCWD, path, text.data, text.length, 0666, err);
	}
	buffer_release(&text);
	free(path);
	return result;
}

/* Writes a catalogue: a folder for each kind, a file for each entity. */
static int
export_verb_write_catalogue(const char *dir, const struct revisions *list, struct error *err)
{
	int result = 0;

	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT && result == 0; kind++) {
		char *path = memory_printf("%s/%s", dir, entity_kind_folder(kind));

		result = file_make_dirs(AT_FDCWD, path, 0777, err);
		free(path);
	}
	for (size_t i = 0; i < list->count && result == 0; i++)
		result = export_verb_write_file(dir, &list->list[i], err);
	return result;
}

int
store_verb_export(int argc, char **argv)
{
	return store_verb_export_as(command.name, command.examples, argc, argv);
}

int
store_verb_export_as(const char *name, const char *examples, int argc, char **argv)
{
	struct revisions list = {0};
	struct store *store;
	struct error err;
	int result, code = 0;

	command.name = name;
	command.examples = examples;
	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 0, 1, "one folder at most");
	if (guest_refuse_folder(argv[0], &err) < 0)
		return message_error(&err);
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	result = entities_list(store, ENTITY_NONE, &list, &err);
	if (result == 0)
		result = argv[0] ? export_verb_write_catalogue(argv[0], &list, &err) : export_verb_print_records(&list, &err);
	if (result == 0 && argv[0])
		result = catalogue_files_write(store, argv[0], &err);
	if (result < 0)
		code = message_error(&err);

	revisions_release(&list);
	store_release(store);
	return message_end(code);
}
