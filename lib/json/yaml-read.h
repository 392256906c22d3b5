/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads YAML as people write JSON with less punctuation: lists, mappings, text, and the types of JSON. Refused, with line and
 * column: anchors, aliases, tags, merge keys, a name twice in a mapping, words that readers of YAML take for different types,
 * more depth than JSON_DEPTH, and numbers and characters that json_scan refuses. Nothing grows beyond the text.
 */
#ifndef JSON_YAML_READ_H
#define JSON_YAML_READ_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

enum yaml_documents { YAML_ONE, YAML_MANY };

struct yaml_source { /* the text that a document was read from, to say where its parts stand; empty where that was JSON */
	char *text;
	size_t length;
	size_t document; /* its number in the text, from 0; empty ones do not count */
};

/* Tells whether the name of a file says that it is YAML (.yaml, .yml); or that it is JSON (.json, .ndjson). */
bool yaml_is_name(const char *path);
bool yaml_is_json_name(const char *path);

/* Tells whether a text of unknown format is YAML: it begins neither with { or [ nor with a double quote. Blank text is not. */
bool yaml_is_text(const char *text, size_t length);

/* Appends the documents of a YAML text as JSON, each on lines of its own; empty ones are left out. A text that is JSON
 * stays as it is. Returns 0, or -1 with EX_DATAERR ("NAME: line 3, column 7: ..."). YAML_ONE: exactly one is required. */
int yaml_read(const char *name, const char *text, size_t length, enum yaml_documents documents, struct buffer *json,
    struct error *err);

/* Finds the line and column, from 1, where the name of a member or an element of a list stands. If the pointer leads nowhere it
 * is the place of the last part that is there. Returns false where source is empty. */
bool yaml_locate(const struct yaml_source *source, const char *pointer, size_t *line, size_t *column);

/* Takes a copy of the text. */
void yaml_source_set(struct yaml_source *source, const char *text, size_t length);
void yaml_source_release(struct yaml_source *source);

#endif
