/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan would make, for a person to read before it is put.
 */
#ifndef CLUSTER_PREVIEW_H
#define CLUSTER_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

struct error;

/* Prints how many machines of which kind with which services the plan on fd makes, in how many tasks, how long that
 * should take, and what the machines cost where that is known. */
int preview_print(int fd, FILE *out, bool colour, struct error *err);

#endif
