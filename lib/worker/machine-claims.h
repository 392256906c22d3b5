/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims on machines, for provider plugins that hand out machines which exist already, coopr-plugins(7): a plugin asks for one of
 * several, or gives back what its node has, by the member "claim" of its result; the store decides, and the plugin never sees
 * it. So two hosts never give one machine to two nodes.
 */
#ifndef WORKER_MACHINE_CLAIMS_H
#define WORKER_MACHINE_CLAIMS_H

#include "json/json.h"

struct error;
struct task;

/* Does what the result (borrowed, without that member afterwards) of a provider's task asks for; checks what it says of a machine
 * that was claimed: it is reached at the address that was claimed, and no other node's machine has its host keys. Returns 1 where the
 * plugin is to be run again with task->handed, which has the claim now; 0 where the result stands, or has become the
 * refusal of what went wrong. */
int machine_claims_serve(struct task *task, jv *result);

/* Sets the member "claims" of a provider's entity to what its nodes have: an array of objects with the machine, the node, its
 * cluster and its hostname. Nothing where there is no store. */
int machine_claims_fill(jv *entity, struct error *err);

#endif
