/* SPDX-License-Identifier: Apache-2.0
 *
 * What all parts of a machine's life do: they look whether the machine is there, and tell what they find.
 */
#ifndef CLOUD_LIFE_PART_H
#define CLOUD_LIFE_PART_H

#include "cloud/life.h"

struct intent;

/* Tells the reader of the task's log. */
void life_say(const struct life *life, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the text of a member of an object of the take record, as ("cluster", "key"), in the life's arena; NULL where there is none. */
const char *life_member(struct life *life, const char *object, const char *name);

/* Returns who logs in. */
const char *life_user(const struct life *life);

struct life_choice { /* what a machine is to be; any but flavor may be NULL */
	const char *zone, *hardwaretype, *flavor;
};

/* Returns what the choice of that number is: the node as it is for 0, else one of its record's "choices". hardwaretype is set only by these. flavor is
 * NULL where there is no such choice. */
struct life_choice life_choice(struct life *life, int64_t number);

/* All that fail return -1 with the life's error. */

/* Adds the machines of the node that a list shows which was asked for after since_ms (monotonic), the oldest first. */
int life_look(struct life *life, int64_t since_ms, struct cloud_machines *found);

/* Waits until the machine is listed, or the time is over in which one that was asked for may be missing. Returns whether it is there, -1 on
 * error. */
int life_settle(struct life *life, const struct intent *intent, struct cloud_machines *found);

/* Has a machine that is reached through a bastion be reached at the address at which its neighbours reach it, where it has no other. */
void life_reach(const struct cloud *cloud, struct cloud_machine *machine);

/* Refuses a machine that is none of the public network, where a tenant has written the provider: its cloud says itself where its machines are, and coopr
 * would enter whatever is there. */
int life_check_addresses(struct life *life, const struct cloud_machine *machine);

/* Tells in the outcome what later tasks need of the machine, and how and when it was asked for where that is the task: NULL where it was told before. */
void life_hand_out(struct life *life, const struct cloud_machine *machine, const struct intent *intent);

#endif
