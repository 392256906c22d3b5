/* SPDX-License-Identifier: Apache-2.0
 *
 * upload, list and get; and what all subcommands of coopr-resource print.
 */
#include "resource-verb.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "content/content.h"
#include "inspect/resource-type.h"
#include "resource/named.h"
#include "resource/upload.h"
#include "verb.h"

static const char *format, *permissions, *why, *state;
static bool stage, sync_now;
static struct option_change change;

static const struct option_spec upload_options[] = {
	OPTION_STRING(0, "format", &format, "file|archive", "what it is (default: a folder is an archive, all else a file)"),
	OPTION_STRING(0, "permissions", &permissions, "MODE", "of a file on the node (default: as the plugin says)"),
	OPTION_FLAG(0, "stage", &stage, "also stage it"),
	OPTION_FLAG(0, "sync", &sync_now, "also make it active, alone"),
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the list"),
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command upload_command = {
	"coopr-resource upload", "[OPTION]... KIND/PLUGIN/TYPE/NAME FILE|DIR|-",
	"Upload a file, a folder or standard input as the next version of a resource.", upload_options,
	"  coopr-resource upload --stage -m 'listens on IPv6' automator/shell/scripts/web.sh web.sh\n"
	"  tar -c site | coopr-resource upload --format archive automator/shell/files/site -\n"};

static const struct option_spec list_options[] = {
	OPTION_STRING(0, "status", &state, "inactive|staged|active|recalled", "only versions in this state"),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command list_command = {
	"coopr-resource list", "[OPTION]... [KIND/PLUGIN[/TYPE[/NAME]]]",
	"List resources, each version, also those that the tenant superadmin has for all.", list_options,
	"  coopr-resource list\n"
	"  coopr-resource list --status staged automator/shell\n"};

static const struct command get_command = {
	"coopr-resource get", "[OPTION]... KIND/PLUGIN/TYPE/NAME[@VERSION]",
	"Print what a version contains, as it was uploaded (default: the active one).", store_verb_options,
	"  coopr-resource get automator/shell/scripts/web.sh@3 >web.sh\n"};

#define AT(type, member) LIST_AT(type, struct resource, member)

static void
resource_verb_fill_state(const void *row, struct list_cell *cell)
{
	list_cell_text(cell, resource_state_name(((const struct resource *)row)->state));
}

static void
resource_verb_fill_format(const void *row, struct list_cell *cell)
{
	list_cell_text(cell, ((const struct resource *)row)->is_archive ? "archive" : "file");
}

static void
resource_verb_fill_mode(const void *row, struct list_cell *cell)
{
	char text[8];

	snprintf(text, sizeof text, "%04o", (unsigned)((const struct resource *)row)->mode & 07777);
	list_cell_text(cell, ((const struct resource *)row)->is_archive ? NULL : text);
}

static void
resource_verb_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct resource_name *name = &((const struct resource *)row)->name;

	(void)context;
	buffer_printf(out, "%s/%s/%s@%" PRId64, name->plugin, name->type, name->name, name->version);
}

static const struct list_column columns[] = {
	{"PLUGIN", "plugin", AT(TEXT, name.plugin)},
	{"TYPE", "type", AT(TEXT, name.type)},
	{"NAME", "name", AT(TEXT, name.name)},
	{"VERSION", "version", AT(INTEGER, name.version)},
	{"STATE", "state", .fill = resource_verb_fill_state},
	{"FORMAT", "format", .fill = resource_verb_fill_format},
	{"BYTES", "bytes", AT(INTEGER, bytes)},
	{"MODE", "permissions", .fill = resource_verb_fill_mode, .when = LIST_WIDE},
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"TIME", "at", AT(TEXT, at), .when = LIST_WIDE},
	{"USER", "by", AT(TEXT, by), .when = LIST_WIDE},
	{"SHA-256", "sum", AT(TEXT, sum), .when = LIST_WIDE},
	{"WHY", "why", AT(TEXT, why), .when = LIST_WIDE},
	{0}};

static const struct list resources = {.kind = "resource", .rows = "resources", .columns = columns,
    .row_size = sizeof(struct resource), .name = resource_verb_append_name};

void
resource_verb_print(const struct resource *list, size_t count, struct output *output)
{
	list_print(&resources, list, count, output);
}

struct resource_name
resource_verb_name(const struct command *command, const char *operand, int least)
{
	static struct arena arena;
	struct resource_name name;
	struct error err;

	if (named_parse(operand, least, &arena, &name, &err) < 0)
		exit(option_misuse(command, "%s", err.text));
	return name;
}

