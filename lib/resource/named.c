/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/named.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "content/content.h"
#include "json/json.h"
#include "model/name.h"
#include "resource/tarball.h"
#include "ssh/bundle.h"
#include "store/resources.h"

enum { NAMED_PARTS = 4 };

/* Returns whether path is word, or is in the folder word. */
static bool
named_is_below(const char *path, const char *word)
{
	size_t length = strlen(word);

	while (length > 0 && word[length - 1] == '/')
		length--;
	return strncmp(path, word, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Adds a file under that name. */
static int
named_put_as(const struct bundle_file *file, const char *name, struct bundle *bundle, struct error *err)
{
	enum bundle_kind kind = file->is_folder ? BUNDLE_FOLDER : file->executable ? BUNDLE_PROGRAM : BUNDLE_FILE;

	if (bundle_put_parents(bundle, name, err) < 0)
		return -1;
	return bundle_put(bundle, name, kind, buffer_string(&file->content), file->content.length, err);
}

static int
named_put(const struct bundle_file *file, struct bundle *bundle, struct error *err)
{
	return named_put_as(file, file->name, bundle, err);
}

/* Adds the file of an archive that is the script, and then all else in it. */
static int
named_put_script(const struct bundle *archive, const char *word, struct bundle *bundle, struct error *err)
{
	size_t script = 0;
	int result;

	while (script < archive->count && (archive->list[script].is_folder || strcmp(archive->list[script].name, word) != 0))
		script++;
	if (script == archive->count)
		return error_set(err, EX_CONFIG, "\"%s\": the archive has no such file", word);
	result = named_put(&archive->list[script], bundle, err);
	for (size_t i = 0; i < archive->count && result == 0; i++)
		if (i != script)
			result = named_put(&archive->list[i], bundle, err);
	return result;
}

/* Adds what is called so, or is in the folder that is called so. */
static int
named_put_below(const struct bundle *archive, const char *word, struct bundle *bundle, struct error *err)
{
	size_t before = bundle->count;
	int result = 0;

	for (size_t i = 0; i < archive->count && result == 0; i++)
		if (named_is_below(archive->list[i].name, word))
			result = named_put(&archive->list[i], bundle, err);
	if (result == 0 && bundle->count == before)
		result = error_set(err, EX_CONFIG, "\"%s\": the archive has nothing of that name", word);
	return result;
}

/* Adds a version, of which the word names all or a part. */
static int
named_add_version(const struct resource *resource, const char *word, bool as_script, struct bundle *bundle, struct error *err)
{
	const char *name = resource->name.name;
	struct buffer bytes = {0};
	struct bundle archive = {0};
	int result = content_read(resource->sum, &bytes, err);

	if (result == 0 && !resource->is_archive)
		result = strcmp(word, name) == 0 ? bundle_put(bundle, name, resource->mode & 0100 ? BUNDLE_PROGRAM : BUNDLE_FILE,
		    buffer_string(&bytes), bytes.length, err) : error_set(err, EX_CONFIG, "\"%s\": the resource %s is a file, not an archive",
		    word, name);
	else if (result == 0)
		result = tarball_read(buffer_string(&bytes), bytes.length, name, &archive, err);
	if (result == 0 && resource->is_archive)
		result = as_script ? named_put_script(&archive, word, bundle, err) : named_put_below(&archive, word, bundle, err);
	bundle_release(&archive);
	buffer_release(&bytes);
	if (result < 0)
		err->code = EX_CONFIG;
	return result;
}

int
named_add(struct store *store, const char *plugin, jv types, const char *word, bool as_script, struct bundle *bundle, jv *sums,
    struct error *err)
{
	struct arena arena = {0};
	char *top = memory_substring(word, strcspn(word, "/"));
	struct resource resource;
	int got = 0;

	for (size_t i = 0; i < json_length(types) && got == 0 && *top; i++) {
		jv type = json_element(types, i);
		struct resource_name name = {plugin, json_string(type), top, 0};

		if (name.type)
			got = resources_find_active(store, &name, &arena, &resource, err);
		jv_free(type);
	}
	if (got > 0) {
		got = named_add_version(&resource, word, as_script, bundle, err) < 0 ? -1 : 1;
		*sums = jv_array_append(*sums, jv_string(resource.sum));
	}
	free(top);
	arena_release(&arena);
	return got;
}

/* Adds a version below a folder. */
static int
named_add_below(const struct resource *resource, const char *folder, struct bundle *bundle, struct error *err)
{
	struct bundle alone = {0};
	int result = named_add_version(resource, resource->name.name, false, &alone, err);

	for (size_t i = 0; i < alone.count && result == 0; i++) {
		char *name = memory_printf("%s/%s", folder, alone.list[i].name);

		result = named_put_as(&alone.list[i], name, bundle, err);
		free(name);
	}
	bundle_release(&alone);
	return result;
}

int
named_add_all(struct store *store, const char *plugin, const char *type, struct bundle *bundle, jv *sums, struct error *err)
{
	struct resource_list versions = {0};
	struct resource resource;
	const char *last = "";
	int got = resources_list(store, &(struct resource_name){plugin, type, NULL, 0}, RESOURCE_ANY, true, &versions, err);

	for (size_t i = 0; i < versions.count && got >= 0; i++) {
		const struct resource_name *name = &versions.list[i].name;

		if (strcmp(name->name, last) == 0)
			continue;
		last = name->name;
		got = resources_find_active(store, &(struct resource_name){plugin, type, last, 0}, &versions.arena, &resource, err);
		if (got > 0) {
			*sums = jv_array_append(*sums, jv_string(resource.sum));
			got = named_add_below(&resource, type, bundle, err);
		}
	}
	resource_list_release(&versions);
	return got < 0 ? -1 : 0;
}

/* Returns the kind of plugins; also as Coopr calls it. NULL: there is none of that name. */
static const char *
named_kind(const char *text)
{
	if (strcmp(text, "automator") == 0 || strcmp(text, "automatortypes") == 0)
		return "automator";
	if (strcmp(text, "provider") == 0 || strcmp(text, "providertypes") == 0)
		return "provider";
	return NULL;
}

/* Cuts "@VERSION" off. */
static int
named_parse_version(char *text, struct resource_name *name)
{
	char *at = strrchr(text, '@'), *end;

	if (!at)
		return 0;
	*at++ = '\0';
	errno = 0;
	name->version = strtoll(at, &end, 10);
	return *at >= '1' && *at <= '9' && !*end && !errno ? 0 : -1;
}

int
named_parse(const char *text, int least, struct arena *arena, struct resource_name *name, struct error *err)
{
	char *rest = arena_string(arena, text), *parts[NAMED_PARTS] = {NULL};
	const char *kind;
	int count = 0, wrong;

	*name = (struct resource_name){0};
	wrong = named_parse_version(rest, name) < 0;
	while (rest && count < NAMED_PARTS)
		parts[count++] = strsep(&rest, "/");
	for (int i = 0; i < count; i++)
		wrong |= !name_is_valid(parts[i]);
	kind = named_kind(parts[0]);
	if (!wrong && parts[NAMED_PARTS - 1] && *parts[NAMED_PARTS - 1] == '.')
		return error_set(err, EX_USAGE, "\"%s\": the name of a resource does not begin with a dot; coopr-import passes over such files",
		    text);
	if (wrong || rest || !kind || count < least || (name->version && count < NAMED_PARTS))
		return error_set(err, EX_USAGE, "\"%s\" is not a resource: expected %s", text, least == NAMED_PARTS
		    ? "KIND/PLUGIN/TYPE/NAME, such as automator/shell/scripts/web.sh, perhaps with @VERSION"
		    : "KIND/PLUGIN, KIND/PLUGIN/TYPE or KIND/PLUGIN/TYPE/NAME, such as automator/shell/scripts");
	name->plugin = arena_printf(arena, "%s/%s", kind, parts[1]);
	name->type = parts[2];
	name->name = parts[3];
	return 0;
}
