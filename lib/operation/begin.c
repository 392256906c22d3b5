/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/begin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/hash.h"
#include "account/holding.h"
#include "cluster/gone.h"
#include "cluster/operation-files.h"
#include "cluster/stateful.h"
#include "hook/hook.h"
#include "json/scan.h"
#include "model/action.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/request.h"
#include "model/take/origin.h"
#include "operation/admission.h"
#include "operation/job.h"
#include "operation/operate.h"
#include "queue/read.h"

int
begin_digest(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct buffer text = {0};
	int result = request->describe ? request->describe(context, request->parameters, &text, err) : 0;

	*context->digest = '\0';
	if (result == 0 && request->describe)
		snprintf(context->digest, sizeof context->digest, "%016" PRIx64, hash_bytes(HASH_START, buffer_string(&text), text.length));
	buffer_release(&text);
	return result;
}

int
begin_is_same(struct operation_context *context, const struct operation *operation, struct error *err)
{
	struct buffer recorded = {0};
	int got = operation_file_get(context->account.store, operation->cluster, operation->number, "digest", &recorded, err);
	int same = got < 0 ? -1 : got == 0 || strcmp(buffer_string(&recorded), context->digest) == 0;

	buffer_release(&recorded);
	return same;
}

int
begin_folder(const struct operation_context *context, const struct operation_request *request, struct error *err)
{
	const char *layout = context->documents.layout;
	char *line = memory_printf("%s\n", request->command);
	int result = workdir_write(&context->job_dir, "command", line, strlen(line), err);
	struct buffer standing = {0};
	struct layout parsed;

	if (result == 0 && layout && *layout) {
		result = layout_parse_text(layout, &parsed, err);
		if (result == 0 && !layout_is_whole(&parsed))
			layout_print_standing(&parsed, &standing);
		layout_release(&parsed);
		if (result == 0)
			result = workdir_write(&context->job_dir, "was.ndjson", standing.length ? standing.data : layout,
			    standing.length ? standing.length : strlen(layout), err);
	}
	buffer_release(&standing);
	free(line);
	return result;
}

int
begin_ask(const struct operation_context *context, const struct operation_request *request, struct error *err)
{
	const char *layout = context->documents.layout ? context->documents.layout : "";
	const struct hook_event event = {
		.event = HOOK_START, .operation = request->action, .cluster_id = context->workdir.id, .cluster = context->workdir.name,
		.tenant = context->account.tenant, .owner = context->cluster ? context->cluster->owner : context->account.user,
		.user = context->account.user, .why = context->options->ask.why, .job = context->job, .layout = layout,
		.layout_length = strlen(layout),
	};

	return hook_veto(context->account.store, &event, err);
}

/* Returns a member of the folder as text, which the caller frees; NULL with a reason. */
static char *
begin_text_of(const struct operation_context *context, const char *member, struct error *err)
{
	struct buffer text = {0};

	if (file_read(context->job_dir.fd, member, JSON_BYTES, &text, err) == 0)
		return buffer_take(&text);
	buffer_release(&text);
	return NULL;
}

struct record { /* the operation's documents, for the store */
	char *request, *wanted, *prices, *plan, *address; /* address: NULL: none */
	struct request parsed; /* the request; empty where there is none */
};

/* Parses a request from its text, and returns what its machines cost; the caller frees both, the request always. NULL with a
 * reason. */
static char *
begin_prices_in(const char *name, const char *text, struct request *request, struct error *err)
{
	struct problems problems = {0}; /* the request was made by coopr-request */
	jv document;

	*request = (struct request){0};
	if (json_parse(name, text, strlen(text), &document, err) < 0)
		return NULL;
	request_parse(document, request, &problems);
	problems_release(&problems);
	jv_free(document);
	return prices_of(request);
}

/* Returns what machines cost, see prices_of, by the request in the folder, or else by the cluster's own. The caller frees
 * it; NULL with a reason. */
static char *
begin_prices(const struct operation_context *context, struct error *err)
{
	char *text = workdir_has(&context->job_dir, "request.json") ? begin_text_of(context, "request.json", err)
	           : memory_string(context->documents.request ? context->documents.request : "{}");
	struct request request = {0};
	char *prices = text ? begin_prices_in("the request", text, &request, err) : NULL;

	request_release(&request);
	free(text);
	return prices;
}

