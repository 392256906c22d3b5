/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the tasks of provisioners that are not heard of any more made ready again, from time to time, by a program.
 */
#ifndef WEB_SWEEPER_H
#define WEB_SWEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct child;
struct supervisor;
struct sweeper;

/* Begins: from now on it can be heard of provisioners, and what this process starts knows since when. */
struct sweeper *sweeper_open(struct supervisor *supervisor);

/* Starts the program where that is due. Returns the milliseconds after which it is due again. */
int64_t sweeper_turn(struct sweeper *sweeper);

/* Returns whether the child is its program, which has ended. NULL is allowed, also below. */
bool sweeper_has_ended(struct sweeper *sweeper, const struct child *child);

void sweeper_close(struct sweeper *sweeper);

#endif
