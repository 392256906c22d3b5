/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instances do not run, since they were stopped: before a plan, and when it is done.
 */
#ifndef CHECK_PLAN_ABSENCE_H
#define CHECK_PLAN_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>

struct chain;
struct judge;

/* Tell whether the instance was stopped before, and is when the plan is done. */
bool absence_was(const struct judge *judge, int service, size_t node);
bool absence_is(const struct judge *judge, int service, size_t node);

struct absence { /* arrays by service and node: service * nodes + node */
	bool *was_out, *is_out; /* what is left out where it is looked up, before the plan and when it is done */
	size_t nodes;
};

/* Finds what is left out: what was and is not started; and what does not run when a plan has started or stopped some of its
 * service, and others do. */
struct absence absence_find(const struct judge *judge);
void absence_release(struct absence *absence);

/* Tells whether a change leaves the instance stopped: it was, or is set up so, and what is asked for is not that it starts. */
bool absence_stays(const struct judge *judge, int service, size_t node, bool is_along);

/* Reports what starts services that were stopped, though nobody asks for that, also where they are set up, and a job record that
 * does not say what is left out. */
void absence_check(const struct judge *judge);

#endif
