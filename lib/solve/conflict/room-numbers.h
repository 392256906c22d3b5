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

struct room_service { /* on the cluster */
	wide *consumes; /* of each resource */
	bool large;     /* one of these is too large for exact sums */
	/* as far as demands hold: */
	int64_t least[ROOM_LEASTS], instances; /* that are demanded, and the most of these */
	bool everywhere;                       /* it stands on each machine: the template does not name it */
	uint64_t *types;                       /* that can be had and that it may stand on */
	const wide *takes;                     /* of each resource */
};

struct room_type {
	wide *capacity; /* of each resource; or ROOM_ALL */
	/* as far as demands hold: */
	int64_t available; /* SOLVE_MACHINES at most */
	const wide *holds;
};

struct room {
	const struct demands *demands;
	struct arena arena;
	struct names names, resources; /* of the services of the cluster; of what they take */
	struct room_service *services;
	struct room_type *types; /* as in the request */
	size_t type_words;
	uint64_t **listed; /* types of the list of each constraint */
	bool *named;       /* services that the template names */
	wide *nothing, *anything; /* of each resource */
	/* as far as demands hold: */
	uint64_t *usable;
	int64_t machines_min, machines_max; /* NO_MAX: any number */
};

/* Takes the numbers of the request, whatever demands hold. Release them. */
void room_init(struct room *room, const struct demands *demands);
void room_release(struct room *room);

/* Finds what those of the demands say that hold now. Returns false if one of the numbers is too large for exact sums. */
bool room_read(struct room *room);

/* Returns how many steps it takes about to look whether sums are too much. */
size_t room_size(const struct room *room);

/* Returns the number of a demand's service; NAMES_NONE if it is about none. */
int room_service_of(const struct room *room, const struct demand *demand);

#endif
