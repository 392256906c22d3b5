/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/catalogue-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "content/content.h"
#include "model/name.h"
#include "resource/tarball.h"
#include "resource/upload.h"
#include "ssh/bundle.h"
#include "store/resources.h"

#define PLUGIN "automator/shell"

static const char *const types[] = {"scripts", "files"};
enum { TYPES = sizeof types / sizeof *types };

static int
catalogue_files_is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds one entry of a folder. */
static int
catalogue_files_add(struct catalogue_files *files, const char *type, const char *path, const char *name, struct error *err)
{
	struct upload *upload;
	struct stat status;

	if (!name_is_valid(name))
		return error_set(err, EX_DATAERR, "%s: a resource cannot have this name; letters, digits, _ . - are allowed", path);
	if (lstat(path, &status) < 0)
		return error_errno(err, EX_NOINPUT, "%s", path);
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return error_set(err, EX_DATAERR, "%s: neither a file nor a folder; resources have no links", path);
	ARRAY_ROOM(files->list, files->count, files->capacity);
	upload = &files->list[files->count++];
	*upload = (struct upload){.resource = {.name = {PLUGIN, type, arena_string(&files->arena, name), 0},
	    .is_archive = S_ISDIR(status.st_mode), .mode = status.st_mode & 0100 ? 0755 : 0644}, .no_links = true};
	return upload_read(upload, path, err);
}

static int
catalogue_files_read_type(struct catalogue_files *files, const char *path, const char *type, struct error *err)
{
	char *folder = memory_printf("%s/%s", path, type);
	struct dirent **entries;
	int count = scandir(folder, &entries, catalogue_files_is_shown, alphasort), result = 0;

	if (count < 0 && errno != ENOENT)
		result = error_errno(err, EX_NOINPUT, "%s", folder);
	for (int i = 0; i < count; i++) {
		char *inner = memory_printf("%s/%s", folder, entries[i]->d_name);

		if (result == 0)
			result = catalogue_files_add(files, type, inner, entries[i]->d_name, err);
		free(inner);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(folder);
	return result;
}

int
catalogue_files_read(struct catalogue_files *files, const char *path, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < TYPES && result == 0; i++)
		result = catalogue_files_read_type(files, path, types[i], err);
	return result;
}

/* Writes one file of an archive below the folder of its type. */
static int
catalogue_files_write_file(const char *folder, const struct bundle_file *file, struct error *err)
{
	char *path = memory_printf("%s/%s", folder, file->name);
	int result = file->is_folder ? file_make_dirs(AT_FDCWD, path, 0777, err)
	    : file_replace(AT_FDCWD, path, buffer_string(&file->content), file->content.length, file->executable ? 0755 : 0644, err);

	free(path);
	return result;
}

static int
catalogue_files_write_one(const struct resource *resource, const char *folder, struct error *err)
{
	struct bundle bundle = {0};
	struct buffer bytes = {0};
	int result = content_read(resource->sum, &bytes, err);

	if (result == 0 && resource->is_archive)
		result = tarball_read(buffer_string(&bytes), bytes.length, resource->name.name, &bundle, err);
	else if (result == 0)
		result = bundle_put(&bundle, resource->name.name, resource->mode & 0100 ? BUNDLE_PROGRAM : BUNDLE_FILE, buffer_string(&bytes),
		    bytes.length, err);
	for (size_t i = 0; i < bundle.count && result == 0; i++)
		result = catalogue_files_write_file(folder, &bundle.list[i], err);
	bundle_release(&bundle);
	buffer_release(&bytes);
	return result;
}

/* Writes those of one type, if there are any. A recalled version is active still. */
static int
catalogue_files_write_type(struct store *store, const char *path, const char *type, struct error *err)
{
	const struct resource_name name = {PLUGIN, type, NULL, 0};
	char *folder = memory_printf("%s/%s", path, type);
	struct resource_list list = {0};
	int result = resources_list(store, &name, RESOURCE_ANY, false, &list, err);
	bool made = false;

	for (size_t i = 0; i < list.count && result == 0; i++) {
		if (list.list[i].state != RESOURCE_ACTIVE && list.list[i].state != RESOURCE_RECALLED)
			continue;
		if (!made)
			result = file_make_dirs(AT_FDCWD, folder, 0777, err);
		made = true;
		if (result == 0)
			result = catalogue_files_write_one(&list.list[i], folder, err);
	}
	resource_list_release(&list);
	free(folder);
	return result;
}

int
catalogue_files_write(struct store *store, const char *path, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < TYPES && result == 0; i++)
		result = catalogue_files_write_type(store, path, types[i], err);
	return result;
}

void
catalogue_files_release(struct catalogue_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		upload_release(&files->list[i]);
	free(files->list);
	arena_release(&files->arena);
	*files = (struct catalogue_files){0};
}
