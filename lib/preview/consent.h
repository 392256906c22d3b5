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
	bool is_given;        /* to all but a loss of data: nothing else is asked */
	bool has_person;      /* a person has typed the command, and can be asked on a terminal */
	bool discards_data;   /* data may be lost */
	bool loses_data;      /* consent_show has found that data is lost: the name of the cluster has to be typed */
};

/* Shows a plan that needs consent, since it restarts, stops or removes something, or loses data: 1; 0 where none is needed or nobody
 * can be asked. Then, only a plan that deletes machines or loses data is refused: -1 with EX_USAGE. */
int consent_show(struct consent *consent, const struct preview *preview, const struct preview_basis *basis,
    struct error *err);

/* Gets the consent to what was shown, on a terminal; elsewhere nobody is asked. Returns 0; -1 with EX_NO where the answer was no,
 * with 128 + the signal where the question was interrupted. */
int consent_ask(const struct consent *consent, struct error *err);

#endif
