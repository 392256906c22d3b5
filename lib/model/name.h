/* SPDX-License-Identifier: Apache-2.0
 *
 * Names: of entities, nodes, jobs, plugins. They end in paths, host names and arguments, so what a name
 * may be is decided once, here: 1 to 255 of A-Z a-z 0-9 _ . - and not "." or "..".
 */
#ifndef MODEL_NAME_H
#define MODEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "json/place.h"

struct arena;

bool name_is_valid(const char *text);

/* Tells whether text can stand where a host name or an address is wanted: no blanks, no leading "-", at most 253 characters. */
bool name_is_host(const char *text);

/* Tells whether text can stand where a user to log in as is wanted: a name that does not begin with "-". */
bool name_is_user(const char *text);

/* Tells whether text can be what people call a thing that nothing refers to: 1 to 255 bytes, which are shown as they are. */
bool name_is_label(const char *text);

/* Tells whether text is a DNS suffix: labels of at most 63 letters, digits and hyphens, 191 characters in all; a dot
 * before the first is allowed. */
bool name_is_dns_suffix(const char *text);

/* Returns the name at a place, in the arena; adds a problem and returns NULL where it is none. The second looks at a member. */
const char *name_read(const struct place *place, enum need need, struct arena *arena);
const char *name_parse(const struct place *object, const char *member, enum need need, struct arena *arena);

/* Returns the string in a member if is_fine returns true for it; otherwise adds the problem "X is not WHAT", with its article, and returns NULL. */
const char *name_parse_as(const struct place *object, const char *member, enum need need,
    bool (*is_fine)(const char *text), const char *what, struct arena *arena);

/* Adds a problem for each value of the object that is no host name or address. */
void name_check_addresses(const struct place *addresses);

/* Return a list of names in the order given: of an array, and of a member. */
struct string_list name_read_list(const struct place *array, enum need need, struct arena *arena);
struct string_list name_list_parse(const struct place *object, const char *member, struct arena *arena);

/* Tells whether a list holds name. */
bool name_list_has(const struct string_list *list, const char *name);

/* Adds a name, borrowed, to a list that does not hold it yet, whose memory is the caller's to free. */
void name_list_add(struct string_list *list, const char *name);

/* Return a set of names, sorted, each once: of a member, and of an array that has to be there. */
struct string_list name_set_parse(const struct place *object, const char *member, struct arena *arena);
struct string_list name_set_of(const struct place *array, struct arena *arena);

/* Compares const char * for qsort and bsearch. */
int name_compare(const void *a, const void *b);

/* Sorts list and drops what it has twice. */
void name_set_make(struct string_list *list);

/* Tells whether a sorted list holds name. */
bool name_set_has(const struct string_list *set, const char *name);

#endif
