/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines of the store that there are. A further one is a row in engines.c.
 */
#ifndef STORE_ENGINES_H
#define STORE_ENGINES_H

struct sql_engine;

/* Returns the engine of the store of that name: by its scheme, SCHEME://..., else that of a file. */
const struct sql_engine *store_engine_of(const char *name);

#endif
