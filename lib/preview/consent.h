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

/* Shows a plan that needs consent, since it restarts, stops or removes something: 1; 0 where none is needed or nobody can be asked.
 * Then, only a plan that deletes machines is refused: -1 with EX_USAGE. */
int consent_show(const struct consent *consent, const struct preview *preview, const struct preview_basis *basis,
    struct error *err);

/* Gets the consent to what was shown, on a terminal; elsewhere nobody is asked. Returns 0; -1 with EX_NO where the answer was no,
 * with 128 + the signal where the question was interrupted. */
int consent_ask(const struct consent *consent, struct error *err);

#endif
