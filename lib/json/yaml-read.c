/* SPDX-License-Identifier: Apache-2.0
 *
 * libyaml's events become the text of JSON. It grows by what stands in the YAML only: each scalar is printed once.
 */
#include "json/yaml-read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <yaml.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/dump.h"
#include "json/scan.h"
#include "json/yaml-input.h"
#include "json/yaml-plain.h"

struct yaml_name { /* of a member */
	char *text;
	yaml_mark_t mark;
};

struct yaml_level { /* a list or mapping that is open */
	bool is_mapping, in_brackets;
	bool has_name;     /* the value of a member comes next */
	size_t count;      /* of its elements or members */
	size_t first_name; /* of its members, in names */
};

struct yaml_read {
	struct yaml_input input;
	struct buffer *json;
	struct error *err;
	enum yaml_documents wanted;
	size_t documents;
	int depth;
	struct yaml_level levels[JSON_DEPTH + 1]; /* [0] is the document */
	struct yaml_name *names;
	size_t name_count, name_capacity;
};

__attribute__((format(printf, 3, 4))) static int
yaml_bad(struct yaml_read *read, yaml_mark_t mark, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return error_set(read->err, EX_DATAERR, "line %zu, column %zu: %s", mark.line + 1, mark.column + 1, text);
}

/* Refuses what a node says of itself beside its value. */
static int
yaml_check_properties(struct yaml_read *read, const yaml_char_t *anchor, const yaml_char_t *tag, yaml_mark_t mark)
{
	if (anchor)
		return yaml_bad(read, mark, "the anchor &%.80s is not supported; write what is meant in each place", (const char *)anchor);
	if (tag)
		return yaml_bad(read, mark, "tags such as ! and !!str are not supported; put text in quotes");
	return 0;
}

static int
yaml_check_plain(struct yaml_read *read, const char *text, size_t length, yaml_mark_t mark, bool *is_json)
{
	const char *reason;
	enum yaml_plain plain = yaml_plain(text, length, &reason);

	*is_json = plain == YAML_PLAIN_JSON;
	switch (plain) {
	case YAML_PLAIN_TRUTH:
		return yaml_bad(read, mark, "%s is a boolean to some readers of YAML and text to others; write %s, or \"%s\" for text",
		    text, yaml_plain_is_true(text, length) ? "true" : "false", text);
	case YAML_PLAIN_NOTHING:
		return yaml_bad(read, mark, "%s is null to some readers of YAML and text to others; write null, or \"%s\" for text",
		    text, text);
	case YAML_PLAIN_NUMBER:
		return yaml_bad(read, mark, "%.80s is a number to some readers of YAML and text to others; write a decimal number, or "
		    "\"%.80s\" for text", text, text);
	case YAML_PLAIN_LOST:
		return yaml_bad(read, mark, "%s; put it in quotes if it is text", reason);
	default:
		return 0;
	}
}

/* Refuses text on several lines of which one begins as the element of a list does: it is indented too far. */
static int
yaml_check_lines(struct yaml_read *read, const yaml_event_t *event)
{
	yaml_mark_t mark = event->start_mark;

	while (mark.line++ < event->end_mark.line) {
		size_t length;
		const char *line = yaml_input_line(&read->input, mark.line, &length);

		mark.column = strspn(line, " ");
		if (mark.column + 1 < length && line[mark.column] == '-' && line[mark.column + 1] == ' ')
			return yaml_bad(read, mark, "this line goes on with the text before it; to begin an element of a list, "
			    "indent it as the others");
	}
	return 0;
}

static int
yaml_add_name(struct yaml_read *read, struct yaml_level *level, const yaml_event_t *event)
{
	const char *text = (char *)event->data.scalar.value;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	if (plain && event->data.scalar.length == 0)
		return yaml_bad(read, event->start_mark, "a name is missing before ':'");
	if (plain && strcmp(text, "<<") == 0)
		return yaml_bad(read, event->start_mark, "the merge key << is not supported; write the members here");
	ARRAY_ROOM(read->names, read->name_count, read->name_capacity);
	read->names[read->name_count++] = (struct yaml_name){memory_string(text), event->start_mark};
	if (level->count++ > 0)
		buffer_byte(read->json, ',');
	json_quote(text, read->json);
	buffer_byte(read->json, ':');
	level->has_name = true;
	return 0;
}

