/* SPDX-License-Identifier: Apache-2.0
 *
 * The provisioners that have registered, as Coopr shows them to superadmins.
 */
#ifndef PROVISIONER_ROSTER_H
#define PROVISIONER_ROSTER_H

#include "json/json.h"

struct error;

/* Adds those that there are, or (not NULL) the one of that id, to an array. EX_NOPERM for all but superadmins; EX_NO where there is none of
 * that id. */
int roster_find(const char *id, jv *found, struct error *err);

#endif
