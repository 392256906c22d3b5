/* SPDX-License-Identifier: Apache-2.0
 *
 * A pattern describes one machine; a region is a set of patterns.
 */
#ifndef SOLVE_PROGRAM_PATTERN_H
#define SOLVE_PROGRAM_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/program/program.h"

struct pattern {
	int group, hardware;
	uint64_t *units;
	int kind; /* the number of the kind that it is of, if all but its group is fixed; see fix_kind */
};

struct region { /* some of all patterns */
	int group, hardware;      /* or ANY */
	int zone;                 /* of the group, or ANY */
	uint64_t *with, *without; /* units it has, and has not */
	int class;                /* as pattern_class; or ANY: all machines that are there */
};

/* Returns the region of all machines that are there, with sets of its own in an arena. */
struct region region_all(const struct program *program, struct arena *arena);

/* Returns whether a pattern is in a region. */
bool region_has(const struct program *program, const struct region *region, const struct pattern *pattern);

bool region_same(const struct program *program, const struct region *a, const struct region *b);

/* Returns the region of one pattern alone, in an arena. */
struct region *pattern_region(const struct program *program, const struct pattern *pattern, struct arena *arena);

bool pattern_same(const struct program *program, const struct pattern *a, const struct pattern *b);

/* Returns what becomes of a machine of that pattern; DEPARTURE_NONE: it is there. */
enum departure pattern_departure(const struct program *program, const struct pattern *pattern);

/* pattern_class returns the number of a fixed kind, CLASS_LEAVES for machines that leave, and CLASS_OPEN for all others. */
enum { CLASS_OPEN = 0, CLASS_LEAVES = -2 };
int pattern_class(const struct program *program, const struct pattern *pattern);

/* Return how many moves a machine of that pattern is, and how many unaffected services go with it if it leaves
 * because fewer machines are asked for. */
int64_t pattern_moves(const struct program *program, const struct pattern *pattern);
int64_t pattern_lost(const struct program *program, const struct pattern *pattern);

/* Returns what a machine of that pattern adds to an objective. */
int64_t pattern_weight(const struct program *program, enum objective objective, const struct pattern *pattern);

/* Returns the number of services on a machine of that pattern. */
size_t pattern_size(const struct program *program, const uint64_t *units);

#endif
