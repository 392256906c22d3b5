/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody who is not root asks the helper for. A request is text: a verb, lines "name=value", and the line "end", without which
 * it was cut off.
 *
 *	create
 *	installation=0f3a99c1
 *	cluster=00000042
 *	...
 *	end
 *
 * Verbs and names are a closed list, each name stands once, and each value has a shape (shape.h). No value is a path that the helper
 * opens, except of those that root's file allows (allowance.h).
 */
#ifndef SANDBOX_HELPER_WISH_H
#define SANDBOX_HELPER_WISH_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/record.h"

struct buffer;
struct error;

enum wish_verb { WISH_CREATE, WISH_DELETE, WISH_LIST, WISH_VERBS };

struct wish {
	enum wish_verb verb;
	const char *installation; /* tells those of one user apart; lives in machine's arena */
	struct machine machine;   /* name: the one to delete or to list; node: those to list; else what to create */
};

enum { WISH_LIMIT = 16 * 1024 }; /* bytes */

const char *wish_verb_name(enum wish_verb verb);

/* Appends the request: what of it the verb takes. */
void wish_print(const struct wish *wish, struct buffer *out);

/* Returns whether text ends as a request does. */
bool wish_is_whole(const char *text, size_t length);

/* Reads a request, which is released with machine_release(&wish->machine), also after an error. Fails with EX_DATAERR. */
int wish_parse(const char *text, size_t length, struct wish *wish, struct error *err);

/* Returns whether the verb takes a member of that name. */
bool wish_takes(enum wish_verb verb, const char *name);

#endif
