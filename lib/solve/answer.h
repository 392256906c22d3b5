/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the answer of what the search has found: nodes with names and zones, and what the layout is worth.
 */
#ifndef SOLVE_ANSWER_H
#define SOLVE_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "model/answer/answer.h"
#include "model/node.h"

struct layout;
struct outcome;
struct program;
struct request;

struct answer { /* release it */
	struct arena arena;
	bool satisfiable;
	struct unsatisfiable refusal;       /* if it is not */
	struct solution solution;     /* if it is: */
	const char *limit;            /* that was reached, and what to do; NULL: none */
	struct string_list broken;    /* what the present layout broke: "POINTER: words" */
	struct string_list services;  /* of the cluster, sorted */
	struct node *nodes;           /* by nodenum; new ones get their ids and host names when they are printed */
	size_t node_count;
};

/* Fills the answer's nodes, services and worth. explored: nodes of the search. */
void answer_fill(const struct program *program, const struct outcome *outcome, unsigned long explored,
    struct answer *answer);

void answer_release(struct answer *answer);

/* Writes the records of the answer. */
void answer_write(const struct request *request, const struct answer *answer, FILE *stream);

/* Makes a layout of the answer. It borrows all that is in the request and the answer, and is not to be released. */
void answer_layout(const struct request *request, const struct answer *answer, struct arena *arena,
    struct layout *layout);

#endif