/* Before a value. */
static void
yaml_add_comma(struct yaml_read *read, struct yaml_level *level)
{
	if (!level->is_mapping && level->count++ > 0)
		buffer_byte(read->json, ',');
	level->has_name = false;
}

static int
yaml_add_plain(struct yaml_read *read, struct yaml_level *level, const yaml_event_t *event)
{
	const char *text = (char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;
	bool is_json;

	if (!event->data.scalar.plain_implicit)
		return yaml_check_properties(read, NULL, (const yaml_char_t *)"!", event->start_mark);
	if (length == 0 && level->in_brackets)
		return yaml_bad(read, event->start_mark, level->is_mapping
		    ? "a value is missing here; a colon is followed by a blank" : "an element is missing here");
	if (length == 0) {
		buffer_text(read->json, "null");
		return 0;
	}
	if (yaml_check_plain(read, text, length, event->start_mark, &is_json) < 0 || yaml_check_lines(read, event) < 0)
		return -1;
	if (is_json)
		buffer_append(read->json, text, length);
	else
		json_quote(text, read->json);
	return 0;
}

static int
yaml_add_scalar(struct yaml_read *read, const yaml_event_t *event)
{
	struct yaml_level *level = &read->levels[read->depth];
	const char *text = (char *)event->data.scalar.value;

	if (yaml_check_properties(read, event->data.scalar.anchor, event->data.scalar.tag, event->start_mark) < 0)
		return -1;
	if (strlen(text) < event->data.scalar.length)
		return yaml_bad(read, event->start_mark, "the text contains NUL");
	if (level->is_mapping && !level->has_name)
		return yaml_add_name(read, level, event);
	yaml_add_comma(read, level);
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return yaml_add_plain(read, level, event);
	json_quote(text, read->json);
	return 0;
}

static int
yaml_open(struct yaml_read *read, const yaml_event_t *event)
{
	struct yaml_level *level = &read->levels[read->depth];
	bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *anchor = is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	const yaml_char_t *tag = is_mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	bool in_brackets = is_mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
	    : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;

	if (yaml_check_properties(read, anchor, tag, event->start_mark) < 0)
		return -1;
	if (level->is_mapping && !level->has_name)
		return yaml_bad(read, event->start_mark, "a list or mapping cannot be the name of a member; put text in quotes");
	if (read->depth == JSON_DEPTH)
		return yaml_bad(read, event->start_mark, "more than %d lists and mappings inside one another", JSON_DEPTH);
	yaml_add_comma(read, level);
	read->levels[++read->depth] = (struct yaml_level){.is_mapping = is_mapping, .in_brackets = in_brackets,
	    .first_name = read->name_count};
	buffer_byte(read->json, is_mapping ? '{' : '[');
	return 0;
}

static int
yaml_compare_names(const void *a, const void *b)
{
	const struct yaml_name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->mark.index > y->mark.index) - (x->mark.index < y->mark.index);
}

static void
yaml_drop_names(struct yaml_read *read, size_t first)
{
	while (read->name_count > first)
		free(read->names[--read->name_count].text);
}

static int
yaml_close(struct yaml_read *read)
{
	const struct yaml_level *level = &read->levels[read->depth--];
	size_t count = read->name_count - level->first_name;
	struct yaml_name *names = count ? read->names + level->first_name : NULL;
	int result = 0;

	buffer_byte(read->json, level->is_mapping ? '}' : ']');
	if (count > 1)
		qsort(names, count, sizeof *names, yaml_compare_names);
	for (size_t i = 1; i < count && result == 0; i++)
		if (strcmp(names[i - 1].text, names[i].text) == 0)
			result = yaml_bad(read, names[i].mark, "the member \"%.80s\" is there already, in line %zu", names[i].text,
			    names[i - 1].mark.line + 1);
	yaml_drop_names(read, level->first_name);
	return result;
}

