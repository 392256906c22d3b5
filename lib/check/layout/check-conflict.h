/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of a conflict: it finds out whether its members cannot hold together, and whether each is needed for that.
 *
 * A layout shows that the others can hold together without a member: the solver, which is handed in, looks for it, and
 * check.h, which shares nothing with the solver, judges it. That all of them cannot is found out by trying every layout if
 * there are few; else the solver is asked once more, with these demands alone.
 */
#ifndef CHECK_LAYOUT_CHECK_CONFLICT_H
#define CHECK_LAYOUT_CHECK_CONFLICT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/entity.h"

struct arena;
struct demands;
struct error;
struct fault;
struct layout;
struct unsatisfiable;
struct request;

struct conflict_terms {
	/* Looks for a layout that keeps the demands. Returns 1 with one, which the empty arena owns, 0 if there is none, or -1. */
	int (*find)(const struct demands *demands, struct arena *arena, struct layout *layout, struct error *err);
	/* Finds what forbids the request without any search. Returns 1 if nothing does, 0 with the refusal, or -1. */
	int (*admit)(const struct request *request, struct arena *arena, struct unsatisfiable *refusal, struct error *err);
	int64_t moves_max; /* how many moves are allowed */
	bool not_minimal;  /* it does not say that each member is needed */
	bool notes;        /* the report is to have notes */
};

struct conflict_report { /* lives in the arena */
	struct fault *faults; /* what is wrong with it, where is the member; NULL: nothing */
	struct fault *notes;  /* of each member: what becomes of the request without it */
};

/* Judges a conflict. Returns 0, or -1: EX_DATAERR if the request is malformed, EX_SOFTWARE if it cannot be judged. */
int check_conflict(const struct request *request, const struct string_list *conflict,
    const struct conflict_terms *terms, struct arena *arena, struct conflict_report *report, struct error *err);

#endif
