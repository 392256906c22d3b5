/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains why a service stands on a node of a layout, or does not. Two questions are asked: which rules would break if
 * nothing but this were changed, and does any layout have it otherwise on one more machine like this node? If none has, a
 * minimal set of rules says why; if one has, its worth says what it would cost.
 */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/entity.h"

struct arena;
struct error;
struct fault;
struct layout;
struct node;
struct request;

enum explain_verdict {
	EXPLAIN_FORCED,    /* by the rules */
	EXPLAIN_NEEDED,    /* the rules want as many instances as there are, and not that one is here */
	EXPLAIN_PREFERRED, /* there are layouts with it otherwise */
	EXPLAIN_UNKNOWN,   /* none was found in reasonable time */
};

struct explain_terms {
	const char *node;    /* an id, a nodenum or a host name */
	const char *service; /* why it stands there, or why not */
	int64_t moves_max;   /* how many moves are allowed */
};

struct explanation { /* all of it in the arena, or the request's or the layout's */
	const struct node *node;
	const char *service;
	bool stands;
	enum explain_verdict verdict;
	const char *because;        /* one sentence */
	struct string_list rules;   /* JSON Pointers of those that force it, and */
	struct string_list words;   /* what each says */
	struct amounts now, otherwise; /* worth, by name; otherwise: empty unless preferred */
	struct fault *alone;        /* what breaks if only this is otherwise */
};

/* Explains. Returns 0, or -1: EX_NO if the layout has no such node or the request no such service. */
int explain(const struct request *request, const struct layout *layout, const struct explain_terms *terms,
    struct arena *arena, struct explanation *explanation, struct error *err);

/* Writes it for a person, and as a record. */
void explanation_write(const struct explanation *explanation, FILE *stream);
void explanation_write_record(const struct explanation *explanation, FILE *stream);

#endif
