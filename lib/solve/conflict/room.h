/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums that prove by themselves that a request has no layout, in no time however many services there are: more instances, or more of a
 * resource, than the largest machines hold that may be had. A minimal part of the services that is still too much is found without a search.
 */
#ifndef SOLVE_CONFLICT_ROOM_H
#define SOLVE_CONFLICT_ROOM_H

#include <stdbool.h>
#include <stddef.h>

struct demands;
struct room;

/* Returns whether sums alone tell that no layout of new machines keeps the room's demands that are not dropped. */
bool room_exceeds(struct room *room);

/* If so, drops all demands but those of one such sum, with only as many services as it needs, the largest. Returns whether it did. */
bool room_reduce(struct room *room, struct demands *demands);

/* Drops of the demands for services what is not needed for the rest to contradict itself, after room_reduce, and marks the others as needed:
 * one question tells of all services that take as much or more, where nothing else tells them apart. contradict answers as for
 * demands_reduce. Returns 0 or -1. */
int room_settle(struct demands *demands, int (*contradict)(void *context, bool single), void *context);

#endif
