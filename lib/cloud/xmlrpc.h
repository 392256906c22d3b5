/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of XML-RPC, and what their answers have in them.
 */
#ifndef CLOUD_XMLRPC_H
#define CLOUD_XMLRPC_H

#include <stdbool.h>
#include <stdint.h>

struct _xmlDoc;
struct _xmlNode;
struct arena;
struct buffer;
struct error;

/* Write a call: its beginning, its parameters one after the other, its end. */
void xmlrpc_begin(struct buffer *call, const char *method);
void xmlrpc_add_string(struct buffer *call, const char *text);
void xmlrpc_add_integer(struct buffer *call, int64_t number);
void xmlrpc_add_boolean(struct buffer *call, bool value);
void xmlrpc_end(struct buffer *call);

/* Returns the first value of the answer, which may be an array. NULL with an error: EX_TEMPFAIL where it is no answer, else, where it is a fault,
 * EX_CONFIG with its text. */
const struct _xmlNode *xmlrpc_value(const struct _xmlDoc *answer, const char *method, struct arena *arena, struct error *err);

/* Returns the value of that number, from 0, of one that is an array; NULL where there is none. */
const struct _xmlNode *xmlrpc_element(const struct _xmlNode *value, unsigned index);

/* Returns the text of a value of any type, in the arena; "" where it has none. */
const char *xmlrpc_text(const struct _xmlNode *value, struct arena *arena);

#endif
