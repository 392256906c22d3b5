/* SPDX-License-Identifier: Apache-2.0
 *
 * The hooks in a tenant's document, coopr-hooks(7), as far as they can be judged by themselves.
 */
#ifndef MODEL_TENANT_HOOKS_H
#define MODEL_TENANT_HOOKS_H

#include "json/place.h"

struct arena;
struct document;
struct member;

extern const struct document tenant_hook_table;

/* Adds a problem for all that the member "hooks" of a tenant's document must not be; keeps nothing of it. A row's parse. */
void tenant_hooks_parse(const struct place *place, const struct member *member, struct arena *arena, void *to);

#endif
