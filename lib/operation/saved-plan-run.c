/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/saved-plan.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/addresses.h"
#include "cluster/operation-files.h"
#include "json/json.h"
#include "model/take/origin.h"
#include "operation/context.h"
#include "operation/find-cluster.h"

enum { NAMED = 3 }; /* operations in a message; the history has them all */

/* Returns whether the cluster's next operation after the plan was begun by it. */
static bool
saved_plan_was_begun(const struct operation_context *context, const struct saved_plan *plan)
{
	size_t length = strlen(plan->command);
	struct buffer command = {0};
	struct error ignored; /* then it is not known, and the cluster has changed */
	bool was = operation_file_get(context->account.store, plan->id, plan->said.operation + 1, "command", &command, &ignored) > 0 &&
	    command.length == length + 1 && memcmp(command.data, plan->command, length) == 0;

	buffer_release(&command);
	return was;
}

static int
saved_plan_refuse_twice(const struct saved_plan *plan, struct error *err)
{
	char job[JOB_ID_SIZE], id[CLUSTER_ID_SIZE];

	return error_set(err, EX_NO, "%s: this plan has been carried out already, as job %s; coopr history %s shows it", plan->said.name,
	    operation_job(plan->id, plan->said.operation + 1, job), cluster_id_text(plan->id, id));
}

/* Appends the operations since the plan was made, as far as the history is known, the newest last. */
static void
saved_plan_tell_operations(struct operation_context *context, const struct saved_plan *plan, struct buffer *text)
{
	int64_t since = context->cluster->operation - plan->said.operation;
	struct operation_list list = {0};
	struct error ignored; /* then there is less to say */

	if (since > 0 && operations_list(&context->account, context->id, 0, since, &list, &ignored) == 0)
		for (size_t i = list.count; i-- > 0;)
			if (list.count - i <= NAMED)
				buffer_printf(text, "%s%s by %s (%s)", text->length ? ", " : "", list.list[i].action,
				    list.list[i].user, operation_status_name(list.list[i].status));
	if (list.count > NAMED)
		buffer_printf(text, " and %zu more", list.count - NAMED);
	operation_list_release(&list);
}

/* Checks that an existing cluster is what the plan was made from. */
static int
saved_plan_compare(struct operation_context *context, const struct saved_plan *plan, struct error *err)
{
	const char *status = lifecycle_status_name(context->cluster->status);
	const char *layout = context->documents.layout ? context->documents.layout : "", *name = context->cluster->name;
	struct buffer what = {0};
	char digest[SAVED_MAC_SIZE];

	saved_plan_digest(layout, digest);
	if (context->cluster->operation != plan->said.operation)
		saved_plan_tell_operations(context, plan, &what);
	else if (!plan->said.status || strcmp(status, plan->said.status) != 0)
		buffer_printf(&what, "its status is %s, and was %s", status, plan->said.status ? plan->said.status : "unknown");
	else if (plan->said.recorded && strcmp(digest, plan->said.recorded) != 0)
		buffer_text(&what, "another layout is recorded");
	else
		return 0;
	error_set(err, EX_NO, "%s: the cluster has changed since the plan was made, at %s: %s; see coopr history %s; to plan again: "
	    "%s --save FILE", name, plan->said.at, what.data ? what.data : "its history is different", name, plan->said.command);
	buffer_release(&what);
	return -1;
}

/* Admits a plan of a new cluster, whose number was allotted to it and becomes no other's. Only its owner may see it, as if it
 * existed; and an admin. */
static int
saved_plan_admit_new(struct operation_context *context, const struct saved_plan *plan, struct error *err)
{
	int is_free;

	if (plan->said.owner && strcmp(plan->said.owner, context->account.user) != 0 &&
	    account_need(&context->account, ACCOUNT_ADMIN, "carrying out another's plan of a cluster", err) < 0)
		return -1;
	if (context->cluster)
		return context->cluster->id == plan->id ? saved_plan_refuse_twice(plan, err) : 0;
	is_free = clusters_is_free(&context->account, plan->id, err);
	return is_free < 0 ? -1 : is_free ? 0 : saved_plan_refuse_twice(plan, err);
}

