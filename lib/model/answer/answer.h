/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer of coopr-solve to a request, coopr-layout(5): the cluster record, which the nodes follow (node_print), or the
 * reason why there is no layout.
 */
#ifndef MODEL_ANSWER_ANSWER_H
#define MODEL_ANSWER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/entity.h"

struct arena;
struct buffer;
struct document;
struct place;
struct request;

struct solution {
	const char *status;       /* "optimal", or "feasible" with a bound */
	struct amounts objective; /* value by name of objective, sorted by name */
	struct amounts bound;     /* the same: no layout has less; empty where it is optimal */
	int64_t explored;         /* nodes of the search */
	struct amounts gap;       /* the same: by how much, as a part of the value, it may be worse than the best */
};

struct unsatisfiable { /* why there is no layout */
	const char *because;
	struct string_list conflict; /* JSON Pointers into the request, sorted */
	bool minimal;                /* none of them can be left out; false if a limit kept that from being proved */
	struct string_list members;  /* of what was just found: each pointer with its words */
};

extern const struct document solution_table, unsatisfiable_table;

/* Fills solution from the member of that name of a cluster record; status is NULL where there is none. */
void solution_parse(const struct place *record, struct arena *arena, struct solution *solution);

/* Appends the cluster record of the answer, with a newline: the members of the request's cluster (unknown ones
 * too), services (those on the cluster, sorted), the definitions of these and of the services on the present nodes, provider
 * and template whole (lists that are sets sorted), and the solution. */
void answer_print(const struct request *request, const struct string_list *services,
    const struct solution *solution, struct buffer *out);

/* Appends the "unsatisfiable" record, with a newline. */
void unsatisfiable_print(const struct unsatisfiable *unsatisfiable, struct buffer *out);

#endif
