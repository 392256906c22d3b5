/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums that prove without any search that no layout keeps the demands: what services take together, and what the largest machines hold that
 * there may be.
 */
#ifndef CHECK_LAYOUT_CHECK_ROOM_H
#define CHECK_LAYOUT_CHECK_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct check_room;
struct demands;

/* Sets how many nodes there may be by the demands that hold; most: INT64_MAX, any number. */
void check_bound_nodes(const struct demands *demands, int64_t *least, int64_t *most);

/* Reads what a request says of room. The demands are borrowed; some of them may be dropped later. */
struct check_room *check_room_new(const struct demands *demands);
void check_room_free(struct check_room *room);

/* Returns whether there is too little room for the demands that hold. */
bool check_room_lacks(struct check_room *room);

/* Returns how many steps, each about a nanosecond, that takes about. */
unsigned long check_room_work(const struct check_room *room);

#endif
