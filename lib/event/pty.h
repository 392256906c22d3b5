/* SPDX-License-Identifier: Apache-2.0
 *
 * The terminal of a child, whose other end is ours. Who sits at the real one is elsewhere: that one echoes, edits lines and breaks
 * them, and this one hands on what is typed and printed as it is; unless it is whole.
 */
#ifndef EVENT_PTY_H
#define EVENT_PTY_H

#include <stdbool.h>

struct child;
struct child_terminal;

/* Opens one: *ours is our end, which does not block. Returns the child's, or -1. */
int pty_open(const struct child_terminal *terminal, int *ours);

/* Returns whether what is typed at it is to be shown: not while a child reads a secret. */
bool pty_echoes(const struct child *child);

/* Tells the child of a new size. */
void pty_resize(const struct child *child, unsigned columns, unsigned lines);

#endif
