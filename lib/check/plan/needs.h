/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which services need which others, from their definitions anew.
 */
#ifndef CHECK_PLAN_NEEDS_H
#define CHECK_PLAN_NEEDS_H

#include "check/plan/judge.h"

struct needs { /* what service s needs: list[first[s]] .. list[first[s + 1] - 1] */
	size_t *first;
	struct need_edge {
		uint32_t from, to;
		bool local;
	} *list;
};

/* Returns what services need to be installed, to run, or both; reversed: which services need each. */
struct needs needs_find(const struct judge *judge, bool at_install, bool at_run, bool reversed);
void needs_release(struct needs *needs);

#endif
