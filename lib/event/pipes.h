/* SPDX-License-Identifier: Apache-2.0
 *
 * The streams of one supervised child: its stdin is fed, its stdout and stderr are captured, as much at a time as they take
 * and give. For event/supervise.c; nobody else needs it.
 */
#ifndef EVENT_PIPES_H
#define EVENT_PIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct child;
struct supervised_end;
struct supervisor;

enum { PIPES_CHUNK = 64 * 1024 }; /* read at once at most */

/* Starts the process between pipes: its own ends of them are closed here in any case. -1: those that are ours are there to be
 * closed. */
int pipes_start(struct child *child, struct error *err);

/* Waits for events of an end in the loop. */
int pipes_await(struct supervisor *supervisor, struct supervised_end *end, uint32_t events);

/* Closes an end. Events would outlive that: a child that was just started may hold a copy for a moment longer. */
void pipes_shut(struct supervised_end *end);
void pipes_shut_all(struct child *child);

/* Writes what the pipe takes of the input. Returns whether all is written, or nobody reads it. */
bool pipes_feed(struct child *child);

/* Makes room for more to be fed without leaving a copy of what waits, as a buffer that grows would; where wipe_input is set. */
void pipes_wipe_room(struct child *child, size_t length);

/* Wipes what was fed, and is kept. */
void pipes_wipe(struct child *child);

/* Waits for these events of the child's stdin. Once all is written, room in the pipe says nothing: only that nobody reads it. */
void pipes_await_input(struct supervisor *supervisor, struct child *child, uint32_t events);

/* Read once, at most limit bytes. Return how many; 0 if there is nothing (more). */
size_t pipes_read_out(struct child *child, size_t limit);
size_t pipes_read_err(struct child *child, size_t limit);
size_t pipes_read_control(struct child *child);

/* Reads what stands in the pipes at this moment. More may come from others that hold them, without end. */
void pipes_read_rest(struct child *child);

#endif
