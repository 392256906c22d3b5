/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/presolve.h"

#include "solve/lp/reduced-cost-fixing.h"
#include "solve/program/build.h"

int
presolve(const struct request *request, const struct demands *demands, struct program *program, struct error *err)
{
	if (build_program(request, demands, program, err) < 0)
		return -1;
	reduced_cost_fix_by_rules(program);
	return 0;
}
