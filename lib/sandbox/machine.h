/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a machine: made and deleted by this process. All may be called at any time, by any number of processes, and again
 * after any of them was killed at any instant.
 */
#ifndef SANDBOX_MACHINE_H
#define SANDBOX_MACHINE_H

#include "sandbox/maker.h"

/* Makes, deletes and finds machines as root. */
extern const struct maker machine_maker;

#endif
