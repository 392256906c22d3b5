/* SPDX-License-Identifier: Apache-2.0
 *
 * What a provisioner is told of its tenants, coopr-provisioners(7): how many workers to have for each, and which resources these need. It
 * listens for that at the address from which it has registered.
 */
#ifndef PROVISIONER_TENANT_NOTICE_H
#define PROVISIONER_TENANT_NOTICE_H

#include "json/json.h"

struct error;
struct provisioner;
struct store;

/* Tells it of each tenant of which it was told something else before, or for which it has no worker by its usage; and of those that it has no
 * longer. What it does not take now it is told again by the next call. */
int tenant_notice_send(struct store *store, const struct provisioner *provisioner, struct error *err);

/* Returns an object with the number of workers that it is to have for each of its tenants, owned; an invalid value with a reason. */
jv tenant_notice_assignments(struct store *store, const struct provisioner *provisioner, struct error *err);

#endif
