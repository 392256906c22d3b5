/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer of coopr-solve to the request in an operation's folder, and a number of machines that follows from the rest of the
 * request.
 */
#ifndef PREPARE_SOLVE_H
#define PREPARE_SOLVE_H

#include <stdbool.h>

#include "json/json.h"

struct error;
struct operation_context;

/* Writes request.json. */
int prepare_solve_write(const struct operation_context *context, jv request, struct error *err);

/* Makes layout.ndjson of request.json. Fails with EX_NO and the solver's reason where there is none. */
int prepare_solve(const struct operation_context *context, bool allow_moves, struct error *err);

/* Does the same with as few machines as possible where the template's objective does not limit them; request.json then says how
 * many there are. */
int prepare_solve_open(const struct operation_context *context, bool allow_moves, struct error *err);

#endif
