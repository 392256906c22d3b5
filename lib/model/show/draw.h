/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan, or a layout, drawn for a person: as an indented tree of nodes and what is done to them, or in
 * Graphviz' language.
 */
#ifndef MODEL_SHOW_DRAW_H
#define MODEL_SHOW_DRAW_H

#include <stdbool.h>
#include <stdio.h>

struct plan_document;

void draw_tree(const struct plan_document *document, FILE *stream, bool colour);
void draw_dot(const struct plan_document *document, FILE *stream);

/* Tells whether the document has no plan; returns the title of both drawings. */
bool draw_is_layout(const struct plan_document *document);
const char *draw_title(const struct plan_document *document);

#endif
