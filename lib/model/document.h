/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parsers of all documents share: a walk over members in an order that does not depend on hashing,
 * and the check of "kind".
 */
#ifndef MODEL_DOCUMENT_H
#define MODEL_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "json/place.h"

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

/* A problem where the member "kind" is not kind; it may be absent where need says so. */
void document_check_kind(const struct place *place, const char *kind, enum need need);

#endif
