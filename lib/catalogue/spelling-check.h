/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks for members of documents that are spelled nearly like one that is read: "provisoner". Other members that nothing reads
 * are people's own, and pass.
 */
#ifndef CATALOGUE_SPELLING_CHECK_H
#define CATALOGUE_SPELLING_CHECK_H

#include "json/place.h"

/* Adds to place->problems each misspelt member of a document of that kind. */
void spelling_check(const char *kind, const struct place *place);

#endif
