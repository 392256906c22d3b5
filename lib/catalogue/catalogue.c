/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/suggest.h"
#include "json/scan.h"
#include "model/name.h"

static const struct {
	const char *name, *folder, *words;
} kinds[ENTITY_KIND_COUNT] = {
	[ENTITY_PROVIDER] = {"provider", "providers", "provider"},
	[ENTITY_HARDWARETYPE] = {"hardwaretype", "hardwaretypes", "hardware type"},
	[ENTITY_IMAGETYPE] = {"imagetype", "imagetypes", "image type"},
	[ENTITY_SERVICE] = {"service", "services", "service"},
	[ENTITY_CLUSTERTEMPLATE] = {"clustertemplate", "clustertemplates", "cluster template"},
	[ENTITY_PARTIALTEMPLATE] = {"partialtemplate", "partialtemplates", "partial template"},
};

const char *
entity_kind_name(enum entity_kind kind)
{
	return kinds[kind].name;
}

const char *
entity_kind_folder(enum entity_kind kind)
{
	return kinds[kind].folder;
}

const char *
entity_kind_words(enum entity_kind kind)
{
	return kinds[kind].words;
}

enum entity_kind
entity_kind_of(const char *name)
{
	for (int i = 0; i < ENTITY_KIND_COUNT; i++)
		if (strcmp(kinds[i].name, name) == 0 || strcmp(kinds[i].folder, name) == 0)
			return (enum entity_kind)i;
	return ENTITY_NONE;
}

enum entity_kind
entity_kind_of_file(const char *path)
{
	const char *file = file_base_name(path);

	for (int i = 0; i < ENTITY_KIND_COUNT; i++) {
		size_t length = strlen(kinds[i].folder), before = (size_t)(file - path);

		if (before > length && strncmp(file - length - 1, kinds[i].folder, length) == 0 &&
		    (before == length + 1 || file[-(ptrdiff_t)length - 2] == '/'))
			return (enum entity_kind)i;
	}
	return ENTITY_NONE;
}

void
entity_parse(enum entity_kind kind, const struct place *place, struct arena *arena, struct entity *entity)
{
	*entity = (struct entity){.kind = kind};
	switch (kind) {
	case ENTITY_PROVIDER:
		provider_parse(place, arena, &entity->provider);
		entity->name = entity->provider.name;
		entity->source = entity->provider.source;
		break;
	case ENTITY_HARDWARETYPE:
		hardwaretype_parse(place, arena, &entity->hardwaretype);
		entity->name = entity->hardwaretype.name;
		entity->source = entity->hardwaretype.source;
		break;
	case ENTITY_IMAGETYPE:
		imagetype_parse(place, arena, &entity->imagetype);
		entity->name = entity->imagetype.name;
		entity->source = entity->imagetype.source;
		break;
	case ENTITY_SERVICE:
		service_parse(place, arena, &entity->service);
		entity->name = entity->service.name;
		entity->source = entity->service.source;
		break;
	default:
		cluster_template_parse(place, arena, &entity->template);
		entity->name = entity->template.name;
		entity->source = entity->template.source;
		break;
	}
}

void
entity_release(struct entity *entity)
{
	jv_free(entity->source);
	yaml_source_release(&entity->yaml);
	*entity = (struct entity){0};
}

void
findings_add(struct findings *findings, enum severity severity, const char *file, const struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		ARRAY_ROOM(findings->list, findings->count, findings->capacity);
		findings->list[findings->count++] = (struct finding){severity, file,
		    memory_string(problems->list[i].pointer), memory_string(problems->list[i].text)};
	}
}

void
findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->list[i].pointer);
		free(findings->list[i].text);
	}
	free(findings->list);
	*findings = (struct findings){0};
}

static int
catalogue_parse_document(const char *file, const struct buffer *text, jv *document, struct yaml_source *source,
    struct error *err)
{
	struct buffer json = {0};
	int result;

	if (!yaml_is_name(file))
		return json_parse(file, text->data, text->length, document, err);
	result = yaml_read(file, text->data, text->length, YAML_ONE, &json, err);
	if (result == 0)
		result = json_parse(file, json.data, json.length, document, err);
	if (result == 0)
		yaml_source_set(source, text->data, text->length);
	buffer_release(&json);
	return result;
}

