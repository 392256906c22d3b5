/* SPDX-License-Identifier: Apache-2.0
 *
 * Leases that are about to end: said, and told to hooks, once for each end.
 */
#ifndef RECONCILE_LEASE_REMINDER_H
#define RECONCILE_LEASE_REMINDER_H

#include <stdint.h>

struct account;
struct error;
struct reconcile_scope;

/* Reminds of the clusters in reach whose lease ends within that time, and is half over; 0: of none. */
int lease_reminder_send(struct account *account, const struct reconcile_scope *scope, int64_t within_ms, void (*notice)(const char *text), struct error *err);

#endif
