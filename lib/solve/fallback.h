/* SPDX-License-Identifier: Apache-2.0
 *
 * What else a new node may be where its provider has no room for such a machine: other zones, and other hardware types, as far as the template's
 * constraints.fallback allows them. Each is as good for the node's services as what was chosen; the layout stays valid whichever it becomes.
 */
#ifndef SOLVE_FALLBACK_H
#define SOLVE_FALLBACK_H

#include "json/json.h"
#include "model/node.h"
#include "model/request.h"

/* Returns the member "choices" of the node's record, coopr-layout(5), in the order in which they are tried; invalid where there are none. */
jv fallback_choices(const struct request *request, const struct node *node);

#endif
