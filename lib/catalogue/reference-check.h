/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the things which an entity names are in its catalogue, and that macros ask for such things.
 */
#ifndef CATALOGUE_REFERENCE_CHECK_H
#define CATALOGUE_REFERENCE_CHECK_H

#include "catalogue/catalogue.h"

struct check { /* of one entity */
	const struct catalogue *catalogue;
	const struct entity *entity;
	struct place root;      /* of its document; its problems are the errors */
	struct names provided;  /* names that some service provides */
	struct problems errors, warnings;
};

/* Returns the same place; problems added to it are warnings. */
struct place check_warning(struct check *check, const struct place *place);

/* Tells whether there is an entity of that name; adds a problem with the place if not,
 * unless its file is malformed, which is said already. name may be NULL, which is fine. */
bool check_known(const struct place *place, const char *name, const struct check *check, enum entity_kind kind);

/* Does the same for the name that the place holds. */
bool check_exists(const struct place *place, const struct check *check, enum entity_kind kind);

/* Does the same for each name in a list that is a member of object. */
void check_list(const struct place *object, const char *member, const struct check *check, enum entity_kind kind);

/* Adds a problem for each macro in the strings of the place that is malformed or names a service that does not exist or is not
 * among allowed (sorted; empty: any). */
void check_macros(const struct place *place, const struct check *check, const struct string_list *allowed);

#endif
