/* SPDX-License-Identifier: Apache-2.0
 *
 * What services read of the configuration, and which services they look up: by macros in what they read, and by the field
 * "nodes" of their actions.
 */
#ifndef PLAN_LOOKUPS_H
#define PLAN_LOOKUPS_H

#include "base/graph.h"
#include "json/place.h"

struct dependencies;
struct layout;
struct service;

struct lookups {
	struct neighbours of; /* of each service: those whose host names or addresses it looks up, but for itself */
	struct neighbours by; /* of each service: those that look it up */
	bool *own;            /* of each service: it looks up its own instances */
};

void lookups_init(struct lookups *lookups, const struct layout *layout, const struct dependencies *dependencies);
void lookups_release(struct lookups *lookups);

/* Tells whether a list has the name of the service, or one that it provides. */
bool lookups_names(const struct string_list *list, const struct service *service);

/* Sets readers[service] for each service that reads a member of the configuration: one that tells what it reads, where it names
 * the member; another, if the member has its name or that of a service it needs, or that of no service. */
void lookups_add_readers(bool *readers, const char *member, const struct layout *layout,
    const struct dependencies *dependencies);

/* Returns the services whose addresses have to be known before the configuration is read; in the arena. */
struct string_list lookups_addresses(const struct layout *layout, struct arena *arena);

/* Returns, by definition, whether its installation reads addresses; the caller frees it. */
bool *lookups_find_installed_by_address(const struct layout *layout, const struct dependencies *dependencies);

#endif
