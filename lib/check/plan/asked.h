/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which services look up which others, from the configuration and the definitions anew.
 */
#ifndef CHECK_PLAN_ASKED_H
#define CHECK_PLAN_ASKED_H

#include "check/plan/judge.h"

struct asked {
	size_t services;
	bool *of;        /* of[a * services + b]: a looks up hosts or addresses of b */
	bool *waits;     /* waits[a * services + b]: a needs b or looks it up, directly or through others */
	bool *addressed; /* of each service: somebody asks for its addresses */
	bool *own;       /* of each service: it looks up its own instances */
	bool *installs;  /* of each service: its installation reads addresses */
};

void asked_find(struct asked *asked, const struct judge *judge);
void asked_release(struct asked *asked);

#endif
