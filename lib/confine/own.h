/* SPDX-License-Identifier: Apache-2.0
 *
 * Where on this host coopr keeps what nobody else may have: state, queue, store, keys, settings, sockets.
 */
#ifndef CONFINE_OWN_H
#define CONFINE_OWN_H

#include "base/process.h"

/* Pushes the canonical paths of all that exists. */
void own_places(struct arguments *paths);

#endif
