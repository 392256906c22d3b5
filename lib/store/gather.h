/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities of a tenant as a catalogue, as if they were files in a folder.
 */
#ifndef STORE_GATHER_H
#define STORE_GATHER_H

#include "model/catalogue.h"

struct error;
struct store;

/* Fills the catalogue; files are named as in an export ("services/nginx.json"). What is malformed is left out and listed in
 * findings. The catalogue is to be released in any case, and after the findings. */
int gather_catalogue(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err);

#endif