/* Sets names to the services with data as the catalogue says today, where the cluster's record says nothing of it. */
static int
begin_stateful(const struct operation_context *context, jv record, jv *names, struct error *err)
{
	struct place place = place_root(record, NULL);
	struct cluster cluster = {.source = jv_invalid()};
	struct arena arena = {0};
	int result;

	cluster_parse(&place, &arena, &cluster);
	result = stateful_today(context->account.store, &cluster, context->documents.request, names, err);
	cluster_release(&cluster);
	arena_release(&arena);
	return result;
}

int
begin_basis(const struct operation_context *context, struct preview_basis *basis, struct error *err)
{
	const char *layout = context->documents.layout;
	char *prices = begin_prices(context, err);
	int result = prices ? json_parse("prices", prices, strlen(prices), &basis->prices, err) : -1;
	jv cluster;

	free(prices);
	basis->cost = context->cluster ? context->cluster->cost : 0;
	if (result == 0 && layout && *layout) {
		result = json_parse("the layout", layout, strcspn(layout, "\n"), &cluster, err);
		if (result == 0) {
			basis->config = json_get(cluster, "config");
			result = begin_stateful(context, cluster, &basis->stateful, err);
			jv_free(cluster);
		}
	}
	return result;
}

/* Reads the documents from the folder. An operation without a request, as restart, keeps the layout as it is; one with a
 * layout only, as rollback, brings back machines, which cost what the cluster's own request says. */
static int
begin_read_record(const struct operation_context *context, struct record *record, struct error *err)
{
	bool has_layout = workdir_has(&context->job_dir, "layout.ndjson");

	*record = (struct record){.wanted = begin_text_of(context, has_layout ? "layout.ndjson" : "was.ndjson", err)};
	record->plan = record->wanted ? begin_text_of(context, "plan.ndjson", err) : NULL;
	if (!record->plan)
		return -1;
	if (workdir_has(&context->job_dir, "request.json")) {
		record->request = begin_text_of(context, "request.json", err);
		if (record->request)
			record->prices = begin_prices_in("request.json", record->request, &record->parsed, err);
	} else if (has_layout && context->documents.request) {
		record->prices = begin_prices(context, err);
	} else {
		return 0;
	}
	record->address = json_get_string(record->parsed.cluster.source, "address");
	return record->prices ? 0 : -1;
}

/* Describes a cluster that is to be created. A lease that was not asked for is the one that the template gives first; one
 * that was asked for is at most that, and only for ever where that is. */
static int
begin_describe_new(const struct operation_request *request, const struct operation_context *context, const struct record *record,
    struct operation_spec *spec, struct error *err)
{
	const struct cluster_template *template = &record->parsed.template;
	int64_t most = template->lease_initial_ms, lease_ms = request->lease_ms < 0 ? most : request->lease_ms;
	char text[CLOCK_RFC3339_SIZE];

	if (most && (lease_ms == 0 || lease_ms > most))
		return error_set(err, EX_NO, "the template %s allows a first lease of %s at most; ask for less, and extend it later with "
		    "coopr lease", template->name, clock_duration(most, text));
	spec->create.name = context->workdir.name;
	spec->create.provider = record->parsed.provider.name;
	spec->create.owner = request->owner;
	spec->create.group = request->group;
	spec->create.applied = request->applied;
	spec->create.expires_ms = lease_ms ? clock_wall_ms() + lease_ms : 0;
	spec->create.lease_discards_data = context->options->discard_data;
	spec->create.lease_max_ms = template->lease_max_ms;
	spec->create.lease_step_ms = template->lease_step_ms;
	return 0;
}

/* Describes the operation by the documents that its folder holds, but for its files. */
static int
begin_describe(const struct operation_context *context, const struct operation_request *request, struct record *record,
    struct operation_spec *spec, struct error *err)
{
	int result = begin_read_record(context, record, err);

	*spec = (struct operation_spec){.action = context->supersedes ? "retry" : request->action, .cluster = context->id,
	    .number = context->number, .revision = context->cluster ? context->cluster->revision : -1, .wanted = record->wanted,
	    .request = record->request, .prices = record->prices, .address = record->address,
	    .address_shared = origin_of(record->parsed.provider.source, ORIGIN_INSTALLATION) == ORIGIN_INSTALLATION, .volume_cost = context->volume_cost,
	    .template = record->parsed.template.name};
	return result == 0 && !context->cluster ? begin_describe_new(request, context, record, spec, err) : result;
}

static void
begin_record_release(struct record *record)
{
	request_release(&record->parsed);
	free(record->request);
	free(record->address);
	free(record->wanted);
	free(record->prices);
	free(record->plan);
}

