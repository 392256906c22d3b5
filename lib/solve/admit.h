/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be said of a request before any search: services without a definition, requirements that are not met,
 * services in conflict or not allowed by the template.
 */
#ifndef SOLVE_ADMIT_H
#define SOLVE_ADMIT_H

struct arena;
struct error;
struct refusal;
struct request;

/* 1: it may be solved; 0: it is refused, because lists all reasons and conflict is the first of them; -1: it is
 * not to be understood (EX_DATAERR) or asks for what is not supported (EX_UNAVAILABLE). */
int admit(const struct request *request, struct arena *arena, struct refusal *refusal, struct error *err);

#endif
