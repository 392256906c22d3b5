/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/error.h"
#include "base/message.h"
#include "cluster/clusters.h"
#include "store/audit.h"

struct queue *
verb_open(const char *spool, enum queue_mode mode)
{
	struct error err;
	struct queue *queue = queue_open(spool, mode, &err);

	if (!queue)
		exit(message_error(&err));
	return queue;
}

/* Finds whose cluster a job is of: its id begins with the cluster's. Those of no cluster of the store are the installation's. */
static void
audit_verb_find_cluster(struct account *account, const char *job, struct audit_event *event)
{
	char *id = memory_substring(job, strcspn(job, "-"));
	struct cluster_list list = {0};
	int64_t number = cluster_id_of(id);
	struct error none;

	if (number && clusters_find_id(account, number, &list, &none) == 0 &&
	    store_find_tenant(account->store, list.list[0].tenant, &event->tenant, &none) > 0)
		event->cluster = number;
	cluster_list_release(&list);
	free(id);
}

/* job, tenant: NULL where it is of none. */
static void
audit_verb_add(struct audit_event *event, const char *job, const char *tenant)
{
	struct account account;
	struct error err;
	int result = account_open(&account, &(struct account_ask){.tenant = "default"}, STORE_WRITE, &err);

	if (result == 0) {
		store_find_tenant(account.store, RIGHTS_SUPERADMIN, &event->tenant, &err);
		if (job)
			audit_verb_find_cluster(&account, job, event);
		if (tenant)
			store_find_tenant(account.store, tenant, &event->tenant, &err);
		result = audit_add_alone(account.store, event, &err);
	}
	if (result < 0 && err.code != EX_NOINPUT)
		message("this is not in the audit log: %s", err.text);
	account_release(&account);
}

void
verb_audit_job(const char *action, const char *job)
{
	audit_verb_add(&(struct audit_event){.action = action, .kind = "job", .name = job}, job, NULL);
}

void
verb_audit_limit(const char *limit, const char *tenant)
{
	audit_verb_add(&(struct audit_event){.action = "set", .kind = "limit", .name = limit}, NULL, tenant);
}

size_t
verb_operands(const struct command *command, char *const *operands, size_t min, size_t max)
{
	size_t count = 0;

	while (operands[count])
		count++;
	if (count < min)
		exit(option_misuse(command, "missing argument JOB"));
	if (max && count > max)
		exit(option_misuse(command, "%zu job at a time, found also '%s'", max, operands[max]));
	return count;
}

void
verb_no_operands(const struct command *command, char *const *operands)
{
	if (operands[0])
		exit(option_misuse(command, "it takes no operand, found '%s'; see: coopr-queue show %s", operands[0], operands[0]));
}