/* The text of err says what is wrong with the file, without its name. */
static int
catalogue_read_document(int dir, const char *file, jv *document, struct yaml_source *source, struct error *err)
{
	struct buffer text = {0};
	size_t prefix = strlen(file) + strlen(": ");
	int result = file_read(dir, file, JSON_BYTES, &text, err);

	*source = (struct yaml_source){0};
	if (result == 0)
		result = catalogue_parse_document(file, &text, document, source, err);
	if (result < 0 && strncmp(err->text, file, strlen(file)) == 0 && strlen(err->text) > prefix)
		memmove(err->text, err->text + prefix, strlen(err->text) - prefix + 1);
	buffer_release(&text);
	return result;
}

/* Adds a finding about a whole file, or about the line and column that the text of its reader begins with. */
static void
catalogue_add_finding(enum severity severity, const char *file, const char *text, struct findings *findings)
{
	size_t length = strncmp(text, "line ", 5) == 0 ? strcspn(text, ":") : 0;
	char *where = memory_printf("%.*s", (int)length, text);
	char *what = memory_string(text + length + strspn(text + length, ": "));
	struct problem problem = {where, what};

	findings_add(findings, severity, file, &(struct problems){.list = &problem, .count = 1});
	free(where);
	free(what);
}

/* Notes the name of an entity that is being added, or that an earlier file has it. */
static void
catalogue_note_name(struct catalogue *catalogue, const struct entity *entity, struct findings *findings)
{
	struct names *names = &catalogue->names[entity->kind];
	size_t known = names->count, number = (size_t)names_intern(names, entity->name);
	char *text;

	if (number >= known)
		return;
	text = memory_printf("the name is that of %s already; this file is left out",
	    catalogue->entities[catalogue->first[entity->kind] + number].file);
	catalogue_add_finding(SEVERITY_ERROR, entity->file, text, findings);
	free(text);
}

/* Notes that the entity of a malformed file is not there, so that what names it is not blamed. */
static void
catalogue_leave_out(struct catalogue *catalogue, enum entity_kind kind, const char *file)
{
	const char *base = file_base_name(file);

	names_intern(&catalogue->left_out[kind], arena_printf(&catalogue->arena, "%.*s", (int)strcspn(base, "."), base));
}

/* Takes the source. */
static void
catalogue_add_document(struct catalogue *catalogue, enum entity_kind kind, const char *file, jv document,
    struct yaml_source *source, struct findings *findings)
{
	struct names *names = &catalogue->names[kind];
	struct problems problems = {.source = source};
	struct place root = place_root(document, &problems);
	struct entity *entity;
	size_t known = names->count;

	ARRAY_ROOM(catalogue->entities, catalogue->count, catalogue->capacity);
	entity = &catalogue->entities[catalogue->count];
	entity_parse(kind, &root, &catalogue->arena, entity);
	entity->file = file = arena_string(&catalogue->arena, file);
	entity->yaml = *source;
	findings_add(findings, SEVERITY_MALFORMED, file, &problems);
	if (problems.total == 0)
		catalogue_note_name(catalogue, entity, findings);
	else
		catalogue_leave_out(catalogue, kind, file);
	if (names->count > known)
		catalogue->count++;
	else
		entity_release(entity);
	for (int next = kind + 1; next <= ENTITY_KIND_COUNT; next++)
		catalogue->first[next] = catalogue->count;
	problems_release(&problems);
}

void
catalogue_add(struct catalogue *catalogue, enum entity_kind kind, const char *file, jv document,
    struct findings *findings)
{
	struct yaml_source none = {0};

	catalogue_add_document(catalogue, kind, file, document, &none, findings);
}

static int
catalogue_is_document(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && (strcmp(end, ".json") == 0 || yaml_is_name(end));
}

static int
catalogue_compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads a file into the next entity, or into findings. A FIFO would block; a file that was removed just now is none. */
static void
catalogue_load_file(int dir, enum entity_kind kind, const char *file, struct catalogue *catalogue,
    struct findings *findings)
{
	struct stat status;
	struct error err;
	bool leads = fstatat(dir, file, &status, 0) == 0;
	struct yaml_source source;
	jv document;

