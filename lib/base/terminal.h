/* SPDX-License-Identifier: Apache-2.0
 *
 * What a terminal is: its size, whether it is to show colour, and the styles of text.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns whether to colour what goes to stream: --color (NULL, "auto", "always", "never") over $COOPR_COLOR over
 * NO_COLOR over the color of coopr-config(5) over TERM=dumb over whether stream is a terminal. */
bool terminal_colour(const char *option, FILE *stream);

/* Returns the columns of the terminal behind stream, 80 if there is none. */
size_t terminal_width(FILE *stream);

/* Returns its lines, 24 if there is none. */
size_t terminal_height(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARN, STYLE_BAD };

#endif
