/* SPDX-License-Identifier: Apache-2.0
 *
 * The solver: a request in, a layout or the reason why there is none out.
 */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include <stdint.h>

#include "solve/answer.h"

struct error;
struct request;

struct solve_terms { /* zero-initialised: no unaffected service may move */
	int64_t moves_max;        /* how many moves are allowed; INT64_MAX: any number */
	unsigned long node_limit; /* nodes of the search; 0: the default limit, or any number if there is a time limit */
	int64_t time_limit_ms;    /* 0: any time; else the answer depends on the machine */
};

/* Answers a request. Returns 0, or -1: EX_DATAERR for what contradicts itself or is too large, EX_TEMPFAIL if a limit
 * was reached with no layout in hand, EX_SOFTWARE if nothing could be proved. */
int solve(const struct request *request, const struct solve_terms *terms, struct answer *answer, struct error *err);

#endif
