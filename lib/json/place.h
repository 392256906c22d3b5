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
struct yaml_source;

struct problem {
	char *pointer; /* RFC 6901; "" is the whole document. Behind "line 3, column 7: " where source is YAML */
	char *text;    /* "expected object, found string" */
};

struct problems { /* zero-initialise; each is kept up to a limit, all are counted */
	struct problem *list;
	size_t count, capacity;
	size_t total;
	const struct yaml_source *source; /* borrowed; NULL: the document was not YAML */
};

enum { PROBLEMS_KEPT = 100 };

struct place {
	const struct place *up; /* NULL: the whole document */
	const char *name;       /* of the member in up, or NULL for an element */
	size_t index;           /* of the element in up */
	jv value;               /* borrowed; invalid where the member is absent */
	struct problems *problems; /* NULL: nobody wants to know */
};

enum need { NEED_OPTIONAL, NEED_REQUIRED };

struct place place_root(jv document, struct problems *problems);
struct place place_member(const struct place *object, const char *name);
struct place place_element(const struct place *array, size_t index);
/* Returns the place of a member whose value the caller has; name is borrowed. */
struct place place_named(const struct place *object, const char *name, jv value);

bool place_present(const struct place *place); /* absent and null are the same */

/* The members of an object one by one, sorted by name:
 *
 *	struct members members = members_of(&place);
 *	struct place member;
 *	while (members_next(&members, &member)) ...   // to the end, which frees what the walk holds
 */
struct members {
	const struct place *object;
	jv keys;
	size_t index;
};

struct members members_of(const struct place *object);
bool members_next(struct members *members, struct place *member);

/* Appends the place's JSON Pointer; or one part of a pointer, "/" included. */
void place_pointer(const struct place *place, struct buffer *out);
void place_pointer_part(const char *name, struct buffer *out);

/* Adds a problem with this place, where its list of problems is not NULL. */
void place_problem(const struct place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true where the place holds an object (or array, string); adds a problem where it holds something else, or is absent
 * and required. */
bool place_object(const struct place *place, enum need need);
bool place_array(const struct place *place, enum need need);
bool place_text(const struct place *place, enum need need);

/* Each returns the checked value of the place; adds a problem and returns the default where its kind or range is wrong.
 * Numbers may be given as numeric strings ("0.087"), as published files do; one with digits that a double does not keep is wrong. */
int64_t place_read_integer(const struct place *place, int64_t otherwise, int64_t min, int64_t max);
double place_read_number(const struct place *place, double otherwise, double min, double max);

#define PLACE_LOSES_DIGITS "has digits that would not be kept; at most 15 always are" /* of such a string, for people */

/* The same, of a number with any digits: exact gets the string, borrowed from the value, if a double does not keep them; else NULL. */
double place_read_decimal(const struct place *place, double otherwise, double min, double max, const char **exact);
bool place_read_boolean(const struct place *place, bool otherwise);

/* The same for a member of an object. Strings are copied to the arena. */
const char *place_string(const struct place *object, const char *name, enum need need, struct arena *arena);
int64_t place_integer(const struct place *object, const char *name, int64_t otherwise, int64_t min, int64_t max);
double place_number(const struct place *object, const char *name, double otherwise, double min, double max);
bool place_boolean(const struct place *object, const char *name, bool otherwise);

struct string_list {
	const char **list;
	size_t count;
};

/* Returns the strings of a list, in the arena; an empty list where the place is absent. */
struct string_list place_read_strings(const struct place *place, struct arena *arena);
struct string_list place_strings(const struct place *object, const char *name, struct arena *arena);

void problems_release(struct problems *problems);

/* Prints each on stderr, "PROGRAM: NAME: POINTER: text", and how many more there are. Returns EX_DATAERR, or 0 if there is
 * none. */
int problems_report(const struct problems *problems, const char *name);

/* Sets err to all problems of the object, with the code. Returns -1 if there is any, else 0. */
int problems_error(const struct problems *problems, const char *object, int code, struct error *err);

#endif
