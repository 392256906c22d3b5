/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan would make, for a person to read before it is put.
 */
#ifndef CLUSTER_PREVIEW_H
#define CLUSTER_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

struct error;

/* Prints what the plan on fd does as a difference: how many machines of which kind are new (+), leave (-), change (~) or stay
 * as they are (=), which services are stopped meanwhile (!); then how many machines that makes, in how many tasks, how long that should
 * take, and what the machines cost where that is known. */
int preview_print(int fd, FILE *out, bool colour, struct error *err);

#endif
