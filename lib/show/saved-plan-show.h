/* SPDX-License-Identifier: Apache-2.0
 *
 * A saved plan, shown to a person before it is carried out.
 */
#ifndef SHOW_SAVED_PLAN_SHOW_H
#define SHOW_SAVED_PLAN_SHOW_H

#include <stdbool.h>
#include <stdio.h>

struct account_ask;
struct error;

/* Prints what the plan in a file does, as --dry-run printed it when it was saved; and gives notice of what planned it, and of
 * whether it can be carried out now. */
int saved_plan_show(const char *path, const struct account_ask *ask, FILE *out, bool colour, void (*notice)(const char *text),
    struct error *err);

#endif
