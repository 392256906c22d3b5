/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a node, kept in its record: "hostname", "ipaddresses" and "facts" (provider id, ssh
 * user and keys, ...). Results bring it, a deletion of the machine takes it away. Records are text here, as they stand
 * in files.
 */
#ifndef MODEL_TAKE_FACTS_H
#define MODEL_TAKE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buffer;
struct error;
struct node;

/* Fills node from a record; strings live in the arena. The caller frees its source if this succeeds. */
int facts_read(const char *record, size_t length, struct arena *arena, struct node *node, struct error *err);

/* Tells whether a result (its text) says anything of its node. */
bool facts_in_result(const char *result);

/* Appends the node's record (length bytes of it, with or without a newline) with what a result brings: its hostname, its
 * ipaddresses and the members of its "result" over those known. One line. */
int facts_merge(const char *node, size_t length, const char *result, struct buffer *out, struct error *err);

/* Appends the node's record without its addresses and facts: its machine is no more. */
int facts_clear(const char *node, size_t length, struct buffer *out, struct error *err);

/* Tells whether the record has an address. */
bool facts_addressed(const char *node, size_t length);

#endif
