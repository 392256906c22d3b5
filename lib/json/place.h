/* SPDX-License-Identifier: Apache-2.0
 *
 * A value and where it stands in its document, so that every check can name what it is
 * about by JSON Pointer; and the list of all that is wrong with a document. A place borrows its value
 * from the document and its parents' names: both must outlive it.
 */
#ifndef JSON_PLACE_H
#define JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"

struct arena;
struct buffer;

struct problem {
	char *pointer; /* RFC 6901; "" is the whole document */
	char *text;    /* "expected object, found string" */
};

struct problems { /* zero-initialise; each is kept up to a limit, all are counted */
	struct problem *list;
	size_t count, capacity;
	size_t total;
};

enum { PROBLEMS_KEPT = 100 };

struct place {
	const struct place *up; /* NULL: the whole document */
	const char *name;       /* of the member in up, or NULL for an element */
	size_t index;           /* of the element in up */
	jv value;               /* borrowed; invalid where the member is absent */
	struct problems *problems;
};

enum need { NEED_OPTIONAL, NEED_REQUIRED };

struct place place_root(jv document, struct problems *problems);
struct place place_member(const struct place *object, const char *name);
struct place place_element(const struct place *array, size_t index);
/* Member by member: iterate with jv_object_iter*; this makes the place of one (name borrowed). */
struct place place_named(const struct place *object, const char *name, jv value);

bool place_present(const struct place *place); /* absent and null are the same */

/* Appends the place's JSON Pointer. */
void place_pointer(const struct place *place, struct buffer *out);

/* Adds a problem with this place. */
void place_problem(const struct place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the place holds an object (or array); a problem where it holds something else, or is absent and required. */
bool place_object(const struct place *place, enum need need);
bool place_array(const struct place *place, enum need need);

/* Members of an object, checked: a problem and the default where the kind or range is wrong. Strings are
 * copied to the arena. Numbers may be given as numeric strings ("0.087"), as published files do. */
const char *place_string(const struct place *object, const char *name, enum need need, struct arena *arena);
int64_t place_integer(const struct place *object, const char *name, int64_t otherwise, int64_t min, int64_t max);
double place_number(const struct place *object, const char *name, double otherwise, double min, double max);
bool place_boolean(const struct place *object, const char *name, bool otherwise);

/* A list of strings (absent: empty). */
struct string_list {
	const char **list;
	size_t count;
};
struct string_list place_strings(const struct place *object, const char *name, struct arena *arena);

void problems_release(struct problems *problems);

/* Says each on stderr: "PROGRAM: NAME: POINTER: text" (and how many more there are). Returns EX_DATAERR, or 0
 * where there is none. */
int problems_report(const struct problems *problems, const char *name);

#endif
