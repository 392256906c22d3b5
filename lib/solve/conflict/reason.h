/* SPDX-License-Identifier: Apache-2.0
 *
 * Words a conflict as a sentence, with numbers that a person can act on.
 */
#ifndef SOLVE_CONFLICT_REASON_H
#define SOLVE_CONFLICT_REASON_H

#include <stddef.h>

#include "model/answer/demand.h"

struct violations;
struct budget;
struct buffer;
struct error;

struct reason {
	struct demands *demands;         /* all but the members are dropped */
	const struct demand **list;      /* the members: one at least */
	size_t count;
	size_t kind_count[DEMAND_KINDS], kind_first[DEMAND_KINDS]; /* members of each kind; the first of them */
	const struct violations *violations; /* of the present layout */
	struct budget *budget;           /* to find out what would be possible */
};

/* Counts the members of each kind, which comes first. */
void reason_count_kinds(struct reason *reason);

/* Appends what cannot hold together: "a needs at least 3 instances, but 2 machines are asked for: at most 2 instances
 * are possible". */
void reason_write(const struct reason *reason, struct buffer *out);

/* Appends what the present layout has to do with it, and how few moves would do, which is found within the budget. -1
 * with err. */
int reason_write_change(const struct reason *reason, struct budget *budget, struct buffer *out, struct error *err);

#endif
