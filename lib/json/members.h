/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of a record as it stands in a file, without a value made of it: ranges of its text. For records that
 * json_scan has let through once and that are printed as this project prints them; all others are for the parser.
 */
#ifndef JSON_MEMBERS_H
#define JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct json_range {
	const char *text; /* borrowed */
	size_t length;
};

struct json_member {
	struct json_range name; /* without its quotes */
	struct json_range value;
};

/* Fills list with the members of an object, at most max. Returns how many there are; -1 where there are more, or it
 * is not printed so: no blanks, names plain and in their order. */
int json_members(const char *text, size_t length, struct json_member *list, int max);

/* Finds a member of an object, which a newline may follow; false where there is none, there are more than 64, or the object is not
 * printed so. */
bool json_range_find(const struct json_range *object, const char *name, struct json_range *value);

/* Gives the text between the quotes of a string that has no escapes; false for any other value. */
bool json_range_string(const struct json_range *value, struct json_range *string);

#endif
