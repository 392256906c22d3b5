/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/plugin-find.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/suggest.h"
#include "model/request.h"

/* Returns the folders, with colons between. */
static char *
plugin_folders(void)
{
	const char *given = home_variable("COOPR_PLUGINS");
	char *own = location_installed("libexec/coopr");
	char *list = memory_printf("%s%s%s", given ? given : "", given ? ":" : "", own);

	free(own);
	return list;
}

static void
plugin_find_in_folder(const char *folder, const char *kind, struct arguments *names)
{
	char *path = memory_printf("%s/%s", folder, kind);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *program = memory_printf("%s/%s", path, entry->d_name);

		if (entry->d_name[0] != '.' && file_is_program(program))
			arguments_push(names, entry->d_name);
		free(program);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static int
plugin_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pushes the names of all plugins of a kind, sorted. */
static void
plugin_find_all(const char *kind, struct arguments *names)
{
	char *list = plugin_folders(), *folder;

	for (const char *next = list; (folder = location_next(&next)); free(folder))
		plugin_find_in_folder(folder, kind, names);
	if (names->count > 1)
		qsort(names->list, names->count, sizeof *names->list, plugin_by_name);
	free(list);
}

int
plugin_find_of_request(const struct request *request, struct error *err)
{
	char *path = plugin_find("provider", request->provider.providertype, err);

	for (size_t i = 0; path && i < request->service_count; i++)
		for (enum action action = 0; path && action < ACTION_COUNT; action++) {
			const struct service_action *its = &request->services[i].actions[action];

			if (!its->present)
				continue;
			free(path);
			path = plugin_find("automator", its->type, err);
		}
	free(path);
	return path ? 0 : -1;
}

bool
plugin_is_near(const char *kind, const char *name)
{
	struct arguments names = {0};
	bool near;

	plugin_find_all(kind, &names);
	near = names.count && suggest_word(name, (const char *const *)names.list);
	arguments_release(&names);
	return near;
}

/* Adds a name like that which was given, or else all that there are. */
static void
plugin_tell_names(const struct arguments *names, const char *name, struct error *err)
{
	const char *const *list = (const char *const *)names->list;
	struct buffer all = {0};
	char *text;

	if (suggest_word(name, list)) {
		suggest_in_error(err, name, list);
		return;
	}
	for (size_t i = 0; i < names->count; i++)
		if (i == 0 || strcmp(list[i - 1], list[i]) != 0) /* one folder may have what stands in for another's */
			buffer_printf(&all, "%s%s", all.length ? ", " : "; there are: ", list[i]);
	text = memory_string(err->text);
	error_set(err, err->code, "%s%s", text, buffer_string(&all));
	free(text);
	buffer_release(&all);
}

/* Explains why location_plugin found none: there is no such file in any of the folders, or it is no executable. Users read that, to whom
 * paths of the host are not told. */
static void
plugin_explain_missing(const char *kind, const char *name, struct error *err)
{
	char *list = plugin_folders(), *folder;
	struct arguments names = {0};
	bool found = false;

	error_set(err, EX_CONFIG, "there is no %s \"%s\" in the folders of COOPR_PLUGINS and of the installation", kind, name);
	for (const char *next = list; !found && (folder = location_next(&next)); free(folder)) {
		char *path = memory_printf("%s/%s/%s", folder, kind, name);

		found = file_exists(AT_FDCWD, path);
		if (found)
			error_set(err, EX_CONFIG, "%s \"%s\": its file is not executable", kind, name);
		free(path);
	}
	plugin_find_all(kind, &names);
	if (!found && names.count)
		plugin_tell_names(&names, name, err);
	arguments_release(&names);
	free(list);
}

char *
plugin_find(const char *kind, const char *name, struct error *err)
{
	char *path = location_plugin(kind, name);

	if (!path)
		plugin_explain_missing(kind, name, err);
	return path;
}
