/* SPDX-License-Identifier: Apache-2.0 */
#include "store/intake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "json/record.h"

static int
intake_add(struct intake *intake, const struct entity *entity, const char *source, struct error *err)
{
	for (size_t i = 0; i < intake->count; i++)
		if (intake->list[i].kind == entity->kind && strcmp(intake->list[i].name, entity->name) == 0)
			return error_set(err, EX_DATAERR, "%s: the %s \"%s\" was given already, by %s", source,
			    entity_kind_words(entity->kind), entity->name, intake->list[i].source);
	ARRAY_ROOM(intake->list, intake->count, intake->capacity);
	/* The kind is where it is kept; that a file says it too makes no difference. */
	intake->list[intake->count++] = (struct intake_entity){entity->kind, arena_string(&intake->arena, entity->name),
	    arena_string(&intake->arena, source), jv_object_delete(jv_copy(entity->source), jv_string("kind"))};
	return 0;
}

static const char *
intake_path_of(struct intake *intake, const char *folder, const char *file)
{
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		length--;
	return arena_printf(&intake->arena, "%.*s/%s", (int)length, folder, file);
}

/* Takes the catalogue of a folder. Its findings are copied, since they outlive it. */
static int
intake_take_folder(struct intake *intake, const char *path, struct error *err)
{
	struct findings findings = {0};
	struct catalogue catalogue;
	int result = catalogue_load(path, &catalogue, &findings, err);

	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.list[i];
		struct problem problem = {finding->pointer, finding->text};
		struct problems one = {.list = &problem, .count = 1, .total = 1};

		findings_add(&intake->findings, finding->severity, intake_path_of(intake, path, finding->file), &one);
	}
	for (size_t i = 0; i < catalogue.count && result == 0; i++)
		result = intake_add(intake, &catalogue.entities[i], intake_path_of(intake, path, catalogue.entities[i].file),
		    err);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return result;
}

/* Returns the kind that was given, else the one that the document says, else the one of the folder it is in. */
static enum entity_kind
intake_kind_of(jv document, const char *path, enum entity_kind kind)
{
	char *said = json_get_string(document, "kind");
	enum entity_kind its = said ? entity_kind_of(said) : ENTITY_NONE;

	free(said);
	if (kind == ENTITY_NONE)
		kind = its;
	return kind == ENTITY_NONE ? entity_kind_of_file(path) : kind;
}

static int
intake_take_document(struct intake *intake, jv document, const char *source, const char *path, enum entity_kind kind,
    struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	struct arena arena = {0};
	struct entity entity = {0};
	int result = 0;

	kind = intake_kind_of(document, path, kind);
	if (kind == ENTITY_NONE)
		return error_set(err, EX_DATAERR, "%s: of what kind is it? Say so with --kind, or with a member \"kind\"",
		    source);
	entity_parse(kind, &root, &arena, &entity);
	findings_add(&intake->findings, SEVERITY_MALFORMED, arena_string(&intake->arena, source), &problems);
	if (problems.total == 0)
		result = intake_add(intake, &entity, source, err);
	problems_release(&problems);
	entity_release(&entity);
	arena_release(&arena);
	return result;
}

static int
intake_take_stream(struct intake *intake, struct error *err)
{
	struct record_reader reader;
	jv record;
	int got = record_reader_open(&reader, "-", err);

	while (got >= 0 && (got = record_read(&reader, &record, err)) > 0) {
		char *source = memory_printf("%s: record %zu", reader.name, reader.number);

		got = intake_take_document(intake, record, source, "", ENTITY_NONE, err);
		free(source);
		jv_free(record);
	}
	record_reader_release(&reader);
	return got;
}

int
intake_take(struct intake *intake, const char *path, enum entity_kind kind, struct error *err)
{
	struct stat status;
	jv document;
	int result;

	if (strcmp(path, "-") == 0 && kind == ENTITY_NONE)
		return intake_take_stream(intake, err);
	if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return intake_take_folder(intake, path, err);
	if (json_read_file(path, &document, err) < 0)
		return -1;
	result = intake_take_document(intake, document, path, path, kind, err);
	jv_free(document);
	return result;
}

void
intake_release(struct intake *intake)
{
	for (size_t i = 0; i < intake->count; i++)
		jv_free(intake->list[i].document);
	free(intake->list);
	findings_release(&intake->findings);
	arena_release(&intake->arena);
	*intake = (struct intake){0};
}