/* Refuses a plan by which the cluster gets an address that another one has got since. */
static int
saved_plan_check_address(struct operation_context *context, const struct saved_plan *plan, struct error *err)
{
	jv request = json_get(plan->header, "request"), cluster = json_get(request, "cluster"), provider = json_get(request, "provider");
	char *address = json_get_string(cluster, "address");
	int taken = !address ? 0 : cluster_address_is_taken(context->account.store, plan->id, address,
	    origin_of(provider, ORIGIN_INSTALLATION) == ORIGIN_INSTALLATION, err);

	if (taken > 0)
		error_set(err, EX_NO, "%s: the address %s was given to another cluster since the plan was made, at %s; to plan again: %s --save FILE",
		    plan->said.name, address, plan->said.at, plan->said.command);
	free(address);
	jv_free(provider);
	jv_free(cluster);
	jv_free(request);
	return taken ? -1 : 0;
}

int
saved_plan_admit(struct operation_context *context, const void *data, struct error *err)
{
	const struct saved_plan *plan = data;
	int result = plan->said.operation == 0 ? saved_plan_admit_new(context, plan, err)
	           : saved_plan_was_begun(context, plan) ? saved_plan_refuse_twice(plan, err) : saved_plan_compare(context, plan, err);

	return result == 0 ? saved_plan_check_address(context, plan, err) : -1;
}

int
saved_plan_fits(const struct saved_plan *plan, const struct account_ask *ask, struct error *err)
{
	const struct operation_options options = {.ask = *ask};
	struct account_ask of_tenant = *ask;
	struct operation_context context;
	char id[CLUSTER_ID_SIZE];
	const char *cluster = plan->said.operation ? cluster_id_text(plan->id, id) : plan->said.name;
	int result;

	of_tenant.tenant = plan->said.tenant;
	operation_context_init(&context, &options);
	result = find_cluster_open(&context.account, &of_tenant, STORE_READ, cluster, err);
	if (result == 0 && operation_context_find(&context, cluster, err) < 0)
		result = plan->said.operation || err->code != EX_NO ? -1 : 0;
	if (result == 0 && context.cluster && context.cluster->status == LIFECYCLE_TERMINATED)
		result = error_set(err, EX_NO, "%s (%s): the cluster is terminated", plan->said.name, id);
	if (result == 0)
		result = saved_plan_admit(&context, plan, err);
	operation_context_release(&context);
	return result;
}

static void
saved_plan_append_record(jv record, struct buffer *text)
{
	json_dump(record, text);
	buffer_byte(text, '\n');
}

/* Writes a member of the operation's folder: a record, a list of them, or nothing where the plan has none. */
static int
saved_plan_restore(const struct operation_context *context, const struct saved_plan *plan, const char *name, const char *member,
    struct error *err)
{
	jv value = json_get(plan->header, name);
	struct buffer text = {0};
	int result = 0;

	if (jv_get_kind(value) == JV_KIND_OBJECT)
		saved_plan_append_record(value, &text);
	for (size_t i = 0; jv_get_kind(value) == JV_KIND_ARRAY && i < json_length(value); i++) {
		jv record = json_element(value, i);

		saved_plan_append_record(record, &text);
		jv_free(record);
	}
	if (text.length)
		result = workdir_write(&context->job_dir, member, text.data, text.length, err);
	buffer_release(&text);
	jv_free(value);
	return result;
}

int
saved_plan_prepare(struct operation_context *context, const void *data, struct error *err)
{
	const struct saved_plan *plan = data;

	if (saved_plan_restore(context, plan, "request", "request.json", err) < 0 ||
	    saved_plan_restore(context, plan, "layout", "layout.ndjson", err) < 0)
		return -1;
	return workdir_write(&context->job_dir, "plan.ndjson", plan->records, plan->length, err);
}
