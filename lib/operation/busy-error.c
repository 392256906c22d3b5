/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/busy-error.h"

#include "base/error.h"
#include "operation/context.h"

static int
busy_error_set(const struct operation_context *context, const struct operation *operation, const char *more, struct error *err)
{
	const char *name = context->cluster->name;

	return error_set(err, EX_TEMPFAIL, "%s: job %s (%s) is under way: coopr-queue wait %s, or coopr abort %s%s%s", name,
	    operation->job, operation->action, operation->job, name, more, *more ? name : "");
}

int
busy_error(const struct operation_context *context, const struct operation *operation, struct error *err)
{
	return busy_error_set(context, operation, "; where no worker runs: coopr retry ", err);
}

int
busy_error_locked(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	struct error ignored; /* then err says what is known */

	if (operation_last(&context->account, context->id, &list, &ignored) > 0 && list.list[0].status < OPERATION_COMPLETE)
		busy_error_set(context, &list.list[0], "", err);
	operation_list_release(&list);
	return -1;
}

int
busy_error_exists(const struct operation_context *context, struct error *err)
{
	const struct cluster_record *cluster = context->cluster;

	return error_set(err, EX_NO,
	    "%s: there is a cluster of this name, %s, owned by %s; see coopr show %s, or remove it by coopr delete %s",
	    cluster->name, lifecycle_status_name(cluster->status), cluster->owner, cluster->name, cluster->name);
}
