/* SPDX-License-Identifier: Apache-2.0
 *
 * Leases that are about to end: said, and told to hooks, once for each end.
 */
#ifndef RECONCILE_REMIND_H
#define RECONCILE_REMIND_H

#include <stdint.h>

struct account;
struct error;
struct reach;

/* Reminds of the clusters in reach whose lease ends within that time, and is half over; 0: of none. */
int remind(struct account *account, const struct reach *reach, int64_t within_ms, void (*notice)(const char *text), struct error *err);

#endif
