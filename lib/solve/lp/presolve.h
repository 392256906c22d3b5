/* SPDX-License-Identifier: Apache-2.0
 *
 * The program of a request, ready to be solved.
 */
#ifndef SOLVE_LP_PRESOLVE_H
#define SOLVE_LP_PRESOLVE_H

struct demands;
struct error;
struct program;
struct request;

/* Builds the program of a request (build.h) and fixes the groups that the rules leave no choice. Returns 0, or -1 as
 * build_program. Release the program in any case. */
int presolve(const struct request *request, const struct demands *demands, struct program *program, struct error *err);

#endif
