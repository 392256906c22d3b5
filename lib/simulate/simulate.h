/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-work --simulate: reads a plan, carries it out on a clock of its own, and prints what came of it.
 */
#ifndef SIMULATE_SIMULATE_H
#define SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

struct simulate_options {
	uint64_t seed;
	uint32_t slots;
	double failures; /* the part of the attempts that fail, 0 to 1 */
	bool json;
	bool events;     /* print the plan and what happened, instead */
	const char *plan; /* a file; NULL: standard input */
};

/* Returns the exit code: 0, EX_NO where tasks failed for good, 65 for a bad plan, ... */
int simulate(const struct simulate_options *options);

/* Returns 0.02 for "2%" or "0.02"; -1 if the text is no such number. */
double simulate_parse_part(const char *text);

#endif
