/* SPDX-License-Identifier: Apache-2.0
 *
 * How it is found out which host key a machine has: the one that it has reported through its cloud, or else the first that it shows.
 */
#ifndef CLOUD_LIFE_CONFIRM_H
#define CLOUD_LIFE_CONFIRM_H

#include "cloud/life.h"

/* Does the task confirm. Returns -1 with the life's error. */
int life_confirm(struct life *life);

#endif
