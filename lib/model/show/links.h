/* SPDX-License-Identifier: Apache-2.0
 *
 * The links of a cluster: those of its template, and those of its services, with their macros expanded.
 */
#ifndef MODEL_SHOW_LINKS_H
#define MODEL_SHOW_LINKS_H

#include <stdbool.h>
#include <stdio.h>

struct buffer;
struct layout;

/* Prints each as a line "LABEL:  URL", once. One that asks for what is not known is left out. */
void links_print(const struct layout *layout, FILE *out, bool colour);

/* Appends each as a record {"kind":"link","label":LABEL,"url":URL}. */
void links_records(const struct layout *layout, struct buffer *out);

#endif