int
begin_admit(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct operation_spec spec;
	struct record record;
	int result = begin_describe(context, request, &record, &spec, err);

	if (result == 0)
		result = operation_admit(&context->account, &spec, err);
	begin_record_release(&record);
	return result;
}

int
begin_record(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct operation_list list = {0};
	struct operation_spec spec;
	struct record record;
	int result = begin_describe(context, request, &record, &spec, err);
	char *command = memory_printf("%s\n", request->command), *spool = operation_job_spool(&context->options->runner);
	const struct operation_file files[] = {{"command", command, strlen(command)},
		{"plan.ndjson", record.plan, record.plan ? strlen(record.plan) : 0}, {"spool", spool, strlen(spool)},
		{"digest", context->digest, strlen(context->digest)}};

	spec.files = files;
	spec.file_count = sizeof files / sizeof *files;
	spec.secrets = context->options->secrets;
	spec.secret_count = context->options->secret_count;
	if (result == 0)
		result = operation_begin(&context->account, &spec, &list, err);
	operation_list_release(&list);
	begin_record_release(&record);
	free(command);
	free(spool);
	return result;
}

/* Gives an operation that is continued the secrets that its command was given. */
static int
begin_set_secrets(struct operation_context *context, struct error *err)
{
	const struct operation_options *options = context->options;
	struct store *store = context->account.store;

	if (options->secret_count == 0)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	return store_finish(store, operation_secrets_set(store, context->id, context->number, options->secrets, options->secret_count, err),
	    err);
}

/* Adds to needed those of the gone machines on which something is left to do. Returns whether something is left to do on others, too. What a
 * machine is yet to be made for is left to that. */
static bool
begin_sort_tasks(const struct gone *gone, const struct queue_task_status *list, size_t count, struct string_list *needed)
{
	struct string_list made = {0};
	bool others = false;

	for (size_t i = 0; i < count; i++)
		if (list[i].node && (list[i].planned == ACTION_CREATE || list[i].planned == ACTION_CONFIRM))
			name_list_add(&made, list[i].node);
	for (size_t i = 0; i < count; i++)
		if (list[i].node && name_list_has(&gone->nodes, list[i].node) && !name_list_has(&made, list[i].node)) {
			if (!action_is_providers(list[i].planned))
				name_list_add(needed, list[i].node);
		} else if (list[i].node) {
			others = true;
		}
	free(made.list);
	return others;
}

int
begin_check_machines(const struct operation_context *context, const struct operation *operation, struct error *err)
{
	const struct queue_filter left = {.statuses = ~(1U << STEP_DONE | 1U << STEP_SKIPPED)};
	struct queue_task_status *list = NULL;
	struct string_list needed = {0};
	struct arena arena = {0};
	struct gone gone = {0};
	struct queue *queue = NULL;
	size_t count = 0;
	int result = operation->status < OPERATION_COMPLETE ? 0
	    : gone_find(context->account.store, context->id, context->documents.layout, &gone, err);
	bool others;

	if (result == 0 && gone.nodes.count) {
		queue = queue_open(context->options->runner.spool, QUEUE_READ, err);
		result = queue ? queue_tasks(queue, operation->job, &left, &arena, &list, &count, err) : -1;
		if (result < 0 && err->code == EX_NO)
			result = 0; /* there is no such job, as who retries it is told */
	}
	others = result == 0 && begin_sort_tasks(&gone, list, count, &needed);
	/* What replaces others goes on, and a retry does the rest once the machine is back. */
	if (result == 0 && needed.count && !(others && strcmp(operation->action, "replace") == 0))
		result = gone_refuse(&gone, context->workdir.name, &needed, err);
	if (queue)
		queue_close(queue);
	free(needed.list);
	arena_release(&arena);
	gone_release(&gone);
	return result;
}

int
begin_again(struct operation_context *context, const struct operation *operation, struct error *err)
{
	const struct operation_job job = {context->options->runner, &context->job_dir, context->job};
	char *text;

	context->number = operation->number;
	snprintf(context->job, sizeof context->job, "%s", operation->job);
	if (begin_set_secrets(context, err) < 0)
		return -1;
	if (operation->status < OPERATION_COMPLETE)
		return 0;
	if (admission_check(context, operation->action, err) < 0)
		return -1;
	text = memory_printf("job %s %s before; its tasks that are not done are retried", context->job,
	    operation->status == OPERATION_FAILED ? "failed" : "was cancelled");
	context->options->runner.notice(text);
	free(text);
	if (operation_reopen(&context->account, context->id, context->number, err) < 0)
		return -1;
	return operation_job_retry(&job, err);
}
