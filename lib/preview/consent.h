/* SPDX-License-Identifier: Apache-2.0
 *
 * The consent of the person who has typed a command to what it is about to do.
 */
#ifndef PREVIEW_CONSENT_H
#define PREVIEW_CONSENT_H

#include <stdbool.h>

#include "preview/preview.h"

struct error;

struct consent {
	const char *name;     /* of the cluster */
	const char *question; /* NULL: "Do this to NAME?" */
	const char *refused;  /* what a no means: "not deleted"; NULL: "nothing was changed" */
	const char *colour;   /* --color; or NULL */
	bool always;          /* ask also where the plan neither restarts, stops nor removes anything */
};

/* Gets the consent to a plan: where it restarts, stops or removes something, shows it and asks. Where nobody can be asked,
 * only a plan that deletes machines is refused, with EX_USAGE. Returns 0; -1 with EX_NO where the answer was no, with 128 +
 * the signal where the question was interrupted. */
int consent_get(const struct consent *consent, const struct preview *preview, const struct preview_basis *basis,
    struct error *err);

/* Gets the consent to what has no plan, on a terminal; elsewhere nobody is asked. */
int consent_ask(const struct consent *consent, struct error *err);

#endif
