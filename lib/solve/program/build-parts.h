/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts that build_program is made of.
 */
#ifndef SOLVE_PROGRAM_BUILD_PARTS_H
#define SOLVE_PROGRAM_BUILD_PARTS_H

#include "solve/program/program.h"

/* Capacities and consumption as whole numbers. */
int build_amounts(struct program *program, const struct demands *demands, struct error *err);

/* The objectives, first to last, and what machines add to each. */
int build_objectives(struct program *program, struct error *err);

/* What the rules say of the units: numbers, types, who may stand with whom, count rules, choices. */
int build_rules(struct program *program, const struct demands *demands, struct error *err);

/* Which units can stand in the place of which. */
void build_betters(struct program *program);

/* What the numbers imply for a single machine. */
void build_bounds(struct program *program);

/* How many machines, and which types new ones may have. */
int build_machines(struct program *program, const struct demands *demands, struct error *err);

/* All zones there are. */
void build_zones(struct program *program, const struct demands *demands);

/* The new machines; the present ones, and where moves stand among the objectives. */
void build_new(struct program *program);
void build_present(struct program *program, const struct demands *demands);

#endif
