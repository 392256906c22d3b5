/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr apply: clusters become what files say, one after the other, each by ordinary operations. cluster/applied.h keeps what was
 * applied; catalogue/spec-diff.h compares.
 *
 *	result = apply_open(&apply, &parameters, &options, &err);
 *	while (result == 0 && apply_next(&apply, &application)) ...
 *	apply_close(&apply, &err);
 */
#ifndef APPLY_APPLY_H
#define APPLY_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/application.h"
#include "apply/specs.h"
#include "cluster/applied.h"
#include "operation/operate.h"

struct error;

struct apply_options {
	const char *path;      /* of the file or folder; "-": standard input */
	const char *origin;    /* what stands for the folder; NULL: its path */
	const char *catalogue, *max_unavailable;
	bool prune, adopt, allow_moves;
	bool force; /* also with fewer machines than the template needs */
};

struct apply_turn { /* a cluster that has its turn, as it was at the beginning */
	const char *name;
	const struct spec *spec;               /* NULL: no file names it any more */
	const struct cluster_record *cluster;  /* NULL: there is none yet */
	const struct applied *applied;         /* as it was applied last; NULL: never */
};

struct apply {
	const struct apply_options *parameters;
	struct operation_options options;
	struct account account;
	struct specs specs;
	struct cluster_list clusters;
	struct applied_list applied;
	const char *origin;        /* NULL: none */
	struct apply_turn *turns;
	size_t count, capacity, next;
	struct agreed {            /* that are as their files say, and not yet remembered to be */
		struct arena arena;
		struct applied *list;
		size_t count, capacity;
	} agreed;
	bool failed, interrupted;
	bool has_consent;          /* what is done was shown, and who asks wants it */
};

/* Reads all files and looks at all clusters. Nothing is begun where anything is wrong. */
int apply_open(struct apply *apply, const struct apply_options *parameters, const struct operation_options *options,
    struct error *err);

/* Looks at all clusters anew: each gets its turn once more. Those of a dry run have changed nothing. changed becomes the name of a
 * cluster that others have changed since the look before, or NULL. */
int apply_look(struct apply *apply, const char **changed, struct error *err);

/* Returns the number of clusters that no file names any more; the name of each. */
size_t apply_leftovers(const struct apply *apply);
const char *apply_leftover(const struct apply *apply, size_t number);

/* Gives the next cluster its turn: 1 with the result, to be released; 0 where all have had theirs, or one was interrupted. */
int apply_next(struct apply *apply, struct application *application);

/* Remembers which clusters agree. Releases all, also where it could not be opened. */
int apply_close(struct apply *apply, struct error *err);

#endif
