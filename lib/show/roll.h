/* SPDX-License-Identifier: Apache-2.0
 *
 * The clusters that an account may see, as a list.
 */
#ifndef SHOW_ROLL_H
#define SHOW_ROLL_H

#include <stdbool.h>
#include <stdio.h>

#include "status/status.h"

struct roll {
	struct cluster_filter filter;
	enum status_output format;
	bool colour;
};

/* Prints them. 1 where more than the filter's limit are there; the last one printed is then in *last, the caller's to
 * free. */
int roll_print(const struct status_options *options, const struct roll *roll, char **last, FILE *out, struct error *err);

#endif
