/* SPDX-License-Identifier: Apache-2.0
 *
 * What a provider says is there: its plugin's list, coopr-plugins(7), read as it comes, so that it may be long.
 */
#ifndef RECONCILE_MACHINES_LIST_H
#define RECONCILE_MACHINES_LIST_H

#include <stddef.h>

struct error;

/* Calls each for the machines that the provider (an entity, JSON) of a tenant lists: id and record are text, the record is a
 * line of length bytes. -1 where the plugin is not there, fails, or says what is no record; then not all may have come. */
int machines_list(const char *provider, const char *tenant,
    void (*each)(void *context, const char *id, const char *record, size_t length), void *context, struct error *err);

#endif
