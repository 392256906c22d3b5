/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/specs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apply/spec-folder.h"
#include "base/error.h"
#include "base/location.h"
#include "base/plural.h"
#include "cluster/cluster-name.h"
#include "json/record.h"

struct reading {
	struct specs *specs;
	void (*notice)(const char *text);
	size_t wrong;
	int code; /* of the worst that was wrong */
};

/* Notes a problem. A malformed file outweighs one that cannot be read. */
static void
specs_tell(struct reading *reading, int code, char *text)
{
	reading->notice(text);
	reading->wrong++;
	if (reading->code != EX_DATAERR)
		reading->code = code;
	free(text);
}

/* Takes a record of a file; tells what is wrong with it, also a name that no cluster may have. */
static void
specs_take_record(struct reading *reading, const char *file, const struct record_reader *reader, jv record)
{
	struct specs *specs = reading->specs;
	struct problems problems = {.source = &reader->source};
	struct place root = place_root(record, &problems), name = place_member(&root, "name");
	char *where = reader->number > 1 && !reader->source.text ? memory_printf("%s: record %zu", file, reader->number)
	    : memory_string(file);
	struct spec *spec;
	struct error err;

	ARRAY_ROOM(specs->list, specs->count, specs->capacity);
	spec = &specs->list[specs->count++];
	spec->file = file;
	clusterspec_parse(&root, &spec->wanted);
	if (spec->wanted.name && cluster_name_check(spec->wanted.name, &err) < 0)
		place_problem(&name, "%s", err.text);
	for (size_t i = 0; i < problems.count; i++)
		specs_tell(reading, EX_DATAERR, memory_printf("%s: %s: %s", where,
		    *problems.list[i].pointer ? problems.list[i].pointer : "the whole document", problems.list[i].text));
	if (problems.total > problems.count)
		specs_tell(reading, EX_DATAERR, memory_printf("%s: %zu more", where, problems.total - problems.count));
	problems_release(&problems);
	free(where);
}

static void
specs_read_file(struct reading *reading, const char *path)
{
	struct record_reader reader;
	struct error err;
	int got = record_reader_open(&reader, path, &err);
	const char *name = arena_string(&reading->specs->arena, got == 0 ? reader.name : path);
	jv record;

	record_reader_recognise(&reader);
	while (got == 0 && (got = record_read(&reader, &record, &err)) > 0) {
		specs_take_record(reading, name, &reader, record);
		jv_free(record);
		got = 0;
	}
	if (got == 0 && reader.number == 0)
		got = error_set(&err, EX_DATAERR, "%s: it is empty; expected a clusterspec", name);
	if (got < 0)
		specs_tell(reading, err.code == EX_DATAERR ? EX_DATAERR : EX_NOINPUT, memory_string(err.text));
	record_reader_release(&reader);
}

/* Reads the files of a folder. Anything else, as a FIFO that nobody writes to, would keep us waiting. */
static int
specs_read_folder(struct reading *reading, const char *path, struct error *err)
{
	struct spec_folder folder = {0};
	int result = spec_folder_list(path, &folder, err);

	for (size_t i = 0; i < folder.files.count; i++) {
		const char *file = folder.files.list[i];
		struct stat status;

		if (stat(file, &status) < 0)
			specs_tell(reading, EX_NOINPUT, memory_printf("%s: %s", file, strerror(errno)));
		else if (S_ISREG(status.st_mode))
			specs_read_file(reading, file);
		else
			specs_tell(reading, EX_NOINPUT, memory_printf("%s: not a regular file", file));
	}
	if (folder.skipped.length) {
		char *text = memory_printf("%s: not read: %s", path, folder.skipped.data);

		reading->notice(text);
		free(text);
	}
	spec_folder_release(&folder);
	return result;
}

static int
specs_compare_names(const void *a, const void *b)
{
	const struct spec *x = a, *y = b;
	int order = strcmp(x->wanted.name ? x->wanted.name : "", y->wanted.name ? y->wanted.name : "");

	return order ? order : strcmp(x->file, y->file);
}

/* Each cluster is spoken of once. */
static void
specs_find_twice(struct reading *reading)
{
	const struct specs *specs = reading->specs;

	for (size_t i = 1; i < specs->count; i++) {
		const struct spec *a = &specs->list[i - 1], *b = &specs->list[i];

		if (a->wanted.name && b->wanted.name && strcmp(a->wanted.name, b->wanted.name) == 0)
			specs_tell(reading, EX_DATAERR, memory_printf("%s: /name: \"%s\" is described%s%s, too", b->file,
			    b->wanted.name,
			    strcmp(a->file, b->file) == 0 ? " twice in it" : " in ", strcmp(a->file, b->file) == 0 ? "" : a->file));
	}
}

/* Files follow the folder that they are in, so that a file of it can be applied alone. */
static int
specs_find_origin(const char *path, struct specs *specs, struct error *err)
{
	struct stat status;
	char *slash;

	if (strcmp(path, "-") == 0)
		return 0;
	if (stat(path, &status) < 0)
		return error_errno(err, EX_NOINPUT, "%s", path);
	specs->folder = S_ISDIR(status.st_mode);
	if (!specs->folder && !S_ISREG(status.st_mode))
		return 0;
	specs->origin = location_is_sent(path) ? location_sent_from(path) : realpath(path, NULL);
	if (!specs->origin)
		return error_errno(err, EX_NOINPUT, "%s", path);
	slash = strrchr(specs->origin, '/');
	if (!specs->folder && slash)
		slash[slash == specs->origin] = '\0';
	return 0;
}

int
specs_read(const char *path, struct specs *specs, void (*notice)(const char *text), struct error *err)
{
	struct reading reading = {.specs = specs, .notice = notice};

	if (!*path)
		return error_set(err, EX_USAGE, "expected a file or a folder, found an empty name");
	if (specs_find_origin(path, specs, err) < 0 || (specs->folder && specs_read_folder(&reading, path, err) < 0))
		return -1;
	if (!specs->folder)
		specs_read_file(&reading, path);
	if (specs->count)
		qsort(specs->list, specs->count, sizeof *specs->list, specs_compare_names);
	specs_find_twice(&reading);
	if (reading.wrong)
		return error_set(err, reading.code, "%s: %zu %s, so nothing was done", path, reading.wrong,
		    plural(reading.wrong, "error", "errors"));
	if (specs->count == 0)
		return error_set(err, EX_NOINPUT,
		    "%s: no file in it ends with .json, .ndjson, .yaml or .yml: the folder describes no cluster; to delete "
		    "one: coopr delete", path);
	return 0;
}

void
specs_release(struct specs *specs)
{
	for (size_t i = 0; i < specs->count; i++)
		clusterspec_release(&specs->list[i].wanted);
	free(specs->list);
	free(specs->origin);
	arena_release(&specs->arena);
	*specs = (struct specs){0};
}
