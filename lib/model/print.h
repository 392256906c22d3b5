/* SPDX-License-Identifier: Apache-2.0
 *
 * Canonical records from structs, without a jv for each: the members that are known here are written in sorted
 * order, and those of the document the struct came from are merged in between, so that what is unknown here is
 * passed on. The bytes are those json_dump gives for the same content.
 *
 *	struct print print;
 *	print_begin(&print, node->source, out);
 *	print_string(&print, "id", node->id);      // calls in the order of strcmp on the names
 *	print_end(&print);                         // the newline
 */
#ifndef MODEL_PRINT_H
#define MODEL_PRINT_H

#include <stdint.h>

#include "json/place.h"

struct amounts;
struct buffer;

struct print {
	struct buffer *out;
	jv source; /* borrowed */
	jv keys;   /* of source, sorted */
	size_t index, count;
	bool empty;
};

/* source: the document to merge in, borrowed until the end; invalid where there is none. */
void print_begin(struct print *print, jv source, struct buffer *out);

void print_string(struct print *print, const char *name, const char *text); /* NULL: null */
void print_integer(struct print *print, const char *name, int64_t number);
void print_number(struct print *print, const char *name, double number);
void print_strings(struct print *print, const char *name, const struct string_list *list); /* NULL: null */
void print_amounts(struct print *print, const char *name, const struct amounts *amounts); /* an object */
void print_value(struct print *print, const char *name, jv value); /* borrowed; invalid: the member is left out */
void print_json(struct print *print, const char *name, const char *text); /* canonical JSON text; NULL: the member is left out */
void print_absent(struct print *print, const char *name); /* source's member of that name is not passed on */

/* Starts a member whose value the caller appends to print->out, canonically. */
void print_name(struct print *print, const char *name);

/* The rest of source, "}". print_end adds a newline. */
void print_close(struct print *print);
void print_end(struct print *print);

#endif
