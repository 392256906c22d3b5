/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/repair-undertake.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "operation/operate.h"

char *
repair_undertake(const struct operation_options *options, const char *tenant, const struct operation_request *request,
    int *worst, struct error *why)
{
	struct operation_options ours = *options;
	struct operation_result done;
	struct error err;
	char *job = NULL;
	int result;

	ours.ask.tenant = tenant;
	result = request->action ? operate(request, &ours, &done, &err) : operate_retry(request, &ours, &done, &err);
	if (result == 0)
		job = done.job ? memory_string(done.job) : NULL;
	else if (err.code != EX_TEMPFAIL)
		operation_warn(options, worst, &err);
	if (!job && why)
		*why = err;
	operation_result_release(&done);
	return job;
}
