/* SPDX-License-Identifier: Apache-2.0
 *
 * import: whole catalogues, and documents of Cask's Coopr. Says of each entity what became of it.
 */
#include "account/guest.h"
#include "verb.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "inspect/resource-type.h"
#include "json/scan.h"
#include "resource/catalogue-files.h"
#include "resource/upload.h"
#include "store/cask.h"
#include "store/entity-input.h"
#include "store/import.h"
#include "store/resources.h"
#include "verb-change.h"

static struct store_verb_change_options changing;
static const char *specs;
static long expected = VERSION_ANY;
static bool replace_secrets;

static const struct option_spec import_options[] = {
	OPTION_STRING(0, "specs", &specs, "DIR", "write specifications of its clusters here (-: standard output)"),
	OPTION_NUMBER('e', "expect", &expected, "VERSION", "refuse if another is the newest version; 0: if there is one"),
	OPTION_FLAG(0, "replace-secrets", &replace_secrets, "passwords of providers also replace those that are there"),
	STORE_VERB_CHANGE_OPTIONS(&changing),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static struct command command = {
	"coopr-store import", "[OPTION]... DIR|FILE|-...",
	"Merge catalogues or what Coopr exports into the store: all of it or nothing.",
	import_options,
	"  coopr-store import --dry-run share/coopr/catalogue\n"
	"  coopr-store export -T qa | coopr-store import -T staging -\n"};

struct import_row {
	const char *kind, *name, *state, *note; /* name NULL: it has none */
	int64_t version;                        /* 0: none */
	const char *at, *by, *why;              /* of the version */
};

struct import { /* an import under way */
	struct store *store; /* NULL: only specifications are wanted, so far */
	struct cask cask;
	struct entity_input input;
	struct catalogue_files files;
	struct revisions changed; /* the new versions */
	struct import_row *rows;  /* of the entities, in their order, then of the resources, then of all else */
	bool *is_changed;         /* of the entities */
	size_t row_count, changed_count, left_count;
};

#define AT(type, member) LIST_AT(type, struct import_row, member)

static void
import_verb_fill_version(const void *row, struct list_cell *cell)
{
	if (((const struct import_row *)row)->version == 0)
		list_cell_text(cell, NULL);
}

static void
import_verb_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct import_row *of = row;
	enum entity_kind kind = entity_kind_of(of->kind);

	(void)context;
	buffer_printf(out, "%s/%s", kind == ENTITY_NONE ? of->kind : entity_kind_folder(kind), of->name);
}

static enum terminal_style
import_verb_style(const void *row)
{
	return strcmp(((const struct import_row *)row)->state, "left out") == 0 ? STYLE_WARN : STYLE_PLAIN;
}

static const struct list_column columns[] = {
	{"KIND", "entity", AT(TEXT, kind)},
	{"NAME", "name", AT(TEXT, name)},
	{"STATE", "state", AT(TEXT, state)},
	{"VERSION", "version", AT(INTEGER, version), .fill = import_verb_fill_version, .when = LIST_WIDE},
	{NULL, "at", AT(TEXT, at)},
	{NULL, "by", AT(TEXT, by)},
	{NULL, "why", AT(TEXT, why)},
	{"NOTE", "note", AT(TEXT, note), .when = LIST_FILLED},
	{0}};

static const struct list import_list = {.kind = "revision", .columns = columns, .row_size = sizeof(struct import_row),
    .name = import_verb_append_name, .style = import_verb_style};

/* Makes an entity the newest version of itself, and fills in its row. */
static int
import_verb_put(struct import *import, struct change *change, const struct input_entity *entity, struct import_row *row,
    struct error *err)
{
	const struct revision *revision;
	int result = change_put(change, entity, expected, &row->version, err);

	row->kind = entity_kind_name(entity->kind);
	row->name = entity->name;
	row->state = "unchanged";
	if (result <= 0)
		return result;
	if (entities_get(change->store, entity->kind, entity->name, row->version, &import->changed, err) < 0)
		return -1;
	revision = &import->changed.list[import->changed.count - 1];
	row->at = revision->at;
	row->by = revision->by;
	row->why = revision->why;
	row->state = row->version == 1 ? "new" : "changed";
	import->is_changed[entity - import->input.list] = true;
	import->changed_count++;
	return 0;
}

