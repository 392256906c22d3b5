/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks a provider's plugin what it is asked by its entity alone, coopr-plugins(7): list, test, flavors. What it prints is read as it comes, so
 * that it may be long.
 */
#ifndef WORKER_ENTITY_ASK_H
#define WORKER_ENTITY_ASK_H

#include <stddef.h>

struct error;

/* Gives the provider (an entity, JSON) of a tenant to its plugin, with its secrets, and calls each for the lines that the plugin prints, in which
 * these are replaced. Returns -1 where each does, or where the plugin is missing or fails, with its last message: EX_DATAERR where the provider is
 * to blame, EX_PROTOCOL or EX_UNAVAILABLE where its cloud is; then each may not have been called for all. */
int entity_ask(const char *provider, const char *tenant, const char *verb,
    int (*each)(void *context, const char *line, size_t length, struct error *err), void *context, struct error *err);

#endif
