/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a request before any search: services without a definition, requirements that are not met, services in conflict
 * or not allowed by the template.
 */
#ifndef SOLVE_ADMIT_H
#define SOLVE_ADMIT_H

struct arena;
struct error;
struct unsatisfiable;
struct request;

/* Returns 1 if the request may be solved; 0 if it is refused: because lists all reasons and conflict is the first; -1
 * (EX_DATAERR) if it contradicts itself or is too large. */
int admit(const struct request *request, struct arena *arena, struct unsatisfiable *refusal, struct error *err);

#endif
