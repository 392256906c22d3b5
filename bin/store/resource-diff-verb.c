/* SPDX-License-Identifier: Apache-2.0
 *
 * diff: two versions of a resource, or of two.
 */
#include "resource-verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/process.h"
#include "content/content.h"
#include "resource/tarball.h"
#include "ssh/bundle.h"
#include "verb.h"

static const struct command command = {
	"coopr-resource diff", "[OPTION]... KIND/PLUGIN/TYPE/NAME[@VERSION] [KIND/PLUGIN/TYPE/NAME[@VERSION]]",
	"Compare two versions (default: the active one with the newest).", store_verb_options,
	"  coopr-resource diff automator/shell/scripts/web.sh\n"
	"  coopr-resource diff automator/shell/scripts/web.sh@2 automator/shell/scripts/web.sh@3\n"};

enum { DIFF_BYTES = 2 * BUNDLE_BYTES };

struct diff_side {
	struct resource resource;
	struct buffer bytes;
	char *label;
};

/* Finds a version and reads it. newest: where none was named, the newest is meant instead of the active one. */
static int
resource_diff_read(struct store *store, struct resource_name name, bool newest, struct arena *arena, struct diff_side *side,
    struct error *err)
{
	struct resource_list list = {0};
	int result = resources_find(store, &name, arena, &side->resource, err);

	if (result == 0 && newest && !name.version) {
		result = resources_list(store, &name, RESOURCE_ANY, false, &list, err);
		if (result == 0 && list.count) {
			name.version = list.list[list.count - 1].name.version;
			result = resources_find(store, &name, arena, &side->resource, err);
		}
		resource_list_release(&list);
	}
	if (result < 0)
		return -1;
	side->label = arena_printf(arena, "%s/%s/%s@%" PRId64, name.plugin, name.type, name.name, side->resource.name.version);
	return content_read(side->resource.sum, &side->bytes, err);
}

/* Prints what diff(1) has to say of two files: 1 where they differ, 0, -1. */
static int
resource_diff_files(const struct diff_side *a, const struct diff_side *b, struct error *err)
{
	char *path = content_path(b->resource.sum);
	char *argv[] = {(char *)"diff", (char *)"-u", (char *)"--label", a->label, (char *)"--label", b->label, (char *)"-", path, NULL};
	struct buffer out = {0};
	int code = process_run(argv, buffer_string(&a->bytes), a->bytes.length, &out, NULL, DIFF_BYTES, err);

	fwrite(buffer_string(&out), 1, out.length, stdout);
	buffer_release(&out);
	free(path);
	if (code > 1)
		return error_set(err, EX_SOFTWARE, "diff: it failed with exit code %d", code);
	return code;
}

static const struct bundle_file *
resource_diff_find(const struct bundle *bundle, const char *name)
{
	int at = names_find(&bundle->names, name);

	return at == NAMES_NONE ? NULL : &bundle->list[at];
}

static bool
resource_diff_is_same(const struct bundle_file *a, const struct bundle_file *b)
{
	return a->is_folder == b->is_folder && a->executable == b->executable && a->content.length == b->content.length &&
	    memcmp(buffer_string(&a->content), buffer_string(&b->content), a->content.length) == 0;
}

/* Prints which entries are only in one, or are others: 1 where there is one, 0. */
static int
resource_diff_entries(const struct bundle *a, const struct bundle *b)
{
	int differs = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct bundle_file *other = resource_diff_find(b, a->list[i].name);

		if (other && resource_diff_is_same(&a->list[i], other))
			continue;
		printf("%c %s%s\n", other ? '~' : '-', a->list[i].name, a->list[i].is_folder ? "/" : "");
		differs = 1;
	}
	for (size_t i = 0; i < b->count; i++) {
		if (resource_diff_find(a, b->list[i].name))
			continue;
		printf("+ %s%s\n", b->list[i].name, b->list[i].is_folder ? "/" : "");
		differs = 1;
	}
	return differs;
}

static int
resource_diff_archives(const struct diff_side *a, const struct diff_side *b, struct error *err)
{
	struct bundle left = {0}, right = {0};
	int result = tarball_read(buffer_string(&a->bytes), a->bytes.length, a->resource.name.name, &left, err);

	if (result == 0)
		result = tarball_read(buffer_string(&b->bytes), b->bytes.length, b->resource.name.name, &right, err);
	if (result == 0)
		result = resource_diff_entries(&left, &right);
	bundle_release(&left);
	bundle_release(&right);
	return result;
}

static int
resource_diff(const struct diff_side *a, const struct diff_side *b, struct error *err)
{
	if (a->resource.is_archive != b->resource.is_archive) {
		printf("~ %s is %s, %s is %s\n", a->label, a->resource.is_archive ? "an archive" : "a file", b->label,
		    b->resource.is_archive ? "an archive" : "a file");
		return 1;
	}
	if (strcmp(a->resource.sum, b->resource.sum) == 0)
		return 0;
	return a->resource.is_archive ? resource_diff_archives(a, b, err) : resource_diff_files(a, b, err);
}

int
resource_verb_diff(int argc, char **argv)
{
	struct diff_side a = {0}, b = {0};
	struct arena arena = {0};
	struct store *store;
	struct error err;
	int result, code;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 1, 2, "one resource or two");
	for (size_t i = 0; argv[i]; i++)
		resource_verb_name(&command, argv[i], 4);
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	result = resource_diff_read(store, resource_verb_name(&command, argv[0], 4), false, &arena, &a, &err);
	if (result == 0)
		result = resource_diff_read(store, resource_verb_name(&command, argv[argv[1] ? 1 : 0], 4), true, &arena, &b, &err);
	if (result == 0)
		result = resource_diff(&a, &b, &err);
	code = result < 0 ? message_error(&err) : result;

	buffer_release(&a.bytes);
	buffer_release(&b.bytes);
	arena_release(&arena);
	store_release(store);
	return message_end(code);
}
