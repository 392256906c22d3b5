/* SPDX-License-Identifier: Apache-2.0
 *
 * Whom a change of entities concerns, so that it costs what it concerns, and not what there is: what was changed, all that
 * names it or something it provides, and all that names those in turn, as templates name what they extend. And, so that these
 * can be checked apart from the rest, all that they name. Names are looked for in the text of documents: that finds more than
 * is meant, where a name is a word of a description, but never less.
 */
#ifndef STORE_CONCERN_H
#define STORE_CONCERN_H

#include <stdbool.h>

struct revisions;

/* Says in wanted, which has an element for each entity of now, whom the change concerns that has touched those in before: as
 * they were, without a text where they were not. False where it concerns so many that all may as well be looked at. */
bool concern_find(const struct revisions *now, const struct revisions *before, bool *wanted);

#endif
