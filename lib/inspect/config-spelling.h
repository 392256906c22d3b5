/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks in the configuration of a request for members that nothing knows and that are spelled nearly like one that is known: from the
 * default configuration of its template, or from what actions of its services say that they read. Other members are people's own.
 */
#ifndef INSPECT_CONFIG_SPELLING_H
#define INSPECT_CONFIG_SPELLING_H

#include "json/place.h"

/* Adds to problems each such member of the request. */
void config_spelling_check(const struct place *request, struct problems *problems);

#endif
