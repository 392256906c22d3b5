/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/repair-undertake.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "operation/operate.h"
#include "probe/drift.h"

char *
repair_attempt(const struct operation_options *options, const char *tenant, const struct operation_request *request,
    struct error *err)
{
	struct operation_options ours = *options;
	struct operation_result done;
	char *job = NULL;
	int result;

	ours.ask.tenant = tenant;
	result = request->action ? operate(request, &ours, &done, err) : operate_retry(request, &ours, &done, err);
	if (result == 0 && done.job)
		job = memory_string(done.job);
	else if (result == 0)
		error_set(err, EX_TEMPFAIL, "%s: there was nothing to do", request->cluster);
	operation_result_release(&done);
	return job;
}

char *
repair_undertake(const struct operation_options *options, const char *tenant, const struct operation_request *request,
    int *worst, struct error *why)
{
	struct error err;
	char *job = repair_attempt(options, tenant, request, &err);

	if (!job && err.code != EX_TEMPFAIL)
		operation_warn(options, worst, &err);
	if (!job && why)
		*why = err;
	return job;
}

void
repair_tell(struct drift_list *drift, size_t first, size_t end, const char *job, const struct error *why)
{
	for (size_t i = first; i < end; i++) {
		drift->list[i].stage = job ? DRIFT_IN_PROGRESS : DRIFT_LEFT;
		drift->list[i].repair = job ? arena_string(&drift->arena, job) : NULL;
		drift->list[i].note = job ? NULL : arena_string(&drift->arena, why->text);
	}
}
