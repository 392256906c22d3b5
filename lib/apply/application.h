/* SPDX-License-Identifier: Apache-2.0
 *
 * What coopr apply has found, and done, about one cluster.
 */
#ifndef APPLY_APPLICATION_H
#define APPLY_APPLICATION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "operation/operate.h"

enum application_change { APPLICATION_NONE, APPLICATION_NEW, APPLICATION_CHANGED, APPLICATION_DELETED, APPLICATION_CHANGE_COUNT };

enum application_outcome {
	APPLICATION_DONE,
	APPLICATION_BEGUN,   /* others work it off */
	APPLICATION_PLANNED, /* it was only a look */
	APPLICATION_FAILED,
	APPLICATION_LEFT,    /* no file speaks of it, and it was not to be deleted */
	APPLICATION_KEPT,    /* it was, but not where others have failed: they may have been to take its place */
};

struct application { /* zero-initialise; release it */
	const char *name;          /* of the cluster, borrowed */
	char id[CLUSTER_ID_SIZE];  /* ""; there is none yet */
	enum application_change change;
	enum application_outcome outcome;
	struct buffer differences; /* lines */
	struct operation_result done;          /* of the last operation */
	struct error trouble;      /* where it has failed */
};

/* As a record of the kind "applied". */
void application_write(const struct application *application, FILE *out);

/* For a person, with the plan that there would be. */
int application_print(const struct application *application, FILE *out, bool colour, struct error *err);

/* What becomes of whom: "1 new, 2 changed, 3 as they are, 1 not done". counts: of those that did not fail, by change. */
void application_print_counts(const size_t counts[APPLICATION_CHANGE_COUNT], size_t failed, FILE *out);

/* Also removes what a look has left. */
void application_release(struct application *application);

#endif
