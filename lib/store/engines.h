/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines that a store can stand on. Another one is a row in engines.c.
 */
#ifndef STORE_ENGINES_H
#define STORE_ENGINES_H

struct error;
struct sql_engine;

/* Returns the engine of a store by the scheme of its name, SCHEME://...; a name without a scheme is that of a file. NULL, with
 * EX_UNAVAILABLE, if none serves it. */
const struct sql_engine *store_engine_of(const char *name, struct error *err);

#endif
