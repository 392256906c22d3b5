/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the effects of a plan for a person: before it is carried out, where it is saved, and in the history.
 */
#ifndef PREVIEW_PREVIEW_H
#define PREVIEW_PREVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <jv.h>

#include "preview/effects.h"

struct error;

struct preview_basis { /* what the plan does not say; release it */
	double cost;  /* of an hour of the machines that there are */
	jv prices;    /* of hardware types, see prices_of; invalid: not known */
	jv config;    /* of the cluster, before; invalid: it is new, or changes of it are of no interest */
	jv stateful;  /* names of services with data, of which the plan does not say that; invalid: none */
};

#define PREVIEW_BASIS_NONE {.prices = jv_invalid(), .config = jv_invalid(), .stateful = jv_invalid()}

void preview_basis_release(struct preview_basis *basis);

struct preview { /* release it, also where it could not be read */
	struct plan_document plan;
	struct effects effects;
	struct layout before; /* of preview_compare, from which plan borrows */
};

/* Read a plan from a file, or from the text of its records; name stands for that in messages. */
int preview_read(struct preview *preview, const char *path, struct error *err);
int preview_parse(struct preview *preview, const char *name, const char *text, size_t length, struct error *err);

/* Makes the preview of a change without tasks, from one layout to another; an empty text is one without machines. */
int preview_compare(struct preview *preview, const char *before, const char *after, struct error *err);

void preview_release(struct preview *preview);

/* Sets the cost of the machines that there were before, by the prices in basis. */
void preview_basis_cost(const struct preview *preview, struct preview_basis *basis);

/* Prints what the plan does as a difference: how many machines of which kind are new (+), change (~), leave (-) or stay as
 * they are (=), and what is done to the services of those that change; what changes in the configuration (~ config); which
 * services restart, are stopped or started where they stay, and whose data is lost (!); then how many machines of each there
 * are, what they cost, in how many tasks, and how long that should take. */
void preview_write(const struct preview *preview, const struct preview_basis *basis, FILE *out, bool colour);

/* Reads the plan in a file and prints it so. */
int preview_print(const char *path, const struct preview_basis *basis, FILE *out, bool colour, struct error *err);

#endif
