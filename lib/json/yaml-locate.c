/* SPDX-License-Identifier: Apache-2.0
 *
 * Places are looked for when something is wrong with them, in the text: to keep them all would cost more than the documents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "json/yaml-input.h"
#include "json/yaml-read.h"

struct yaml_search {
	const char *rest; /* of the pointer, behind what was found; begins with "/", or is empty */
	size_t depth;     /* of the lists and mappings that are open */
	size_t at;        /* of the innermost of them that leads to the place; 0: the document */
	bool is_mapping;  /* that one, and, if it is one: */
	bool has_name;    /* a name was read, and its value comes next, */
	bool matches;     /* which is the part that is looked for */
	size_t index;     /* of the next element of a list */
	bool found;
	yaml_mark_t name, mark; /* of the last name; of what was found */
};

/* Tells whether text is the first part of the pointer. */
static bool
yaml_locate_matches(const char *rest, const char *text)
{
	if (*rest != '/')
		return false;
	for (rest++; *rest && *rest != '/'; rest++, text++) {
		char c = *rest;

		if (c == '~' && (rest[1] == '0' || rest[1] == '1'))
			c = *++rest == '0' ? '~' : '/';
		if (c != *text)
			return false;
	}
	return *text == '\0';
}

static void
yaml_locate_name(struct yaml_search *search, const yaml_event_t *event)
{
	search->has_name = true;
	search->name = event->start_mark;
	search->matches = event->type == YAML_SCALAR_EVENT && yaml_locate_matches(search->rest, (char *)event->data.scalar.value);
}

/* Tells whether the value that begins here, inside of what leads to the place, is the next part of the pointer. */
static bool
yaml_locate_is_next(struct yaml_search *search)
{
	char index[24];

	if (search->at == 0)
		return true;
	if (search->is_mapping) {
		search->has_name = false;
		return search->matches;
	}
	snprintf(index, sizeof index, "%zu", search->index++);
	return yaml_locate_matches(search->rest, index);
}

/* Returns true where the place is found, or the pointer leads into what is no list or mapping. */
static bool
yaml_locate_value(struct yaml_search *search, const yaml_event_t *event, bool opens)
{
	if (!yaml_locate_is_next(search))
		return false;
	search->mark = search->at > 0 && search->is_mapping ? search->name : event->start_mark;
	if (search->at > 0)
		search->rest += 1 + strcspn(search->rest + 1, "/");
	search->found = true;
	search->at++;
	search->is_mapping = event->type == YAML_MAPPING_START_EVENT;
	search->has_name = false;
	search->index = 0;
	return !opens || !*search->rest;
}

/* Takes an event of the document. Returns true where nothing nearer to the place follows. */
static bool
yaml_locate_take(struct yaml_search *search, const yaml_event_t *event)
{
	bool opens = event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT, over = false;

	if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT)
		return search->depth-- == search->at;
	if (search->depth == search->at && search->at > 0 && search->is_mapping && !search->has_name)
		yaml_locate_name(search, event);
	else if (search->depth == search->at)
		over = yaml_locate_value(search, event, opens);
	search->depth += opens;
	return over;
}

static void
yaml_locate_in(struct yaml_input *input, size_t wanted, struct yaml_search *search)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	size_t document = 0;
	bool inside = false, over = false;
	struct error ignored;
	yaml_event_t event;

	while (!over && type != YAML_STREAM_END_EVENT && yaml_input_next(input, &event, &ignored) == 0) {
		type = event.type;
		if (type == YAML_DOCUMENT_END_EVENT) {
			over = inside && document == wanted;
			document += inside;
			inside = false;
		} else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT && type != YAML_STREAM_END_EVENT) {
			inside = inside || !yaml_event_is_empty(&event);
			over = inside && document == wanted && yaml_locate_take(search, &event);
		}
		yaml_event_delete(&event);
	}
}

bool
yaml_locate(const struct yaml_source *source, const char *pointer, size_t *line, size_t *column)
{
	struct yaml_search search = {.rest = pointer};
	const char *text = source->text;
	size_t length = source->length;
	struct yaml_input input;
	struct error ignored;

	if (!text)
		return false;
	yaml_skip_mark(&text, &length);
	if (yaml_input_init(&input, text, length, &ignored) < 0)
		return false;
	yaml_locate_in(&input, source->document, &search);
	yaml_input_release(&input);
	*line = search.mark.line + 1;
	*column = search.mark.column + 1;
	return search.found;
}

void
yaml_source_set(struct yaml_source *source, const char *text, size_t length)
{
	*source = (struct yaml_source){.text = memory_substring(text, length), .length = length};
}

void
yaml_source_release(struct yaml_source *source)
{
	free(source->text);
	*source = (struct yaml_source){0};
}
