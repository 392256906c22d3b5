/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets for plugins. Documents refer to a secret by its name, {"secret": "NAME"}, and so do requests, plans, the spool
 * and the history; only the take record that a plugin reads, in the moment it does its task, has the value. References
 * are looked for where plugins look for what they need: in the provider's entity, the cluster's configuration (but not to delete a
 * machine) and the fields of the action. A member of the configuration that the action does not read keeps the names.
 */
#ifndef WORKER_SECRETS_H
#define WORKER_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

struct error;
struct redaction;

/* Puts the values of secrets in the places of their names in a take record. The store is opened where there is any, for
 * the tenant that the record names.
 * What was filled in is added to values; the record's member "secrets" says where it stands, as JSON pointers. From then on this process
 * and its children dump no core. EX_CONFIG where a secret, its key or the store is not there. */
int secrets_fill(jv *record, struct redaction *values, struct error *err);

/* Has this process, and those that it starts from now on, dump no core: what crashes leaves no copy of its memory on a disk. */
void secrets_dump_no_core(void);

/* Returns whether a take record, as canonical text, may refer to a secret. */
bool secrets_mentioned(const char *record, size_t length);

#endif
