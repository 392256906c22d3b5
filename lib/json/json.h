/* SPDX-License-Identifier: Apache-2.0
 *
 * Ownership-safe access over libjq's jv. One rule: our functions borrow every jv they
 * are given and return owned ones; only jv_* functions consume. An owned jv is freed with
 * jv_free. Engines never see a jv: model/ turns documents into structs at the edge.
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jv.h>

#include "json/dump.h"

struct arena;
struct error;
struct yaml_source;

/* Parses exactly one value, white space around it. Returns 0, or -1 with EX_DATAERR that starts with name. */
int json_parse(const char *name, const char *text, size_t length, jv *out, struct error *err);

/* Reads and parses the whole of path ("-": stdin, called "standard input"). It is YAML if the name ends with .yaml or .yml. */
int json_read_file(const char *path, jv *out, struct error *err);

/* Does the same with what people write: unless the name says that it is JSON, it is YAML if it begins as such (yaml_is_text).
 * Then *source, which may be NULL, keeps the text for messages; it is to be released. */
int json_read_document(const char *path, jv *out, struct yaml_source *source, struct error *err);

/* Returns a member of object, owned; invalid (JV_KIND_INVALID) if it is absent or object is none. */
jv json_get(jv object, const char *name);

/* Returns the same as a string that the caller frees; NULL if it is no string. */
char *json_get_string(jv object, const char *name);

/* Does the same in an arena. */
const char *json_arena_string(jv object, const char *name, struct arena *arena);

/* Returns the number in that member of object; absent where there is none. */
double json_get_number(jv object, const char *name, double absent);

/* Returns the object in that member of object, owned; an empty one where there is none. */
jv json_get_object(jv object, const char *name);

/* Tells whether that member of object is of a kind: JV_KIND_TRUE, or JV_KIND_INVALID where it is absent. */
bool json_is(jv object, const char *name, jv_kind kind);

/* Returns the text of a string, borrowed from it; NULL if the value is none. */
const char *json_string(jv value);

/* Returns the number of elements or members; 0 for anything else. */
size_t json_length(jv value);

/* Returns the element of an array, owned; invalid where the value is none, or has no such element. */
jv json_element(jv array, size_t index);

/* Returns the first object of an array whose member "name" is name, owned; an invalid value if there is none. */
jv json_find_named(jv array, const char *name);

/* Returns a part of a JSON Pointer as it is meant, which the caller frees. */
char *json_pointer_part(const char *part, size_t length);

/* Returns what a JSON Pointer leads to; invalid where it leads nowhere. */
jv json_at(jv value, const char *pointer);

/* Tells whether an array holds the string text or, where member is not NULL, an object whose member it is. */
bool json_array_has(jv array, const char *member, const char *text);

/* Returns an array of count strings. */
jv json_strings(const char *const *list, size_t count);

/* Sets a member in place; takes the value (the one exception to the rule, as jv_object_set is). */
void json_set(jv *object, const char *name, jv value);
void json_set_string(jv *object, const char *name, const char *text); /* NULL sets null */
void json_set_number(jv *object, const char *name, double number);

/* Returns the kind of a value for messages ("expected object, found string"). */
const char *json_kind_name(jv value);

#endif
