/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether a machine answers to ssh, as the machine that it should be.
 */
#ifndef SANDBOX_REACH_H
#define SANDBOX_REACH_H

#include <stdint.h>

struct error;
struct found_list;
struct maker;

/* Waits until the machine that the maker has under name answers to ssh with its own host key, at most timeout_ms; it is then the one in
 * found. Fails with EX_UNAVAILABLE, with EX_PROTOCOL if another key answers. */
int reach_confirm(const struct maker *maker, const char *name, int64_t timeout_ms, struct found_list *found, struct error *err);

#endif
