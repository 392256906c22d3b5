/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the plugins that the documents of clusters name, before anything is made with them.
 */
#ifndef EXEC_PLUGIN_FIND_H
#define EXEC_PLUGIN_FIND_H

#include <stdbool.h>

struct error;
struct request;

/* Returns the path of a plugin, as ("provider", "sandbox"), which the caller frees; NULL with the reason, EX_CONFIG: where was
 * looked, or that it is not executable, and a plugin of nearly that name, or those that there are. */
char *plugin_find(const char *kind, const char *name, struct error *err);

/* Returns 0 if the provider and the automators of the request are all here, else -1 with the reason of the first. */
int plugin_find_of_request(const struct request *request, struct error *err);

/* Tells whether a plugin has nearly that name. */
bool plugin_is_near(const char *kind, const char *name);

#endif
