/* SPDX-License-Identifier: Apache-2.0
 *
 * Which job is next: of the tenant that has the fewest tasks running, the one that was put first.
 */
#ifndef QUEUE_CHOICE_H
#define QUEUE_CHOICE_H

#include "queue/board.h"

struct choice { /* zero-initialise; what it knows of a board while tasks are taken from it */
	bool *tried;      /* by slot: nothing more is to be had there */
	uint32_t capacity;
	struct choice_tenant *tenants;
	size_t tenant_capacity;
	size_t offering;  /* tenants that have something to take */
};

/* The link to the slot to take from at now_ms (boot time), 0 where there is nothing to take. */
uint32_t choice_next(struct choice *choice, const struct board *board, int64_t now_ms);

/* Nothing more is to be had there for now. */
void choice_exhausted(struct choice *choice, uint32_t link);

void choice_release(struct choice *choice);

/* Whether the job of a slot is neither finished nor waiting for an earlier one of its cluster: time counts in it. */
bool choice_is_live(const struct board_slot *slot);

#endif
