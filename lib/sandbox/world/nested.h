/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of a user who is not root, without anybody's help: made in the world of the user, as root makes them on the host.
 */
#ifndef SANDBOX_WORLD_NESTED_H
#define SANDBOX_WORLD_NESTED_H

#include <stdbool.h>

struct error;
struct maker;

/* Returns whether this user can, as far as that is seen without trying; if not, err has the remedy. */
bool nested_is_possible(struct error *err);

extern const struct maker nested_maker;

#endif
