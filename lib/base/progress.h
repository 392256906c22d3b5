/* SPDX-License-Identifier: Apache-2.0
 *
 * A progress bar on stderr, and lines below it, redrawn in their place.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Redraws on stderr "LABEL [=====>    ] 12/41  3 running  1 m 2 s", and below it lines, which NULL ends; nothing where stderr is
 * no terminal. tail may be "", below NULL. What is too wide is cut. */
void progress_draw(const char *label, size_t done, size_t total, const char *tail, const char *const *below);

/* Returns whether stderr is a terminal, on which that is seen. */
bool progress_is_seen(void);

/* Removes what progress_draw has drawn, before other text or at the end. */
void progress_clear(void);

#endif
