/* SPDX-License-Identifier: Apache-2.0 */
#include "store/entity-input.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/record.h"
#include "model/take/origin.h"
#include "store/cask.h"

/* Returns the document as the store keeps it: without its kind and origin, which are kept beside it, and without the number that Coopr
 * counts its versions by. */
static jv
entity_input_document(const struct entity *entity)
{
	jv document = jv_object_delete(jv_copy(entity->source), jv_string("kind")), version = json_get(document, "version");

	if (jv_get_kind(version) == JV_KIND_NUMBER)
		document = jv_object_delete(document, jv_string("version"));
	jv_free(version);
	origin_unmark(&document); /* only the store says who has written it */
	return document;
}

static int
entity_input_add(struct entity_input *input, const struct entity *entity, const char *source, struct error *err)
{
	const char *key = arena_printf(&input->arena, "%s/%s", entity_kind_folder(entity->kind), entity->name);
	int before = names_find(&input->names, key);

	if (before != NAMES_NONE)
		return error_set(err, EX_DATAERR, "%s: the %s \"%s\" was given already, by %s", source,
		    entity_kind_words(entity->kind), entity->name, input->list[before].source);
	names_intern(&input->names, key);
	ARRAY_ROOM(input->list, input->count, input->capacity);
	input->list[input->count++] = (struct input_entity){.kind = entity->kind,
		.name = arena_string(&input->arena, entity->name), .source = arena_string(&input->arena, source),
		.document = entity_input_document(entity)};
	return 0;
}

static const char *
entity_input_path_of(struct entity_input *input, const char *folder, const char *file)
{
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		length--;
	return arena_printf(&input->arena, "%.*s/%s", (int)length, folder, file);
}

/* Takes the catalogue of a folder. Its findings are copied, since they outlive it. */
static int
entity_input_read_folder(struct entity_input *input, const char *path, struct error *err)
{
	struct findings findings = {0};
	struct catalogue catalogue;
	int result = catalogue_load(path, &catalogue, &findings, err);

	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.list[i];
		struct problem problem = {finding->pointer, finding->text};
		struct problems one = {.list = &problem, .count = 1, .total = 1};

		findings_add(&input->findings, finding->severity, entity_input_path_of(input, path, finding->file), &one);
	}
	for (size_t i = 0; i < catalogue.count && result == 0; i++)
		result = entity_input_add(input, &catalogue.entities[i], entity_input_path_of(input, path, catalogue.entities[i].file),
		    err);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return result;
}

static int
entity_input_take(struct entity_input *input, enum entity_kind kind, jv document, const struct yaml_source *yaml,
    const char *source, struct error *err)
{
	struct problems problems = {.source = yaml};
	struct place root = place_root(document, &problems);
	struct arena arena = {0};
	struct entity entity = {0};
	int result = 0;

	entity_parse(kind, &root, &arena, &entity);
	findings_add(&input->findings, SEVERITY_MALFORMED, arena_string(&input->arena, source), &problems);
	if (problems.total == 0)
		result = entity_input_add(input, &entity, source, err);
	problems_release(&problems);
	entity_release(&entity);
	arena_release(&arena);
	return result;
}

/* Takes all of a document of Coopr; its entities become part of input. */
static int
entity_input_read_cask(struct entity_input *input, jv document, const char *source, struct error *err)
{
	struct cask *cask = input->cask;
	size_t first = cask->entity_count, before = input->count;
	int result = cask_take(cask, document, source, err);

	for (size_t i = first; i < cask->entity_count && result == 0; i++)
		result = entity_input_take(input, cask->entities[i].kind, cask->entities[i].document, NULL, cask->entities[i].source,
		    err);
	for (size_t i = before; i < input->count; i++)
		input->list[i].is_export = true;
	return result;
}

/* Takes an entity, or a document of Coopr. The kind of an entity is the one that was given, else the one that the document
 * says, else that of the folder in path. */
static int
entity_input_take_document(struct entity_input *input, jv document, const struct yaml_source *yaml, const char *source,
    const char *path, enum entity_kind kind, struct error *err)
{
	char *said = json_get_string(document, "kind");
	bool has_kind;

	if (kind == ENTITY_NONE && said)
		kind = entity_kind_of(said);
	has_kind = said;
	free(said);
	if (kind == ENTITY_NONE && input->cask && cask_is_document(document))
		return entity_input_read_cask(input, document, source, err);
	if (kind == ENTITY_NONE)
		kind = entity_kind_of_file(path);
	if (kind == ENTITY_NONE && cask_is_document(document))
		return error_set(err, EX_DATAERR, "%s: this is a document of Coopr; use coopr import", source);
	if (kind == ENTITY_NONE)
		return error_set(err, EX_DATAERR, "%s: the kind is unknown; %s member \"kind\", or use %s", source,
		    has_kind ? "correct the" : "add a", input->cask ? "coopr store put -k KIND" : "--kind");
	return entity_input_take(input, kind, document, yaml, source, err);
}

/* Reads records, or documents of Coopr, from standard input. */
static int
entity_input_read_stream(struct entity_input *input, struct error *err)
{
	struct record_reader reader;
	jv record;
	int got = record_reader_open(&reader, "-", err);

	record_reader_recognise(&reader);
	reader.limit = input->limit;
	while (got >= 0 && (got = record_read_value(&reader, &record, err)) > 0) {
		char *source = memory_printf("%s: record %zu", reader.name, reader.number);

		got = entity_input_take_document(input, record, &reader.source, source, "", ENTITY_NONE, err);
		free(source);
		jv_free(record);
	}
	record_reader_release(&reader);
	return got;
}

int
entity_input_read(struct entity_input *input, const char *path, enum entity_kind kind, struct error *err)
{
	struct yaml_source yaml;
	struct stat status;
	jv document;
	int result;

	if (strcmp(path, "-") == 0 && kind == ENTITY_NONE)
		return entity_input_read_stream(input, err);
	if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return entity_input_read_folder(input, path, err);
	result = json_read_document(path, &document, &yaml, err);
	if (result == 0) {
		result = entity_input_take_document(input, document, &yaml, path, path, kind, err);
		jv_free(document);
	}
	yaml_source_release(&yaml);
	return result;
}

void
entity_input_note(struct entity_input *input, struct input_entity *entity, const char *format, ...)
{
	struct buffer text = {0};
	char *note;
	va_list args;

	va_start(args, format);
	note = memory_vprintf(format, args);
	va_end(args);
	buffer_printf(&text, "%s%s%s", entity->note ? entity->note : "", entity->note ? "; " : "", note);
	entity->note = arena_string(&input->arena, text.data);
	buffer_release(&text);
	free(note);
}

void
entity_input_release(struct entity_input *input)
{
	for (size_t i = 0; i < input->count; i++)
		jv_free(input->list[i].document);
	free(input->list);
	names_release(&input->names);
	findings_release(&input->findings);
	arena_release(&input->arena);
	*input = (struct entity_input){0};
}
