/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims on machines, for provider plugins that hand out machines which exist already, coopr-plugins(7): a plugin asks for one of
 * several, or gives back what its node has, by the member "claim" of its result; the store decides, and the plugin never sees
 * it. So two hosts never give one machine to two nodes.
 *
 * A machine that the provider of a tenant hands out is one of the tenant's own: its addresses are those that the installation has given the
 * tenant, when it is claimed, and whenever it is entered.
 */
#ifndef WORKER_MACHINE_CLAIMS_H
#define WORKER_MACHINE_CLAIMS_H

#include <stddef.h>

#include "json/json.h"

struct error;
struct task;

/* Does what the result (borrowed, without that member afterwards) of a provider's task asks for; checks what it says of a machine
 * that was claimed: it is reached at the address that was claimed, and no other node's machine has its host keys. Returns 1 where the
 * plugin is to be run again with task->handed, which has the claim now; 0 where the result stands, or has become the
 * refusal of what went wrong. */
int machine_claims_serve(struct task *task, jv *result);

/* Checks that the task's machine, if it is one of the tenant's own, has an address that the tenant may use still. What looks, stops or gives
 * back is done in any case. Fails with EX_NOPERM. */
int machine_claims_check_own(const struct task *task, struct error *err);

/* Does the same for a take record as canonical text. */
int machine_claims_check_record(const char *record, size_t length, struct error *err);

/* Sets the member "claims" of a provider's entity to what its nodes have: an array of objects with the machine, the node, its
 * cluster and its hostname. Nothing where there is no store. */
int machine_claims_fill(jv *entity, struct error *err);

#endif
