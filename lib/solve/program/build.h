/* SPDX-License-Identifier: Apache-2.0
 *
 * From a request to its program: services that must coexist become units, rules become numbers and sets, present machines
 * that are alike become groups. Who solves it wants presolve.h, which fixes what is plain besides.
 */
#ifndef SOLVE_PROGRAM_BUILD_H
#define SOLVE_PROGRAM_BUILD_H

#include <stdbool.h>

struct cluster_template;
struct demands;
struct error;
struct program;
struct request;

/* Fills program with what the request demands, but for the demands that are dropped. The services must all be
 * defined (admit.h). Returns 0, or -1: EX_DATAERR if a number is too large to be computed with exactly. Release it
 * in any case. */
int build_program(const struct request *request, const struct demands *demands, struct program *program,
    struct error *err);

/* Returns whether a type may be used as far as the demand for one type and the template's list of types go. */
bool build_wanted(const struct demands *demands, bool hardware, const char *name);

/* Sets the least and the most machines that demands allow. */
void build_bound_machines(struct program *program, const struct demands *demands);

/* Sets named for each service that an entry or a set of the template names; the others stand everywhere. find returns the number of a
 * service in of, or NAMES_NONE. */
void build_find_named(const struct cluster_template *t, int (*find)(const void *of, const char *name), const void *of, bool *named);

#endif
