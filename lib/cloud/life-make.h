/* SPDX-License-Identifier: Apache-2.0
 *
 * How a machine is made: its intent is on disk before it is asked for, and whatever is lost on the way, it is the same machine that is found.
 */
#ifndef CLOUD_LIFE_MAKE_H
#define CLOUD_LIFE_MAKE_H

#include "cloud/life.h"

struct intent;

/* Goes on to the node's next choice, with a new token: for the one before nothing was made. Returns false where there is none. */
bool life_next_choice(struct life *life, struct intent *intent);

/* Makes the machine, or finds the one that was made; another is asked for only when the first can no longer appear. Returns -1 with the
 * life's error. */
int life_make(struct life *life, struct intent *intent, struct cloud_machines *found);

#endif