static int
yaml_add_event(struct yaml_read *read, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return yaml_add_scalar(read, event);
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return yaml_open(read, event);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		return yaml_close(read);
	case YAML_ALIAS_EVENT:
		return yaml_bad(read, event->start_mark, "the alias *%.80s is not supported; write what is meant here, or put text in "
		    "quotes", (char *)event->data.alias.anchor);
	default:
		return 0;
	}
}

/* Reads the rest of a document; event is its start. */
static int
yaml_read_document(struct yaml_read *read, yaml_event_t *event)
{
	size_t start = read->json->length;
	int result = 0;

	if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
		return yaml_bad(read, event->start_mark, "%%TAG is not supported");
	if (read->wanted == YAML_ONE && read->documents == 1)
		return yaml_bad(read, event->start_mark, "a second document begins here; expected one");
	read->levels[0] = (struct yaml_level){0};
	do {
		yaml_event_delete(event);
		result = yaml_input_next(&read->input, event, read->err);
		if (result == 0 && !(read->depth == 0 && yaml_event_is_empty(event)))
			result = yaml_add_event(read, event);
	} while (result == 0 && event->type != YAML_DOCUMENT_END_EVENT);
	if (result == 0 && read->json->length > start) {
		read->documents++;
		buffer_byte(read->json, '\n');
	}
	return result;
}

static int
yaml_read_documents(struct yaml_read *read)
{
	yaml_event_t event;
	int result;

	do {
		result = yaml_input_next(&read->input, &event, read->err);
		if (result < 0)
			return -1;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			result = yaml_read_document(read, &event);
		if (result == 0 && event.type == YAML_STREAM_END_EVENT)
			result = 1;
		yaml_event_delete(&event);
	} while (result == 0);
	if (result > 0 && read->wanted == YAML_ONE && read->documents == 0)
		return error_set(read->err, EX_DATAERR, "the file is empty; a document is required");
	return result < 0 ? -1 : 0;
}

/* Tells whether the text is one value of JSON, which YAML may take for something else: by its escapes, or by tabs. */
static bool
yaml_is_json(const char *text, size_t length)
{
	struct error ignored;
	ssize_t used = yaml_is_text(text, length) ? -1 : json_scan(text, length, true, &ignored);

	if (used <= 0)
		return false;
	while ((size_t)used < length && strchr(" \t\r\n", text[used]) && text[used])
		used++;
	return (size_t)used == length;
}

int
yaml_read(const char *name, const char *text, size_t length, enum yaml_documents documents, struct buffer *json,
    struct error *err)
{
	struct yaml_read read = {.json = json, .err = err, .wanted = documents};
	int result;

	if (length == 0)
		text = ""; /* it may be NULL */
	yaml_skip_mark(&text, &length);
	if (yaml_is_json(text, length)) {
		buffer_append(json, text, length);
		return 0;
	}
	result = yaml_check_characters(text, length, err);
	if (result == 0) {
		result = yaml_input_init(&read.input, text, length, err);
		if (result == 0)
			result = yaml_read_documents(&read);
		yaml_drop_names(&read, 0);
		free(read.names);
		yaml_input_release(&read.input);
	}
	return result < 0 ? error_prefix(err, "%s", name) : 0;
}

static bool
yaml_ends_with(const char *path, const char *const *endings)
{
	const char *ending = strrchr(path, '.');

	while (ending && *endings && strcmp(ending, *endings) != 0)
		endings++;
	return ending && *endings;
}

bool
yaml_is_name(const char *path)
{
	static const char *const endings[] = {".yaml", ".yml", NULL};

	return yaml_ends_with(path, endings);
}

bool
yaml_is_json_name(const char *path)
{
	static const char *const endings[] = {".json", ".ndjson", NULL};

	return yaml_ends_with(path, endings);
}

bool
yaml_is_text(const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
		text++;
	return text < end && *text != '{' && *text != '[' && *text != '"';
}
