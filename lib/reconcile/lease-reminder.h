/* SPDX-License-Identifier: Apache-2.0
 *
 * Reminds of leases that are about to end, by a notice and by hooks, once for each end.
 */
#ifndef RECONCILE_LEASE_REMINDER_H
#define RECONCILE_LEASE_REMINDER_H

#include <stdint.h>

struct account;
struct error;
struct reconcile_scope;

/* Reminds of the clusters in scope whose lease ends within that time, and is half over; 0: of none. */
int lease_reminder_send(struct account *account, const struct reconcile_scope *scope, int64_t within_ms,
    void (*notice)(const char *text), struct error *err);

#endif