/* Returns the entity whose file a finding names, such as services/nginx.json; NULL if it is none of the import. */
static struct input_entity *
import_verb_find(const struct entity_input *input, const char *file)
{
	enum entity_kind kind = entity_kind_of_file(file);
	const char *name = file_base_name(file);
	size_t length = strlen(name) - strlen(".json");

	for (size_t i = 0; i < input->count; i++) {
		struct input_entity *entity = &input->list[i];

		if (entity->kind == kind && strncmp(entity->name, name, length) == 0 && entity->name[length] == '\0')
			return entity;
	}
	return NULL;
}

/* Notes what is wrong with an entity that Coopr's server had so, too. What is wrong elsewhere is a message. */
static void
import_verb_note_faults(struct import *import, const struct findings *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct finding *fault = &faults->list[i];
		struct input_entity *entity = import_verb_find(&import->input, fault->file);

		if (!entity) {
			message("%s: %s: %s", fault->file, fault->pointer, fault->text);
			continue;
		}
		entity_input_note(&import->input, entity, "error: %s: %s", fault->pointer, fault->text);
		entity->is_wrong = true;
	}
}

/* Ends the change. An export is taken with all its errors: those who run Coopr have lived with them. */
static int
import_verb_end_change(struct import *import, struct change *change)
{
	struct error err;

	if (import->cask.entity_count == 0)
		return store_verb_end(change, &changing);
	if (change_check(change, &err) < 0)
		return message_error(&err);
	import_verb_note_faults(import, &change->faults);
	return !changing.dry_run && change_commit(change, &err) < 0 ? message_error(&err) : 0;
}

/* Makes what a file is the newest version of the resource, and active with the entities; of a rehearsal all is undone. */
static int
import_verb_put_file(struct import *import, struct store *store, size_t index, struct error *err)
{
	struct upload *upload = &import->files.list[index];
	const struct resource_name *name = &upload->resource.name;
	struct import_row *row = &import->rows[import->input.count + index];
	int added = changing.dry_run ? upload_try(upload, store, err) : upload_record(upload, store, err);

	*row = (struct import_row){.kind = "resource", .version = name->version, .why = changing.why,
	    .name = arena_printf(&import->files.arena, "%s/%s/%s", name->plugin, name->type, name->name)};
	row->state = added <= 0 ? "unchanged" : row->version == 1 ? "new" : "changed";
	import->changed_count += added > 0;
	return added < 0 ? -1 : resources_activate(store, name, err);
}

/* Returns whether a resource is of the same plugin, type and format as the one before it, so that its plugin was asked already. */
static bool
import_verb_is_alike(const struct catalogue_files *files, size_t index)
{
	const struct resource *one = &files->list[index].resource, *before = one;

	if (index > 0)
		before = &files->list[index - 1].resource;
	return before != one && strcmp(one->name.plugin, before->name.plugin) == 0 && strcmp(one->name.type, before->name.type) == 0 &&
	    one->is_archive == before->is_archive;
}

/* Checks the files, and keeps what they say: before the change, which others wait for. */
static int
import_verb_keep_files(struct import *import, struct store *store, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < import->files.count && result == 0; i++) {
		struct upload *upload = &import->files.list[i];

		if (!import_verb_is_alike(&import->files, i))
			result = resource_type_check(store, &upload->resource, err);
		if (result == 0)
			result = changing.dry_run ? upload_check(upload, err) : upload_keep(upload, store, err);
	}
	return result;
}

static int
import_verb_change_store(struct import *import)
{
	struct store *store = import->store;
	struct change change;
	struct error err;
	int result, code;

	if (!store && import->input.count + import->files.count == 0)
		return 0;
	if (!store)
		store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);
	import->store = store;
	code = store_verb_check_amount(store, &import->input);
	if (code == 0 && import_verb_keep_files(import, store, &err) < 0)
		code = message_error(&err);
	if (code == 0)
		code = store_verb_pin_addresses(store, &import->input);
	if (code)
		return code;
	store_verb_begin(&change, store, &changing);
	code = store_verb_check_origin(store, &import->input);
	result = code ? 0 : import_credentials(store, &import->input, replace_secrets, changing.dry_run, &err);
	store_verb_note_doubts(store, &import->input, false);
	import_note_effects(&import->input);
	for (size_t i = 0; i < import->input.count && result == 0 && code == 0; i++)
		result = import_verb_put(import, &change, &import->input.list[i], &import->rows[i], &err);
	for (size_t i = 0; i < import->files.count && result == 0 && code == 0; i++)
		result = import_verb_put_file(import, store, i, &err);
	if (code == 0)
		code = result < 0 ? message_error(&err) : import_verb_end_change(import, &change);
	for (size_t i = 0; i < import->input.count; i++)
		import->rows[i].note = import->input.list[i].note;
	change_release(&change);
	return code;
}

