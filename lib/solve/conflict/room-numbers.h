/* SPDX-License-Identifier: Apache-2.0
 *
 * What the demands of a request that hold say of room, in whole numbers: how many instances of each service there are at least, what one takes
 * of each resource, where it may stand, and what machines there are.
 */
#ifndef SOLVE_CONFLICT_ROOM_NUMBERS_H
#define SOLVE_CONFLICT_ROOM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/names.h"
#include "solve/program/program.h"
#include "solve/program/whole.h"

struct demand;
struct demands;

enum { ROOM_LEASTS = 3 }; /* kinds of demands for instances of a service: DEMAND_PLACED, DEMAND_MIN, DEMAND_COUNT_RULE */

#define ROOM_ALL ((wide)-1) /* any amount */
#define ROOM_MOST ((wide)1e27) /* an amount: times SOLVE_SERVICES and SOLVE_MACHINES it fits into 128 bits */

struct room_service { /* on the cluster, as far as demands hold */
	int64_t least[ROOM_LEASTS], instances; /* that are demanded, and the most of these */
	bool everywhere;                       /* it stands on each machine: the template does not name it */
	uint64_t *types;                       /* that can be had and that it may stand on */
	wide *takes;                           /* of each resource */
};

struct room_type {
	int64_t available; /* SOLVE_MACHINES at most */
	wide *holds;       /* of each resource; or ROOM_ALL */
};

struct room {
	const struct demands *demands;
	struct arena arena;
	struct names names, resources; /* of the services of the cluster; of what they take */
	struct room_service *services;
	struct room_type *types; /* as in the request */
	size_t type_words;
	uint64_t *usable;
	int64_t machines_min, machines_max; /* NO_MAX: any number */
};

/* Takes the numbers. Returns false if they are too large for exact sums. Release it in any case. */
bool room_init(struct room *room, const struct demands *demands);
void room_release(struct room *room);

/* Returns the number of a demand's service; NAMES_NONE if it is about none. */
int room_service_of(const struct room *room, const struct demand *demand);

#endif
