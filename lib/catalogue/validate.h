/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks documents of any kind: of a catalogue, requests, and the records of layouts, plans, results and
 * jobs.
 */
#ifndef CATALOGUE_VALIDATE_H
#define CATALOGUE_VALIDATE_H

#include <stdbool.h>

#include "json/place.h"

struct document;

/* Adds to place->problems all that is malformed in a document of that kind. Returns false if there is no such kind. */
bool validate_document(const char *kind, const struct place *place);

/* Gives the tables of a kind's members (model/document.h), the second NULL if there is but one. Returns false if there is
 * no such kind. */
bool validate_tables(const char *kind, const struct document *tables[2]);

/* Returns the names of the kinds; the list ends with NULL. "take" is a task (that is what it says it is) as coopr-queue take
 * prints it. */
const char *const *validate_kinds(void);

/* Tells whether documents of that kind stand in streams of records: node, task, ... */
bool validate_is_record(const char *kind);

#endif