/* Finds out what the upload is, as the plugin and the options say. */
static int
resource_verb_choose(struct store *store, struct resource *resource, const char *path, struct error *err)
{
	struct resource_type type;
	struct stat status;

	if (resource_type_find(store, resource->name.plugin, resource->name.type, &type, err) < 0)
		return -1;
	resource->is_archive = format ? strcmp(format, "archive") == 0 : !type.may_be_file ||
	    (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode));
	if (resource_type_allow(&type, resource, err) < 0)
		return -1;
	if (permissions && resource->is_archive)
		return error_set(err, EX_USAGE, "--permissions is for files; those in an archive have their own");
	resource->mode = permissions ? resource_type_mode(permissions) : type.mode;
	return resource->mode < 0 ? error_set(err, EX_USAGE, "--permissions: expected three octal digits, such as 644") : 0;
}

/* Records the version, and brings it as far as the options say. */
static int
resource_verb_record(struct store *store, struct upload *upload, struct error *err)
{
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = upload_record(upload, store, err) < 0 ? -1 : 0;
	if (result == 0 && sync_now)
		result = resources_activate(store, &upload->resource.name, err);
	else if (result == 0 && stage)
		result = resources_stage(store, &upload->resource.name, err);
	return store_finish(store, result, err);
}

static int
resource_verb_print_one(struct store *store, const struct resource_name *name, struct output *output, struct error *err)
{
	struct resource_list list = {0};
	int result = resources_list(store, name, RESOURCE_ANY, false, &list, err);

	if (result == 0)
		resource_verb_print(list.list, list.count, output);
	resource_list_release(&list);
	return result;
}

int
resource_verb_upload(int argc, char **argv)
{
	struct upload upload = {0};
	struct store *store;
	struct output output;
	struct error err;
	int result, code = 0;

	argv += option_parse(&upload_command, argc, argv);
	store_verb_operands(&upload_command, argv, 2, 2, "a resource and a file");
	upload.resource.name = resource_verb_name(&upload_command, argv[0], 4);
	if (upload.resource.name.version)
		return option_misuse(&upload_command, "an upload is always the next version; leave @VERSION out");
	output = store_verb_output();
	store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);
	store_set_why(store, why);

	result = guest_refuse_options(&err) < 0 || guest_refuse_file(argv[1], &err) < 0 ? -1 : 0;
	if (result == 0)
		result = resource_verb_choose(store, &upload.resource, argv[1], &err);
	if (result == 0)
		result = upload_begin(&upload, store, &err);
	if (result == 0)
		result = upload_read(&upload, argv[1], &err);
	if (result == 0)
		result = upload_keep(&upload, store, &err);
	if (result == 0)
		result = resource_verb_record(store, &upload, &err);
	if (result == 0 && !change.quiet)
		result = resource_verb_print_one(store, &upload.resource.name, &output, &err);
	if (result < 0)
		code = message_error(&err);

	upload_release(&upload);
	store_release(store);
	return message_end(code);
}

int
resource_verb_list(int argc, char **argv)
{
	struct resource_list list = {0};
	struct resource_name name = {0};
	struct store *store;
	struct output output;
	struct error err;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	if (store_verb_operands(&list_command, argv, 0, 1, "one resource, type or plugin at most"))
		name = resource_verb_name(&list_command, argv[0], 2);
	output = store_verb_output();
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	if (resources_list(store, &name, state ? resource_state_of(state) : RESOURCE_ANY, true, &list, &err) < 0)
		code = message_error(&err);
	else
		resource_verb_print(list.list, list.count, &output);

	resource_list_release(&list);
	store_release(store);
	return message_end(code);
}

int
resource_verb_get(int argc, char **argv)
{
	struct arena arena = {0};
	struct buffer bytes = {0};
	struct resource_name name;
	struct resource resource;
	struct store *store;
	struct error err;
	int result, code = 0;

	argv += option_parse(&get_command, argc, argv);
	store_verb_operands(&get_command, argv, 1, 1, "a resource");
	name = resource_verb_name(&get_command, argv[0], 4);
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	result = resources_find(store, &name, &arena, &resource, &err);
	if (result == 0)
		result = content_read(resource.sum, &bytes, &err);
	if (result < 0)
		code = message_error(&err);
	else
		fwrite(buffer_string(&bytes), 1, bytes.length, stdout);

	buffer_release(&bytes);
	arena_release(&arena);
	store_release(store);
	return message_end(code);
}
