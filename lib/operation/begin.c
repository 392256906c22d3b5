/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/begin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/holding.h"
#include "hook/hook.h"
#include "json/scan.h"
#include "model/request.h"
#include "operation/operate.h"

int
begin_folder(const struct operation_context *context, const struct operation_request *order, struct error *err)
{
	const char *layout = context->documents.layout;
	char *line = memory_printf("%s\n", order->command);
	int result = file_replace(context->operation.fd, "command", line, strlen(line), 0600, err);

	if (result == 0 && layout && *layout)
		result = file_replace(context->operation.fd, "was.ndjson", layout, strlen(layout), 0600, err);
	if (result < 0)
		error_prefix(err, "%s", context->operation.path);
	free(line);
	return result;
}

int
begin_ask(const struct operation_context *context, const struct operation_request *order, struct error *err)
{
	const char *layout = context->documents.layout ? context->documents.layout : "";
	const struct hook_event event = {
		.event = HOOK_START, .operation = order->action, .cluster_id = context->folder.id, .cluster = context->folder.name,
		.tenant = context->account.tenant, .owner = context->cluster ? context->cluster->owner : context->account.user,
		.user = context->account.user, .why = context->options->ask.why, .job = context->job, .layout = layout,
		.layout_length = strlen(layout),
	};

	return hook_veto(&event, err);
}

/* A member of the folder as text, which the caller frees; NULL where there is none, or with a reason. */
static char *
begin_text_of(const struct operation_context *context, const char *member, struct error *err)
{
	struct buffer text = {0};

	if (file_read(context->operation.fd, member, JSON_BYTES, &text, err) == 0)
		return buffer_take(&text);
	buffer_release(&text);
	return NULL;
}

struct record { /* what the folder says of the operation, for the store */
	char *wish, *wanted, *prices;
	struct request request; /* of wish; empty where there is none */
	struct problems problems;
};

/* What the machines of a request that is a text cost; the caller frees it. NULL with a reason. */
static char *
begin_prices_in(const char *name, const char *text, struct request *request, struct problems *problems, struct error *err)
{
	jv document;

	if (json_parse(name, text, strlen(text), &document, err) < 0)
		return NULL;
	request_parse(document, request, problems);
	jv_free(document);
	return prices_of(request);
}

/* Machines that come back, as with rollback, cost what they cost before: what the cluster's own request says. */
static int
begin_read_prices(const struct operation_context *context, struct record *record, struct error *err)
{
	const char *wish = context->documents.wish;
	struct request request;

	if (!wish || !workdir_has(&context->operation, "layout.ndjson"))
		return 0;
	record->prices = begin_prices_in("the cluster's request", wish, &request, &record->problems, err);
	if (record->prices)
		request_release(&request);
	return record->prices ? 0 : -1;
}

char *
begin_prices(const struct operation_context *context, struct error *err)
{
	char *wish = workdir_has(&context->operation, "request.json") ? begin_text_of(context, "request.json", err)
	           : memory_string(context->documents.wish ? context->documents.wish : "{}");
	struct problems problems = {0};
	struct request request;
	char *prices = wish ? begin_prices_in("the request", wish, &request, &problems, err) : NULL;

	if (prices)
		request_release(&request);
	problems_release(&problems);
	free(wish);
	return prices;
}

/* Of an operation without a request, as restart, only the layout is known: as it is. */
static int
begin_read_record(const struct operation_context *context, struct record *record, struct error *err)
{
	*record = (struct record){0};
	record->wanted = begin_text_of(context, workdir_has(&context->operation, "layout.ndjson") ? "layout.ndjson" : "was.ndjson",
	    err);
	if (!record->wanted)
		return -1;
	if (!workdir_has(&context->operation, "request.json"))
		return begin_read_prices(context, record, err);
	record->wish = begin_text_of(context, "request.json", err);
	if (record->wish)
		record->prices = begin_prices_in("request.json", record->wish, &record->request, &record->problems, err);
	return record->prices ? 0 : -1;
}

static void
begin_record_release(struct record *record)
{
	if (record->wish)
		request_release(&record->request);
	problems_release(&record->problems);
	free(record->wish);
	free(record->wanted);
	free(record->prices);
}

/* Only of a cluster that is to be made. A lease that nobody has asked for is the one that the template gives first. */
static void
begin_describe_new(const struct operation_request *order, const struct operation_context *context, const struct record *record,
    struct operation_spec *spec)
{
	const struct cluster_template *template = &record->request.template;
	int64_t lease_ms = order->lease_ms < 0 ? template->lease_initial_ms : order->lease_ms;

	spec->create.name = context->folder.name;
	spec->create.provider = record->request.provider.name;
	spec->create.owner = order->owner;
	spec->create.group = order->group;
	spec->create.applied = order->applied;
	spec->create.expires_ms = lease_ms ? clock_wall_ms() + lease_ms : 0;
	spec->create.lease_max_ms = template->lease_max_ms;
	spec->create.lease_step_ms = template->lease_step_ms;
}

/* As Coopr has it: the first lease is at most the template's; for ever only where that is. */
static int
begin_check_lease(const struct operation_request *order, const struct record *record, struct error *err)
{
	int64_t most = record->request.template.lease_initial_ms;

	if (order->lease_ms < 0 || most == 0 || (order->lease_ms > 0 && order->lease_ms <= most))
		return 0;
	return error_set(err, EX_NO, "the template %s allows a first lease of %lld s at most", record->request.template.name,
	    (long long)(most / 1000));
}

int
begin_record(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	struct operation_list list = {0};
	struct operation_spec spec = {.action = order->action, .cluster = context->id, .number = context->number};
	struct record record;
	int result = begin_read_record(context, &record, err);

	spec.revision = context->cluster ? context->cluster->revision : -1;
	spec.wanted = record.wanted;
	spec.wish = record.wish;
	spec.prices = record.prices;
	spec.template = record.wish ? record.request.template.name : NULL;
	if (result == 0 && !context->cluster) {
		result = begin_check_lease(order, &record, err);
		begin_describe_new(order, context, &record, &spec);
	}
	if (result == 0)
		result = operation_begin(&context->account, &spec, &list, err);
	operation_list_release(&list);
	begin_record_release(&record);
	return result;
}

int
begin_again(struct operation_context *context, const struct operation *operation, struct error *err)
{
	struct chain chain = {context->options->runner, &context->operation, context->job};
	char *text;
	int result;

	context->number = operation->number;
	snprintf(context->job, sizeof context->job, "%s", operation->job);
	if (operation->status < OPERATION_COMPLETE)
		return 0;
	text = memory_printf("job %s %s before: what is not done of it is tried again", context->job,
	    operation->status == OPERATION_FAILED ? "failed" : "was cancelled");
	context->options->runner.notice(text);
	free(text);
	result = operation_reopen(&context->account, context->id, context->number, err);
	return result < 0 ? -1 : operation_job_retry(&chain, err);
}