	if (!leads && fstatat(dir, file, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (leads && !S_ISREG(status.st_mode)) {
		catalogue_add_finding(SEVERITY_MALFORMED, file, "it is not a regular file", findings);
		catalogue_leave_out(catalogue, kind, file);
		return;
	}
	/* Reading a link that leads nowhere says why. */
	if (catalogue_read_document(dir, file, &document, &source, &err) < 0) {
		catalogue_add_finding(SEVERITY_MALFORMED, file, err.text, findings);
		catalogue_leave_out(catalogue, kind, file);
		return;
	}
	catalogue_add_document(catalogue, kind, file, document, &source, findings);
	jv_free(document);
}

/* Tells whether the folder is there. */
static bool
catalogue_load_kind(int dir, enum entity_kind kind, struct catalogue *catalogue, struct findings *findings)
{
	struct dirent **entries;
	int count = scandirat(dir, kinds[kind].folder, &entries, catalogue_is_document, catalogue_compare_entries);

	if (count < 0 && errno != ENOENT)
		catalogue_add_finding(SEVERITY_MALFORMED, kinds[kind].folder, strerror(errno), findings);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		catalogue_load_file(dir, kind, arena_printf(&catalogue->arena, "%s/%s", kinds[kind].folder, entries[i]->d_name),
		    catalogue, findings);
		free(entries[i]);
	}
	free(entries);
	return true;
}

int
catalogue_load(const char *path, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	int dir = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err);
	bool found = false;

	*catalogue = (struct catalogue){0};
	if (dir < 0)
		return -1;
	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT; kind++)
		found |= catalogue_load_kind(dir, kind, catalogue, findings);
	close(dir);
	if (!found)
		return error_set(err, EX_NOINPUT, "%s: no catalogue: it has none of the folders %s, %s, %s, %s, %s, %s", path,
		    kinds[0].folder, kinds[1].folder, kinds[2].folder, kinds[3].folder, kinds[4].folder, kinds[5].folder);
	return 0;
}

void
catalogue_release(struct catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++)
		entity_release(&catalogue->entities[i]);
	for (int kind = 0; kind < ENTITY_KIND_COUNT; kind++) {
		names_release(&catalogue->names[kind]);
		names_release(&catalogue->left_out[kind]);
	}
	free(catalogue->entities);
	arena_release(&catalogue->arena);
	*catalogue = (struct catalogue){0};
}

const struct entity *
catalogue_find(const struct catalogue *catalogue, enum entity_kind kind, const char *name)
{
	int number = names_find(&catalogue->names[kind], name);

	return number == NAMES_NONE ? NULL : &catalogue->entities[catalogue->first[kind] + (size_t)number];
}

/* Returns the names of a kind, NULL behind the last; the caller frees the list. */
static const char **
catalogue_names(const struct catalogue *catalogue, enum entity_kind kind)
{
	const struct names *names = &catalogue->names[kind];
	const char **list = memory_zeroed(names->count + 1, sizeof *list);

	if (names->count)
		memcpy(list, names->list, names->count * sizeof *list);
	return list;
}

const char *
catalogue_suggest(const struct catalogue *catalogue, enum entity_kind kind, const char *name)
{
	const char **list = catalogue_names(catalogue, kind), *nearest = suggest_word(name, list);

	free(list);
	return nearest;
}

const struct entity *
catalogue_need(const struct catalogue *catalogue, enum entity_kind kind, const char *name, struct error *err)
{
	const struct entity *entity = catalogue_find(catalogue, kind, name);
	const char **names, *near;

	if (entity)
		return entity;
	if (names_find(&catalogue->left_out[kind], name) != NAMES_NONE) {
		error_set(err, EX_DATAERR, "the %s \"%s\" is left out, since its file is malformed", kinds[kind].words, name);
		return NULL;
	}
	names = catalogue_names(catalogue, kind);
	near = suggest_word(name, names);
	error_set(err, EX_NO, "there is no %s \"%s\"%s%s%s", kinds[kind].words, name, near ? "; did you mean \"" : "",
	    near ? near : "", near ? "\"?" : "");
	if (!near)
		suggest_or_name(err, name, names);
	free(names);
	return NULL;
}
