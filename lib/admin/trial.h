/* SPDX-License-Identifier: Apache-2.0
 *
 * Tries a service: its actions are done, as those of a cluster, on a sandbox machine that is made for it and removed afterwards, also
 * after ^C. What the scripts print comes as it comes; behind each action is said how long it took.
 */
#ifndef ADMIN_TRIAL_H
#define ADMIN_TRIAL_H

#include "json/place.h"

struct error;

struct trial_options {
	const char *service;
	const char *catalogue; /* its folder; NULL: the setting */
	const char *template;  /* whose configuration it begins with, or NULL */
	const char *config;    /* a file with the configuration, or NULL */
	struct string_list changes; /* of it, "PATH=VALUE" */
};

/* Returns 0, or -1: EX_NO for an action that failed or a service that is not there, EX_DATAERR or EX_NOINPUT for documents, EX_NOPERM
 * for whoever is not root, 128 + signal when interrupted. */
int trial_run(const struct trial_options *options, struct error *err);

#endif
