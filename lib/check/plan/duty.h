/* SPDX-License-Identifier: Apache-2.0
 *
 * The duties that the rules between services put on a plan, as its judge finds them. A group is all tasks that
 * others have to wait for by one rule; a duty says that each of its targets waits for all of a group.
 */
#ifndef CHECK_PLAN_DUTY_H
#define CHECK_PLAN_DUTY_H

#include "check/plan/asked.h"
#include "check/plan/needs.h"

enum from {
	FROM_INSTALL,
	FROM_START,   /* its check where it has one */
	FROM_STOP,
	FROM_REMOVE,
	FROM_DONE,    /* the last tasks of what a rolling plan changes in place */
	FROM_UP,      /* the last tasks of what is set up */
	FROM_ADDRESS, /* the confirmations of the nodes that have it */
	FROM_COUNT
};

struct duty {
	uint32_t group;    /* service * FROM_COUNT + from */
	size_t first, end; /* targets[first] .. targets[end - 1] */
};

struct duties {
	struct judge *judge;
	struct asked asked;
	size_t group_count;
	size_t *first;      /* of group c: members[first[c]] .. members[first[c + 1] - 1] */
	uint32_t *members;
	struct member {
		uint32_t group, step;
	} *joined; /* while they are collected */
	size_t joined_count, joined_capacity;
	struct duty *list;
	size_t count, capacity;
	uint32_t *targets;
	size_t target_count, target_capacity;
};

/* Finds all duties; what concerns one node only is required of the judge at once. */
void duties_find(struct duties *duties, struct judge *judge);
void duties_release(struct duties *duties);

/* Returns the number of tasks of a group. */
size_t duties_group_size(const struct duties *duties, uint32_t group);

#endif
