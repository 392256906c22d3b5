/* SPDX-License-Identifier: Apache-2.0
 *
 * One command on many nodes of a cluster at once. What it prints comes line by line, the name of the node before each.
 */
#ifndef SHOW_EVERYWHERE_H
#define SHOW_EVERYWHERE_H

#include <stdbool.h>
#include <stddef.h>

struct cluster_status;
struct error;
struct target;

struct everywhere {
	const struct cluster_status *status; /* whose layout has been read */
	const struct target *target; /* which of its nodes */
	char *const *words;          /* the command, as login_words takes it */
	size_t at_once;
	bool dry;                    /* only print where what would be run */
	bool quiet;                  /* print nothing of what it says */
	bool colour;
};

/* Runs the command. Returns the highest exit code of any node, 255 if one was not reached, 128 + signal if one ended us; -1. */
int everywhere_run(const struct everywhere *what, struct error *err);

#endif
