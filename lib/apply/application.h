/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of coopr apply for one cluster, and how it is printed.
 */
#ifndef APPLY_APPLICATION_H
#define APPLY_APPLICATION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/show/output.h"
#include "operation/operate.h"

enum application_change { APPLICATION_NONE, APPLICATION_NEW, APPLICATION_CHANGED, APPLICATION_DELETED, APPLICATION_CHANGE_COUNT };

enum application_outcome {
	APPLICATION_DONE,
	APPLICATION_BEGUN,   /* workers run it */
	APPLICATION_PLANNED, /* by a dry run */
	APPLICATION_FAILED,
	APPLICATION_LEFT,    /* no file names it, and it was not to be deleted */
	APPLICATION_KEPT,    /* it was, but others have failed, which were perhaps to take its place */
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

/* Prints it as a record of the kind "applied". */
void application_write(const struct application *application, struct output *output);

/* Prints it for a person, with the plan of a dry run. */
int application_print(const struct application *application, FILE *out, bool colour, struct error *err);

/* Prints "1 new, 2 changed, 3 unchanged, 1 not done". counts: of those that did not fail, by change. */
void application_print_counts(const size_t counts[APPLICATION_CHANGE_COUNT], size_t failed, FILE *out);

/* Also removes the plan of a dry run. */
void application_release(struct application *application);

#endif
