/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a catalogue of the entities of a tenant, as if they were files in a folder.
 */
#ifndef STORE_GATHER_H
#define STORE_GATHER_H

#include <stdbool.h>

#include "catalogue/catalogue.h"

struct error;
struct revisions;
struct store;

/* Fills the catalogue; files are named as in an export ("services/nginx.json"). What is malformed is left out and listed in
 * findings. The catalogue is to be released in any case, and after the findings. */
int gather_catalogue(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err);

/* The same with the entities of a list that was read: all, or those that are marked in wanted, which has an element for each. */
int gather_revisions(const struct revisions *list, const bool *wanted, struct catalogue *catalogue, struct findings *findings,
    struct error *err);

#endif
