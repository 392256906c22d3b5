/* SPDX-License-Identifier: Apache-2.0
 *
 * The hooks in a tenant's document, coopr-hooks(7), as far as they can be judged by themselves.
 */
#ifndef MODEL_TENANT_HOOKS_H
#define MODEL_TENANT_HOOKS_H

#include "json/place.h"

struct arena;

/* Adds a problem for all that the member "hooks" of the document must not be. */
void tenant_hooks_check(const struct place *document, struct arena *arena);

#endif
