/* SPDX-License-Identifier: Apache-2.0
 *
 * The solver: a request in, a layout or the reason why there is none out.
 */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"
#include "model/answer.h"
#include "model/node.h"

struct demands;
struct error;
struct layout;
struct request;

struct refusal { /* why there is no layout */
	struct string_list conflict; /* JSON Pointers into the request, sorted */
	const char *because;
	bool not_minimal; /* a limit was reached: some of the conflict may not be needed */
};

struct answer { /* release it */
	struct arena arena;
	bool satisfiable;
	struct refusal refusal;       /* where it is not */
	struct solution solution;     /* where it is: */
	const char *limit;            /* that was reached, and what to do; NULL: none */
	struct string_list broken;    /* what the present layout broke: "POINTER: words" */
	struct string_list services;  /* of the cluster, sorted */
	struct node *nodes;           /* by nodenum; ids and host names of new ones are made when they are printed */
	size_t node_count;
};

enum { SOLVE_NODES = 100000 }; /* of the search, where no limit is given */

#define SOLVE_STEPS UINT64_C(25000000000) /* of its work, the same: about half a minute at most */

struct solve_terms { /* zero-initialised: nothing not concerned may change */
	int64_t moves_max;        /* how many moves are allowed; INT64_MAX: any number */
	unsigned long node_limit; /* nodes of the search; 0: the default limit, or any number where there is a time limit */
	int64_t time_limit_ms;    /* 0: any time; else the answer depends on the machine */
};

/* Answers a request. 0, or -1: EX_DATAERR for what contradicts itself or is too large, EX_TEMPFAIL where a limit was
 * reached with no layout in hand, EX_SOFTWARE where nothing could be proved. */
int solve(const struct request *request, const struct solve_terms *terms, struct answer *answer, struct error *err);

struct condition { /* one machine more than in a layout that is like one of its nodes, or one less: */
	const struct layout *layout;
	const struct node *node; /* of it: the same hardware type, and new or present as it is */
	struct string_list with; /* services that stand there */
	const char *without;     /* one that does not; or NULL */
	bool less;               /* of all that have the services, wherever */
};

struct question {
	const struct demands *demands;     /* of the request; those dropped do not count */
	const struct condition *condition; /* one more; NULL: none */
	bool best;                         /* by the objectives before dense; else any layout will do */
	unsigned long nodes_max;           /* of the search; 0: enough for most */
};

/* Whether there is such a layout. 1: yes, it is the answer; 0: no, and the answer says nothing of why; -1: as above. */
int solve_question(const struct request *request, const struct question *question, struct answer *answer,
    struct error *err);

void answer_release(struct answer *answer);

/* Writes the records of the answer. */
void answer_write(const struct request *request, const struct answer *answer, FILE *stream);

/* The answer as a layout. It borrows all that is in the request and the answer, and is not to be released. */
void answer_layout(const struct request *request, const struct answer *answer, struct arena *arena,
    struct layout *layout);

#endif
