/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the effects of a plan for a person, before it is put.
 */
#ifndef OPERATION_PREVIEW_H
#define OPERATION_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <jv.h>

struct error;
struct operation_context;

struct preview_basis { /* what the plan does not say; release it */
	long jobs;    /* so many tasks at one time; 0: any number */
	double cost;  /* of an hour of the machines that there are */
	jv prices;    /* of hardware types, see prices_of; invalid: not known */
	jv config;    /* of the cluster, before; invalid: it is new, or changes of it are of no interest */
};

#define PREVIEW_BASIS_NONE {.prices = jv_invalid(), .config = jv_invalid()}

/* Takes the basis of a context for which a plan was made. */
int preview_basis_take(const struct operation_context *context, struct preview_basis *basis, struct error *err);
void preview_basis_release(struct preview_basis *basis);

/* Prints what the plan in a file does as a difference: how many machines of which kind are new (+), change (~), leave (-) or
 * stay as they are (=), and what is done to the services of those that change; what changes in the configuration (~ config);
 * which services restart, are stopped or started where they stay (!); then how many machines of each there are, what they
 * cost, in how many tasks, and how long that should take. */
int preview_print(const char *path, const struct preview_basis *basis, FILE *out, bool colour, struct error *err);

#endif
