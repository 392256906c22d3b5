/* SPDX-License-Identifier: Apache-2.0
 *
 * From a request to its program: services that must coexist become units, rules become numbers and sets, present machines
 * that are alike become groups. Who solves it wants presolve.h, which fixes what is plain besides.
 */
#ifndef SOLVE_PROGRAM_BUILD_H
#define SOLVE_PROGRAM_BUILD_H

struct demands;
struct error;
struct program;
struct request;

/* Fills program with what the request demands, but for the demands that are dropped. The services must all be
 * defined (admit.h). Returns 0, or -1: EX_DATAERR if a number is too large to be computed with exactly. Release it
 * in any case. */
int build_program(const struct request *request, const struct demands *demands, struct program *program,
    struct error *err);

#endif
