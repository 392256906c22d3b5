/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds services that need each other in a circle: they can never be installed, or started. Only warnings, as the services of a
 * cycle may never be chosen together.
 */
#ifndef CATALOGUE_CYCLE_CHECK_H
#define CATALOGUE_CYCLE_CHECK_H

struct catalogue;
struct findings;

/* Adds a warning for each cycle of dependencies, about its first service. */
void check_cycles(const struct catalogue *catalogue, struct findings *findings);

#endif