static bool
import_verb_is_named_before(const struct cask *cask, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (cask->list[i].text && strcmp(cask->list[i].name, cask->list[index].name) == 0)
			return true;
	return false;
}

/* Returns whether the file at path is there: 1 if it is the same text, -1 if it is another. */
static int
import_verb_compare_file(const char *path, const char *text)
{
	struct buffer found = {0};
	struct error err;
	int result = 0;

	if (access(path, F_OK) == 0)
		result = file_read(AT_FDCWD, path, JSON_BYTES, &found, &err) == 0 && found.length == strlen(text) &&
		    memcmp(found.data, text, found.length) == 0 ? 1 : -1;
	buffer_release(&found);
	return result;
}

/* Writes a specification to its file in the folder. One that is there stays if it differs: somebody may have edited it. */
static int
import_verb_write_file(const struct cask_item *item, struct import_row *row)
{
	char *path = memory_printf("%s/%s.json", specs, item->name);
	int is = import_verb_compare_file(path, item->text), code = 0;
	struct error err;

	if (is > 0) {
		row->state = "unchanged";
	} else if (is < 0 && !changing.force) {
		row->state = "left out";
		row->note = "the file is there and differs; use --force to replace it";
		code = EX_NO;
	} else {
		row->state = is < 0 ? "changed" : "new";
		if (!changing.dry_run && file_replace(AT_FDCWD, path, item->text, strlen(item->text), 0666, &err) < 0)
			code = message_error(&err);
	}
	free(path);
	return code;
}

static int
import_verb_write_item(const struct import *import, size_t index, struct import_row *row)
{
	const struct cask_item *item = &import->cask.list[index];

	*row = (struct import_row){.kind = item->kind, .name = item->name, .state = "left out", .note = item->note};
	if (!item->text)
		return strcmp(item->kind, "clusterspec") == 0 ? EX_NO : 0;
	if (import_verb_is_named_before(&import->cask, index)) {
		row->note = "another cluster has this name, too; names are unique here";
		return EX_NO;
	}
	if (strcmp(specs, "-") != 0)
		return import_verb_write_file(item, row);
	row->state = "new";
	fputs(item->text, stdout);
	return 0;
}

/* Makes the folder, before anything is changed. */
static int
import_verb_make_folder(const struct import *import)
{
	struct error err;

	if (!specs || strcmp(specs, "-") == 0 || changing.dry_run || import->cask.count == 0)
		return 0;
	return file_make_dirs(AT_FDCWD, specs, 0777, &err) < 0 ? message_error(&err) : 0;
}

/* Writes the specifications, and fills in the rows of all that is no entity. */
static int
import_verb_write_specs(struct import *import)
{
	int code = 0, result;

	for (size_t i = 0; i < import->cask.count; i++) {
		result = import_verb_write_item(import, i, &import->rows[import->input.count + import->files.count + i]);
		if (code == 0 || result > EX_NO)
			code = result;
	}
	return code;
}

/* Prints what has changed, what was left out, and what somebody should know; by names only what has changed. */
static void
import_verb_print(struct import *import)
{
	struct output output = store_verb_output();
	size_t kept = 0;

	for (size_t i = 0; i < import->row_count; i++) {
		const struct import_row row = import->rows[i];
		bool is_unchanged = strcmp(row.state, "unchanged") == 0, is_left = strcmp(row.state, "left out") == 0;

		import->left_count += is_left;
		if (output.format == OUTPUT_NAME ? is_unchanged || is_left :
		    is_unchanged && !(i < import->input.count && import->input.list[i].is_notable))
			continue;
		import->rows[kept++] = row;
	}
	if (kept && (!specs || strcmp(specs, "-") != 0))
		list_print(&import_list, import->rows, kept, &output);
}

/* Says what is to be done before clusters can be made of the entities that have changed. */
static void
import_verb_summarise_notes(const struct import *import)
{
	size_t lacking = 0, wrong = 0;

	for (size_t i = 0; i < import->input.count; i++) {
		const struct input_entity *entity = &import->input.list[i];
		bool is_listed = import->is_changed[i];

		lacking += is_listed && entity->lacks_plugin;
		wrong += is_listed && entity->is_wrong;
	}
	if (lacking)
		message("plugins are missing for %zu of them; see coopr-migrate(7)", lacking);
	if (wrong)
		message("errors in %zu of them, as in Coopr; repair them before you create clusters from them", wrong);
}

