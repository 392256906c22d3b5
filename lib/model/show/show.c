/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/show.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "catalogue/catalogue.h"
#include "json/record.h"
#include "model/show/draw.h"
#include "model/show/view.h"

/* "node/00000042-1000": one line, whatever is in the name. */
static void
show_print_name(const char *kind, jv record, FILE *stream)
{
	struct buffer line = {0};

	buffer_printf(&line, "%s/", kind);
	view_name(record, &line);
	printable(line.data);
	fprintf(stream, "%s\n", line.data);
	buffer_release(&line);
}

/* Only a person at a terminal is spared long lists. */
static void
show_add_row(struct show *show, const char *kind, jv record)
{
	bool wide = show->output.format == OUTPUT_WIDE;

	sheets_add(&show->sheets, kind, record, wide, wide || !isatty(fileno(show->output.stream)));
}

static void
show_add_record(struct show *show, const struct place *record)
{
	const char *kind = record_kind(record->value);

	show->count++;
	if (output_is_records(&show->output))
		output_value(&show->output, record->value);
	else if (show->output.format == OUTPUT_NAME)
		show_print_name(kind, record->value, show->output.stream);
	else if (show->output.format == OUTPUT_OTHER)
		plan_document_take(&show->document, record);
	else
		show_add_row(show, kind, record->value);
}

static int
show_take_stream(struct show *show, const char *path, struct error *err)
{
	struct place stream = place_root((jv){0}, &show->problems);
	struct record_reader reader;
	jv value;
	int got;

	if (record_reader_open(&reader, path, err) < 0)
		return -1;
	while ((got = record_read(&reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader.number - 1, .value = value, .problems = &show->problems};

		show_add_record(show, &record);
		jv_free(value);
	}
	record_reader_release(&reader);
	return got;
}

/* An entity need not say what it is: the folder it is in does. */
static int
show_take_entity(struct show *show, enum entity_kind kind, const char *path, jv entity, struct error *err)
{
	jv record = jv_copy(entity);
	struct place place;
	int result = 0;

	if (jv_get_kind(record) == JV_KIND_OBJECT) {
		json_set_string(&record, "kind", entity_kind_name(kind));
		place = place_root(record, &show->problems);
		show_add_record(show, &place);
	} else {
		result = error_set(err, EX_DATAERR, "%s: expected object, found %s", path, json_kind_name(record));
	}
	jv_free(record);
	return result;
}

/* Malformed parts are left out: coopr-validate says why. */
static int
show_take_catalogue(struct show *show, const char *path, struct error *err)
{
	struct catalogue catalogue;
	struct findings findings = {0};
	int result = catalogue_load(path, &catalogue, &findings, err);

	for (size_t i = 0; result == 0 && i < catalogue.count; i++)
		result = show_take_entity(show, catalogue.entities[i].kind, path, catalogue.entities[i].source, err);
	if (result == 0 && findings.count)
		result = error_set(err, EX_DATAERR, "%s: not all of it is well-formed; see: coopr-validate %s", path, path);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return result;
}

int
show_take(struct show *show, const char *path, struct error *err)
{
	enum entity_kind kind = path ? entity_kind_of_file(path) : ENTITY_NONE;
	struct stat status;
	jv document;
	int result;

	if (path && strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return show_take_catalogue(show, path, err);
	if (kind == ENTITY_NONE)
		return show_take_stream(show, path, err);
	if (json_read_file(path, &document, err) < 0)
		return -1;
	result = show_take_entity(show, kind, path, document, err);
	jv_free(document);
	return result;
}

static int
show_draw(struct show *show, const char *name, struct error *err)
{
	const struct plan_document *document = &show->document;

	plan_document_end(&show->document, &show->problems);
	if (show->problems.total)
		return -1;
	if (!document->layout.has_cluster && !document->has_job && document->count == 0 && document->layout.node_count == 0)
		return error_set(err, EX_DATAERR, "%s: there is neither a plan nor a layout to draw", name);
	if (show->drawing == SHOW_TREE)
		draw_tree(document, show->output.stream, show->output.colour);
	else
		draw_dot(document, show->output.stream);
	return 0;
}

int
show_end(struct show *show, const char *name, struct error *err)
{
	*err = (struct error){.code = EX_DATAERR};
	if (show->count == 0)
		return error_set(err, EX_DATAERR, "%s: there are no records to show", name);
	if (show->output.format == OUTPUT_OTHER)
		return show_draw(show, name, err);
	sheets_print(&show->sheets, show->output.stream, show->output.colour);
	return 0;
}

void
show_release(struct show *show)
{
	sheets_release(&show->sheets);
	plan_document_release(&show->document);
	problems_release(&show->problems);
}
