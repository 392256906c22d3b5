/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether a machine answers to ssh, as the machine that it should be.
 */
#ifndef SANDBOX_REACH_H
#define SANDBOX_REACH_H

#include <stdint.h>

struct error;

/* Waits until the machine whose folder is dir answers at port 22 of address with ssh's greeting, until deadline
 * (clock_monotonic_ms), or until it is seen dead. Fails with EX_UNAVAILABLE. */
int reach_greeting(int dir, const char *address, int64_t deadline, struct error *err);

/* Checks that the sshd at address has the private part of host_key. Fails with EX_PROTOCOL if it has another key. */
int reach_key(const char *address, const char *host_key, struct error *err);

#endif
