/* SPDX-License-Identifier: Apache-2.0
 *
 * The events of libyaml, and its complaints in our words.
 */
#ifndef JSON_YAML_INPUT_H
#define JSON_YAML_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

struct error;

struct yaml_input {
	yaml_parser_t parser;
	const char *text, *end; /* borrowed */
	size_t line;            /* that yaml_input_line found last, from 0, */
	const char *line_start; /* and where it begins */
};

/* Steps over a byte order mark at the start of the text. */
void yaml_skip_mark(const char **text, size_t *length);

/* Refuses what is no UTF-8, control characters, and characters that end a line in YAML 1.1 only. Returns 0, or -1 with
 * EX_DATAERR ("line 3, column 7: ..."). */
int yaml_check_characters(const char *text, size_t length, struct error *err);

/* Begins with a text that yaml_check_characters has let through. Returns 0, or -1 with EX_OSERR. */
int yaml_input_init(struct yaml_input *input, const char *text, size_t length, struct error *err);

/* Gives the next event, which the caller deletes, also of a failure. Returns 0, or -1 with EX_DATAERR as above. */
int yaml_input_next(struct yaml_input *input, yaml_event_t *event, struct error *err);

/* Returns where a line begins, from 0, and sets its length. The lines asked for follow one another: each is looked for behind the
 * one before. */
const char *yaml_input_line(struct yaml_input *input, size_t line, size_t *length);

/* Tells whether the event is a scalar that is not there: that of a document in which nothing stands. */
bool yaml_event_is_empty(const yaml_event_t *event);

void yaml_input_release(struct yaml_input *input);

#endif
