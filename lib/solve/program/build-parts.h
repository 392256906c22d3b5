/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts that build_program is made of.
 */
#ifndef SOLVE_PROGRAM_BUILD_PARTS_H
#define SOLVE_PROGRAM_BUILD_PARTS_H

#include "solve/program/program.h"

/* Takes capacities and consumption as whole numbers. */
int build_amounts(struct program *program, const struct demands *demands, struct error *err);

/* Takes the objectives, first to last, and what machines add to each. */
int build_objectives(struct program *program, struct error *err);

/* Takes what the rules say of the units: numbers, types, who may stand with whom, count rules, choices. */
int build_rules(struct program *program, const struct demands *demands, struct error *err);

/* Finds which units can stand in the place of which. */
void build_betters(struct program *program);

/* Bounds the number of machines and finds the types that new ones may have. */
int build_machines(struct program *program, const struct demands *demands, struct error *err);

/* Takes all zones there are. */
void build_zones(struct program *program, const struct demands *demands);

/* Make the group of new machines; those of present ones, and put moves among the objectives. */
void build_new(struct program *program);
void build_present(struct program *program, const struct demands *demands);

#endif
