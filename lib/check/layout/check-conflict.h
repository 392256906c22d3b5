/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of a conflict: it finds out whether its members cannot hold together, and whether each is needed for that.
 *
 * That they cannot is proved by sums (check-room.h), or by trying every layout if there are few (brute-force.h); else the solver, which is
 * handed in, is asked once more, with these demands alone. A layout shows that the others can hold together without a member: the solver
 * looks for it, or it is made of one that was found for a member of the same kind (check-exchange.h), and check.h, which shares nothing with
 * the solver, judges it.
 */
#ifndef CHECK_LAYOUT_CHECK_CONFLICT_H
#define CHECK_LAYOUT_CHECK_CONFLICT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/entity.h"

struct arena;
struct budget;
struct demands;
struct error;
struct fault;
struct layout;
struct unsatisfiable;
struct request;

struct conflict_terms {
	/* Looks for a layout that keeps the demands, with so many nodes of the search at most. Returns 1 with one, which the empty arena owns, 0 if
	 * there is none, or -1: EX_SOFTWARE if it was not found out. */
	int (*find)(const struct demands *demands, unsigned long nodes, struct budget *budget, struct arena *arena, struct layout *layout,
	    struct error *err);
	/* Counts steps of work, each about a nanosecond. Returns false if the budget is spent. */
	bool (*work)(struct budget *budget, unsigned long steps);
	/* Finds what forbids the request without any search. Returns 1 if nothing does, 0 with the refusal, or -1. */
	int (*admit)(const struct request *request, struct arena *arena, struct unsatisfiable *refusal, struct error *err);
	struct budget *budget; /* for all of it */
	int64_t moves_max;     /* how many moves are allowed */
	bool not_minimal;      /* it does not say that each member is needed: only all of them together are judged */
	bool notes;            /* the report is to have notes */
};

struct conflict_report { /* lives in the arena; where is a member, or "as a whole" */
	struct fault *faults; /* what is wrong with it; NULL: nothing */
	struct fault *open;   /* what was not proved */
	struct fault *notes;  /* of each member: what becomes of the request without it */
};

/* Judges a conflict. Returns 0, or -1: EX_DATAERR if the request is malformed, EX_SOFTWARE if a layout that was found is wrong. */
int check_conflict(const struct request *request, const struct string_list *conflict,
    const struct conflict_terms *terms, struct arena *arena, struct conflict_report *report, struct error *err);

#endif
