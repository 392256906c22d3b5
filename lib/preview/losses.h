/* SPDX-License-Identifier: Apache-2.0
 *
 * The data that a plan loses: that of services on machines which it deletes, or which they leave. It decides for all commands
 * whether a person has to say that the data may be lost.
 */
#ifndef PREVIEW_LOSSES_H
#define PREVIEW_LOSSES_H

#include <stdbool.h>
#include <stdio.h>

#include <jv.h>

struct buffer;
struct effects;

/* Appends which data is lost that must not be, as "mariadb on 1003": 1; 0 where there is none. today: see cluster_is_stateful. */
int losses_describe(const struct effects *effects, jv today, struct buffer *text);

/* Prints a line for each service whose data is lost, or may be, since it prepared some when it was set up. */
void losses_print(const struct effects *effects, jv today, FILE *out);

#endif
