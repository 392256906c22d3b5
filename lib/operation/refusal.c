/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/refusal.h"

#include "base/error.h"
#include "operation/operate.h"

static int
refusal_refuse(const struct site *site, const struct operation *operation, const char *more, struct error *err)
{
	const char *name = site->cluster->name;

	return error_set(err, EX_TEMPFAIL, "%s: job %s (%s) is under way: coopr-queue wait %s, or coopr abort %s%s%s", name,
	    operation->job, operation->action, operation->job, name, more, *more ? name : "");
}

int
refuse_busy(const struct site *site, const struct operation *operation, struct error *err)
{
	return refusal_refuse(site, operation, "; where no worker runs: coopr retry ", err);
}

int
refuse_locked(struct site *site, struct error *err)
{
	struct operation_list list = {0};
	struct error ignored; /* then err says what is known */

	if (operation_last(&site->account, site->id, &list, &ignored) > 0 && list.list[0].status < OPERATION_COMPLETE)
		refusal_refuse(site, &list.list[0], "", err);
	operation_list_release(&list);
	return -1;
}

int
refuse_present(const struct site *site, struct error *err)
{
	const struct cluster_record *cluster = site->cluster;

	return error_set(err, EX_NO,
	    "%s: there is such a cluster already, %s, of %s: coopr show %s; to make it anew: coopr delete %s",
	    cluster->name, life_status_name(cluster->status), cluster->owner, cluster->name, cluster->name);
}
