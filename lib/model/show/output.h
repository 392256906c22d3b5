/* SPDX-License-Identifier: Apache-2.0
 *
 * What -o says: how a command prints what it has found. A table or text for people, wherever it goes to; records for programs, as
 * JSON, as YAML, or through a template. All commands that print records have these options and print their records here:
 *
 *	static const char *format, *colour;
 *	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST),
 *
 *	struct output output = output_open(format, colour);
 *	if (output_is_records(&output))
 *		output_record(&output, text);
 *
 * A list is printed by list.h, which calls this. The forms are coopr-output(7).
 */
#ifndef MODEL_SHOW_OUTPUT_H
#define MODEL_SHOW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jv.h>

#include "base/option.h"

struct buffer;

enum output_format { OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_NAME, OUTPUT_JSON, OUTPUT_YAML, OUTPUT_JSONPATH, OUTPUT_OTHER };

struct output {
	enum output_format format;
	const char *template; /* of OUTPUT_JSONPATH */
	FILE *stream;
	bool colour;
	bool hides;          /* passwords and keys in clear: who reads may not see them */
	unsigned when;       /* which columns of that kind a list has */
	const void *context; /* for the functions of a list's columns; may be NULL */
	size_t records;      /* printed up to now */
};

#define OUTPUT_RECORDS "json|yaml|jsonpath=TEMPLATE"
/* The formats of a list; of one whose rows have names that are operands of other commands; of what is text for people. */
#define OUTPUT_LIST "table|wide|" OUTPUT_RECORDS
#define OUTPUT_NAMES "table|wide|name|" OUTPUT_RECORDS
#define OUTPUT_TEXT "text|" OUTPUT_RECORDS

/* The option of a command that prints a document. */
#define OUTPUT_DOCUMENT(format) \
	OPTION_STRING('o', "output", format, OUTPUT_RECORDS, "output format (default: indented JSON)")

/* The options that choose the output; format and colour point to strings of the command, words are the formats that it has. */
#define OUTPUT_OPTIONS(format, colour, words) \
	OPTION_STRING('o', "output", format, words, "output format (default: table)"), OPTION_COLOUR(colour)

/* Returns the output on stdout that the options -o and --color (NULL: not given) ask for: without -o a table. "text" is
 * OUTPUT_TABLE, too, and a format of the command's own OUTPUT_OTHER. From then on the reader of stdout may go away without
 * trouble: see message_reader_may_leave. Exits with 64 where a template is malformed. */
struct output output_open(const char *format, const char *colour);

/* Returns whether records are to be printed: as JSON, as YAML, or through a template. */
bool output_is_records(const struct output *output);

/* Print one record, canonical JSON without a newline, or a value; output_is_records. */
void output_record(struct output *output, const struct buffer *text);
void output_value(struct output *output, jv record);

/* Prints a document that is no record of a list: without -o as indented JSON. */
void output_document(struct output *output, jv document);

/* Prints records of which each is a line of canonical JSON. */
void output_lines(struct output *output, const struct buffer *lines);

#endif
