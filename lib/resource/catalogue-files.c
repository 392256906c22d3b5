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

static const char shell[] = "automator/shell", others[] = "automator/";
static const char *const shell_types[] = {"scripts", "files"};
enum { SHELL_TYPES = sizeof shell_types / sizeof *shell_types };

struct catalogue_folder { /* one that is read */
	const char *path;
	const char *plugin, *type; /* of what is in it */
};

static int
catalogue_files_is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds one entry of a folder. */
static int
catalogue_files_add(struct catalogue_files *files, const struct catalogue_folder *folder, const char *path, const char *name, struct error *err)
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
	*upload = (struct upload){.resource = {.name = {folder->plugin, folder->type, arena_string(&files->arena, name), 0},
	    .is_archive = S_ISDIR(status.st_mode), .mode = status.st_mode & 0100 ? 0755 : 0644}, .no_links = true};
	return upload_read(upload, path, err);
}

/* Does something with each entry of a folder; what is none, or missing, has no entries. */
static int
catalogue_files_each(struct catalogue_files *files, const struct catalogue_folder *folder,
    int (*do_entry)(struct catalogue_files *files, const struct catalogue_folder *folder, const char *path, const char *name, struct error *err),
    struct error *err)
{
	struct dirent **entries;
	int count = scandir(folder->path, &entries, catalogue_files_is_shown, alphasort), result = 0;

	if (count < 0 && errno != ENOENT && errno != ENOTDIR)
		result = error_errno(err, EX_NOINPUT, "%s", folder->path);
	for (int i = 0; i < count; i++) {
		char *inner = memory_printf("%s/%s", folder->path, entries[i]->d_name);

		if (result == 0)
			result = do_entry(files, folder, inner, entries[i]->d_name, err);
		free(inner);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return result;
}

/* Reads the folder of a type of resources, "automator/chef/cookbooks". */
static int
catalogue_files_add_type(struct catalogue_files *files, const struct catalogue_folder *folder, const char *path, const char *name, struct error *err)
{
	const struct catalogue_folder inner = {path, folder->plugin, arena_string(&files->arena, name)};

	if (!name_is_valid(name))
		return error_set(err, EX_DATAERR, "%s: a type of resources cannot have this name", path);
	return catalogue_files_each(files, &inner, catalogue_files_add, err);
}

/* Reads the folder of a plugin, "automator/chef". */
static int
catalogue_files_add_plugin(struct catalogue_files *files, const struct catalogue_folder *folder, const char *path, const char *name, struct error *err)
{
	const struct catalogue_folder inner = {path, arena_printf(&files->arena, "%s%s", folder->plugin, name), NULL};

	if (!name_is_valid(name))
		return error_set(err, EX_DATAERR, "%s: a plugin cannot have this name", path);
	return catalogue_files_each(files, &inner, catalogue_files_add_type, err);
}

int
catalogue_files_read(struct catalogue_files *files, const char *path, struct error *err)
{
	char *folder = memory_printf("%s/automator", path);
	int result = catalogue_files_each(files, &(struct catalogue_folder){folder, others, NULL}, catalogue_files_add_plugin, err);

	free(folder);
	for (size_t i = 0; i < SHELL_TYPES && result == 0; i++) {
		folder = memory_printf("%s/%s", path, shell_types[i]);
		result = catalogue_files_each(files, &(struct catalogue_folder){folder, shell, shell_types[i]}, catalogue_files_add, err);
		free(folder);
	}
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

/* Returns the folder, which the caller frees, that a resource is written to. */
static char *
catalogue_files_folder(const struct resource_name *name, const char *path)
{
	if (strcmp(name->plugin, shell) == 0)
		return memory_printf("%s/%s", path, name->type);
	return memory_printf("%s/%s/%s", path, name->plugin, name->type);
}

/* A recalled version is active still. */
int
catalogue_files_write(struct store *store, const char *path, struct error *err)
{
	struct resource_list list = {0};
	int result = resources_list(store, &(struct resource_name){0}, RESOURCE_ANY, false, &list, err);

	for (size_t i = 0; i < list.count && result == 0; i++) {
		char *folder = catalogue_files_folder(&list.list[i].name, path);

		if ((list.list[i].state == RESOURCE_ACTIVE || list.list[i].state == RESOURCE_RECALLED) &&
		    (result = file_make_dirs(AT_FDCWD, folder, 0777, err)) == 0)
			result = catalogue_files_write_one(&list.list[i], folder, err);
		free(folder);
	}
	resource_list_release(&list);
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
