/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has which of the machines that exist already: a folder below location_state() in which each machine
 * that is handed out is a file, written whole and under a lock. A machine is given to one node only, and to
 * that node again when it asks again.
 */
#ifndef EXEC_CLAIMS_H
#define EXEC_CLAIMS_H

#include "json/json.h"

struct error;
struct machines;
struct static_machine;
struct task;

/* Hands a machine to the task's node, the one it has already where it has one. -1: EX_TEMPFAIL when all are
 * in use, EX_CONFIG when none would do. */
int machine_claims_take(const struct machines *machines, const struct task *task, const struct static_machine **machine,
    struct error *err);

/* Takes back what the node has; nothing is fine. */
int machine_claims_give_back(const char *node, struct error *err);

/* Lists the machines that the provider of that name (NULL: any) has handed out, as node-like records, sorted by machine;
 * *records is owned. */
int machine_claims_list(const char *provider, jv *records, struct error *err);

#endif
