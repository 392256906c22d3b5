/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares a cluster with its specification in a file. The cluster is represented by its last request, whichever command made
 * that; changes of entities in the catalogue make no difference.
 */
#ifndef CATALOGUE_SPEC_DIFF_H
#define CATALOGUE_SPEC_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "catalogue/clusterspec.h"

struct error;

struct asked { /* what a cluster was asked to be, borrowed */
	jv request;
	int64_t machines;  /* that it has */
};

struct spec_diff { /* release it, also where it could not be found; strings live in the arena */
	struct arena arena;
	struct buffer lines; /* a line for each difference: "~ machines 4 -> 5", "+ service memcached" */
	size_t count;
	bool remake;         /* it becomes one of another template: anew from today's entities and the file */
	int64_t machines;    /* that it shall have */
	struct string_list add, remove; /* services */
	bool scales;         /* other instances are asked for: the number of machines is open where the file does not fix it */
	jv config;           /* that it shall have, owned; invalid: the one that it has */
	jv members;          /* of the request's cluster, owned: those that get another value (null: none) */
};

/* Fills diff. last is what the file said before; NULL if that is not known. Returns 0, or -1 with EX_NO if the cluster cannot
 * become so. */
int spec_diff_find(const struct clusterspec *spec, const struct clusterspec *last, const struct asked *asked,
    struct spec_diff *diff, struct error *err);

void spec_diff_release(struct spec_diff *diff);

#endif
