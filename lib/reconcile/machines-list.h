/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists a provider's machines: the output of its plugin's list, coopr-plugins(7), is read as it comes, so that it may be long.
 */
#ifndef RECONCILE_MACHINES_LIST_H
#define RECONCILE_MACHINES_LIST_H

#include <stddef.h>

struct error;

/* Calls each for the machines that the provider (an entity, JSON) of a tenant lists: id and record are text, the record is a
 * line of length bytes. Returns -1 where the plugin is missing, fails, or prints something that is no record; then each may not
 * have been called for all. */
int machines_list(const char *provider, const char *tenant,
    void (*each)(void *context, const char *id, const char *record, size_t length), void *context, struct error *err);

#endif
