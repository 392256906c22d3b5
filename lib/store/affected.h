/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the entities that a change affects, so that checking it costs no more than these: those that were changed, all that
 * name them or something they provide, and all that name those in turn, as templates name what they extend. And, so that these
 * can be checked apart from the rest, all that they name. Names are looked for in the text of documents: that may find too many,
 * where a name is a word of a description, but never too few.
 */
#ifndef STORE_AFFECTED_H
#define STORE_AFFECTED_H

#include <stdbool.h>

struct revisions;

/* Marks in wanted, which has an element for each entity of now, those that the change affects. before has the entities that it
 * changed, as they were: without a text those that are new. Returns false if they are so many that all may as well be checked. */
bool affected_find(const struct revisions *now, const struct revisions *before, bool *wanted);

#endif