static void
import_verb_summarise(const struct import *import, size_t changed_specs)
{
	char *left = import->left_count ? memory_printf(", %zu left out", import->left_count) : memory_string("");

	if (!changing.change.quiet)
		message("%zu %s, %zu as before%s", import->changed_count + changed_specs,
		    changing.dry_run ? "would be changed" : "changed",
		    import->row_count - import->changed_count - changed_specs - import->left_count, left);
	free(left);
	import_verb_summarise_notes(import);
}

static size_t
import_verb_count_new_specs(const struct import *import)
{
	size_t count = 0;

	for (size_t i = import->input.count + import->files.count; i < import->row_count; i++)
		count += strcmp(import->rows[i].state, "new") == 0 || strcmp(import->rows[i].state, "changed") == 0;
	return count;
}

/* Reads the scripts and files that stand beside the documents of a catalogue's folder; "-" is none, whatever is called so. */
static int
import_verb_read_files(struct import *import, const char *path, struct error *err)
{
	struct stat status;

	if (strcmp(path, "-") == 0 || stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
		return 0;
	return catalogue_files_read(&import->files, path, err);
}

/* Returns whether a folder, from which so many were read, has scripts and files and no documents. */
static bool
import_verb_has_only_files(const char *path, size_t files)
{
	bool only = files > 0;

	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT && only; kind++) {
		char *folder = memory_printf("%s/%s", path, entity_kind_folder(kind));

		only = access(folder, F_OK) < 0;
		free(folder);
	}
	return only;
}

static int
import_verb_read(struct import *import, char *const *paths)
{
	struct error err;

	if (guest_refuse_options(&err) < 0)
		return message_error(&err);
	import->input.cask = &import->cask;
	import->input.limit = import->store ? store_verb_input_limit(import->store) : 0;
	for (; *paths; paths++) {
		size_t before = import->files.count;

		if (guest_refuse_file(*paths, &err) < 0 || import_verb_read_files(import, *paths, &err) < 0 ||
		    (entity_input_read(&import->input, *paths, ENTITY_NONE, &err) < 0 &&
		     !import_verb_has_only_files(*paths, import->files.count - before)))
			return message_error(&err);
	}
	for (size_t i = 0; i < import->cask.count && !specs; i++)
		if (import->cask.list[i].text)
			return option_misuse(&command, "option --specs DIR is required, for the specification of the cluster '%s'",
			    import->cask.list[i].name);
	import->row_count = import->input.count + import->files.count + import->cask.count;
	import->rows = memory_zeroed(import->row_count, sizeof *import->rows);
	import->is_changed = memory_zeroed(import->input.count, sizeof *import->is_changed);
	return store_verb_report(&import->input.findings);
}

int
store_verb_import(int argc, char **argv)
{
	return store_verb_import_as(command.name, command.examples, argc, argv);
}

int
store_verb_import_as(const char *name, const char *examples, int argc, char **argv)
{
	struct import import = {0};
	size_t changed_specs;
	int code;

	command.name = name;
	command.examples = examples;
	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 1, 1 << 20, "a catalogue's folder, a file, or - for standard input");
	if (changing.change.quiet && specs && strcmp(specs, "-") == 0)
		return option_misuse(&command, "--specs -: with -q nothing is printed");

	/* Who may not import sends nothing; specifications of what Coopr has exported want no store. */
	if (!specs)
		store_verb_open(&import.store, STORE_WRITE, ACCOUNT_ADMIN);
	code = import_verb_read(&import, argv);
	if (code == 0)
		code = import_verb_make_folder(&import);
	if (code == 0)
		code = import_verb_change_store(&import);
	if (code == 0) {
		code = import_verb_write_specs(&import);
		changed_specs = import_verb_count_new_specs(&import);
		import_verb_print(&import);
		import_verb_summarise(&import, changed_specs);
	}

	free(import.rows);
	free(import.is_changed);
	revisions_release(&import.changed);
	entity_input_release(&import.input);
	catalogue_files_release(&import.files);
	cask_release(&import.cask);
	store_release(import.store);
	return message_end(code);
}
