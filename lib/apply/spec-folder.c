/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/spec-folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "json/yaml-read.h"

enum { NAMES_SHOWN = 10 }; /* of those that are skipped for the same reason */

enum skip_reason { SKIP_ENDING, SKIP_FOLDER, SKIP_HIDDEN, SKIP_REASON_COUNT, SKIP_NOT };

struct skipped {
	struct buffer names;
	size_t count;
};

static enum skip_reason
spec_folder_judge(const char *name, const char *path)
{
	bool named = yaml_is_name(name) || yaml_is_json_name(name);
	struct stat status;

	if (name[0] == '.')
		return named ? SKIP_HIDDEN : SKIP_REASON_COUNT;
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return SKIP_FOLDER;
	return named ? SKIP_NOT : SKIP_ENDING;
}

static void
spec_folder_skip(struct skipped *skipped, const char *name)
{
	if (skipped->count++ < NAMES_SHOWN)
		buffer_printf(&skipped->names, "%s%s", skipped->names.length ? ", " : "", name);
}

/* Appends the names with their reason, and releases them. */
static void
spec_folder_say(struct skipped *skipped, enum skip_reason reason, struct buffer *out)
{
	static const char *const one[] = {"does not end with .json, .ndjson, .yaml or .yml", "is a folder", "begins with a dot"};
	static const char *const many[] = {"do not end with .json, .ndjson, .yaml or .yml", "are folders", "begin with a dot"};

	if (skipped->count > 0)
		buffer_printf(out, "%s%s", out->length ? "; " : "", skipped->names.data);
	if (skipped->count > NAMES_SHOWN)
		buffer_printf(out, " and %zu more", skipped->count - NAMES_SHOWN);
	if (skipped->count > 0)
		buffer_printf(out, " %s", skipped->count == 1 ? one[reason] : many[reason]);
	buffer_release(&skipped->names);
}

static int
spec_folder_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
spec_folder_drop_last(struct arguments *files)
{
	free(files->list[--files->count]);
	files->list[files->count] = NULL;
}

int
spec_folder_list(const char *path, struct spec_folder *folder, struct error *err)
{
	const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
	struct skipped skipped[SKIP_REASON_COUNT] = {0};
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, spec_folder_compare);

	if (count < 0)
		return error_errno(err, EX_NOINPUT, "%s", path);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		enum skip_reason reason;

		arguments_printf(&folder->files, "%s%s%s", path, slash, name);
		reason = spec_folder_judge(name, folder->files.list[folder->files.count - 1]);
		if (reason != SKIP_NOT)
			spec_folder_drop_last(&folder->files);
		if (reason < SKIP_REASON_COUNT)
			spec_folder_skip(&skipped[reason], name);
		free(entries[i]);
	}
	free(entries);
	for (enum skip_reason reason = 0; reason < SKIP_REASON_COUNT; reason++)
		spec_folder_say(&skipped[reason], reason, &folder->skipped);
	return 0;
}

void
spec_folder_release(struct spec_folder *folder)
{
	arguments_release(&folder->files);
	buffer_release(&folder->skipped);
}
