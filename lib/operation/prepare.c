/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "json/scan.h"
#include "model/layout.h"
#include "operation/choices.h"
#include "operation/context.h"
#include "operation/run-command.h"
#include "operation/target.h"

/* Runs a command from one member of the folder to another, and releases its arguments. */
static int
prepare_run(struct arguments *arguments, const struct operation_context *context, const char *input, const char *output,
    struct error *err)
{
	int result = run_command_in_workdir(arguments, &context->job_dir, input, output, err);

	arguments_release(arguments);
	return result;
}

/* Fails with the reason why there is no layout, in the solver's words. */
static int
prepare_refuse(const struct operation_context *context, const struct buffer *answer, struct error *err)
{
	struct error unread;
	char *because = NULL;
	jv conflict;

	if (answer->length && json_parse("the answer", answer->data, strcspn(answer->data, "\n"), &conflict, &unread) == 0) {
		because = json_get_string(conflict, "because");
		jv_free(conflict);
	}
	if (because)
		error_set(err, EX_NO, "%s: no layout satisfies the request: %s", context->workdir.name, because);
	free(because);
	return -1;
}

static int
prepare_solve(const struct operation_context *context, bool allow_moves, struct error *err)
{
	struct buffer request = {0}, answer = {0};
	struct arguments arguments = {0};
	int result = file_read(context->job_dir.fd, "request.json", JSON_BYTES, &request, err);

	run_command_init(&arguments, "coopr-solve");
	if (allow_moves)
		arguments_push(&arguments, "--allow-moves");
	if (result == 0 && run_command_in_memory(&arguments, &request, &answer, err) < 0)
		result = err->code == EX_NO ? prepare_refuse(context, &answer, err) : -1;
	if (result == 0)
		result = file_replace(context->job_dir.fd, "layout.ndjson", answer.data, answer.length, 0600, err);
	arguments_release(&arguments);
	buffer_release(&answer);
	buffer_release(&request);
	return result;
}

static void
prepare_begin_plan(const struct operation_context *context, const char *max_unavailable, struct arguments *arguments)
{
	run_command_init(arguments, "coopr-plan");
	arguments_printf(arguments, "--job=%s", context->job);
	if (max_unavailable)
		arguments_printf(arguments, "--max-unavailable=%s", max_unavailable);
}

static void
prepare_push_each(struct arguments *arguments, const char *option, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		arguments_printf(arguments, "%s=%s", option, list->list[i]);
}

/* Adds the layout before the operation, of an existing cluster. */
static void
prepare_push_before(const struct operation_context *context, struct arguments *arguments)
{
	char *before = workdir_path(&context->job_dir, "was.ndjson");

	if (workdir_has(&context->job_dir, "was.ndjson"))
		arguments_printf(arguments, "--from=%s", before);
	free(before);
}

static void
prepare_begin_request(const struct operation_context *context, const struct arguments *given, struct arguments *arguments)
{
	run_command_init(arguments, "coopr-request");
	for (size_t i = 0; i < given->count; i++)
		arguments_push(arguments, given->list[i]);
	arguments_printf(arguments, "--name=%s", context->workdir.name);
	arguments_printf(arguments, "--id=%s", context->workdir.id);
	arguments_printf(arguments, "--tenant=%s", context->cluster ? context->cluster->tenant : context->account.tenant);
}

static int
prepare_by_request(struct operation_context *context, const struct make_parameters *parameters, const struct arguments *given,
    struct error *err)
{
	struct arguments request = {0}, plan = {0};
	char *before = workdir_path(&context->job_dir, "was.ndjson");

	prepare_begin_request(context, given, &request);
	if (workdir_has(&context->job_dir, "was.ndjson"))
		arguments_printf(&request, "--nodes=%s", before);
	free(before);
	if (prepare_run(&request, context, NULL, "request.json", err) < 0 || prepare_solve(context, parameters->allow_moves, err) < 0)
		return -1;
	prepare_begin_plan(context, parameters->max_unavailable, &plan);
	prepare_push_before(context, &plan);
	return prepare_run(&plan, context, "layout.ndjson", "plan.ndjson", err);
}

int
prepare_make(struct operation_context *context, const void *data, struct error *err)
{
	const struct make_parameters *parameters = data;

	return prepare_by_request(context, parameters, parameters->request, err);
}

/* Makes the arguments of an upgrade: what a user chose when the cluster was created or changed stays, unless it is given
 * now: the names, the number of machines, and the configuration. */
static int
prepare_repeat_choices(const struct operation_context *context, const struct arguments *given, struct arguments *arguments,
    struct error *err)
{
	char *path = workdir_path(&context->job_dir, "config.json");
	jv request;
	int result = json_parse("the cluster's request", context->documents.wish, strlen(context->documents.wish), &request, err);

	if (result == 0) {
		result = choices_of(request, &context->job_dir, arguments, err);
		jv_free(request);
	}
	arguments_printf(arguments, "--config=%s", path);
	for (size_t i = 0; i < given->count; i++)
		arguments_push(arguments, given->list[i]);
	free(path);
	return result;
}

int
prepare_upgrade(struct operation_context *context, const void *data, struct error *err)
{
	const struct make_parameters *parameters = data;
	struct arguments given = {0};
	int result = prepare_repeat_choices(context, parameters->request, &given, err);

	if (result == 0)
		result = prepare_by_request(context, parameters, &given, err);
	arguments_release(&given);
	return result;
}

static int
prepare_write_request(const struct operation_context *context, jv request, struct error *err)
{
	struct buffer text = {0};
	int result;

	json_dump(request, &text);
	buffer_byte(&text, '\n');
	result = file_replace(context->job_dir.fd, "request.json", text.data, text.length, 0600, err);
	buffer_release(&text);
	return result;
}

/* Returns the request of another cluster that the account sees; the caller frees it. NULL with a reason. */
static char *
prepare_request_of(struct operation_context *context, const char *cluster, struct error *err)
{
	struct cluster_documents documents = {0};
	struct cluster_list list = {0};
	char *request = NULL;

	if (clusters_find(&context->account, cluster, &list, err) == 0 &&
	    clusters_documents(&context->account, list.list[0].id, &documents, err) == 0) {
		request = documents.wish;
		documents.wish = NULL;
		if (!request)
			error_set(err, EX_NO, "%s: it was never created, and cannot be cloned", cluster);
	}
	cluster_documents_release(&documents);
	cluster_list_release(&list);
	return request;
}

int
prepare_clone(struct operation_context *context, const void *data, struct error *err)
{
	const char *other = data;
	char *text = prepare_request_of(context, other, err);
	struct arguments plan = {0};
	jv request;
	int result = text ? json_parse(other, text, strlen(text), &request, err) : -1;

	free(text);
	if (result < 0)
		return -1;
	amend_identity(&request, context->workdir.id, context->workdir.name, context->account.user);
	result = prepare_write_request(context, request, err);
	jv_free(request);
	if (result < 0 || prepare_solve(context, false, err) < 0)
		return -1;
	prepare_begin_plan(context, NULL, &plan);
	return prepare_run(&plan, context, "layout.ndjson", "plan.ndjson", err);
}

/* Takes the definitions that the request lacks from one that is made today. */
static void
prepare_take_definitions(jv *request, jv today)
{
	jv cluster = json_get(*request, "cluster");
	char *hardwaretype = json_get_string(cluster, "hardwaretype"), *imagetype = json_get_string(cluster, "imagetype");

	amend_definitions(request, today, "services", NULL);
	if (hardwaretype)
		amend_definitions(request, today, "hardwaretypes", hardwaretype);
	if (imagetype)
		amend_definitions(request, today, "imagetypes", imagetype);
	free(imagetype);
	free(hardwaretype);
	jv_free(cluster);
}

/* Adds the definitions of what is added to the request, as the entities are today. */
static int
prepare_define_added(const struct operation_context *context, jv *request, struct error *err)
{
	struct arguments given = {0}, arguments = {0};
	char *path = workdir_path(&context->job_dir, "today.json");
	jv today;
	int result = choices_of(*request, &context->job_dir, &given, err);

	prepare_begin_request(context, &given, &arguments);
	arguments_release(&given);
	if (result == 0)
		result = run_command_in_workdir(&arguments, &context->job_dir, NULL, "today.json", err);
	arguments_release(&arguments);
	if (result == 0)
		result = json_read_file(path, &today, err);
	if (result == 0) {
		prepare_take_definitions(request, today);
		jv_free(today);
	}
	free(path);
	return result;
}

static int
prepare_amend_request(const struct operation_context *context, const struct amend_parameters *parameters, struct error *err)
{
	char *before = workdir_path(&context->job_dir, "was.ndjson");
	jv request;
	int result;

	result = json_parse("the cluster's request", context->documents.wish, strlen(context->documents.wish), &request, err);
	if (result < 0) {
		free(before);
		return -1;
	}
	result = amend_nodes(&request, before, err);
	if (result == 0)
		result = amend_request(&request, &parameters->amendment, err);
	if (result == 0 && (parameters->amendment.add.count || json_length(parameters->amendment.members)))
		result = prepare_define_added(context, &request, err);
	if (result == 0)
		result = prepare_write_request(context, request, err);
	jv_free(request);
	free(before);
	return result;
}

/* Replaces names of nodes, as a person gives them, by their ids, in the arena. */
static int
prepare_find_nodes(const struct operation_context *context, struct string_list *nodes, struct arena *arena, struct error *err)
{
	const struct string_list names = *nodes;
	struct layout layout;
	int result;

	if (!names.count)
		return 0;
	result = layout_parse_text(context->documents.layout ? context->documents.layout : "", &layout, err);
	if (result == 0)
		result = target_nodes(context->workdir.name, &names, &layout, arena, nodes, err);
	layout_release(&layout);
	return result;
}

int
prepare_amend(struct operation_context *context, const void *data, struct error *err)
{
	struct amend_parameters parameters = *(const struct amend_parameters *)data;
	struct arguments plan = {0};
	struct arena arena = {0};
	int result = -1;

	if (prepare_find_nodes(context, &parameters.amendment.replace, &arena, err) == 0 &&
	    prepare_find_nodes(context, &parameters.dead, &arena, err) == 0 &&
	    prepare_amend_request(context, &parameters, err) == 0 && prepare_solve(context, parameters.allow_moves, err) == 0) {
		prepare_begin_plan(context, parameters.max_unavailable, &plan);
		if (parameters.action)
			arguments_printf(&plan, "--action=%s", parameters.action);
		prepare_push_each(&plan, "--dead", &parameters.dead);
		prepare_push_before(context, &plan);
		result = prepare_run(&plan, context, "layout.ndjson", "plan.ndjson", err);
	}
	arena_release(&arena);
	return result;
}

int
prepare_action(struct operation_context *context, const void *data, struct error *err)
{
	const struct action_parameters *parameters = data;
	struct string_list nodes = parameters->nodes;
	struct arguments plan = {0};
	struct arena arena = {0};

	if (prepare_find_nodes(context, &nodes, &arena, err) < 0) {
		arena_release(&arena);
		return -1;
	}
	prepare_begin_plan(context, parameters->max_unavailable, &plan);
	arguments_printf(&plan, "--action=%s", parameters->action);
	prepare_push_each(&plan, "--node", &nodes);
	prepare_push_each(&plan, "--service", &parameters->services);
	arena_release(&arena);
	if (parameters->graceful)
		arguments_push(&plan, "--graceful");
	return prepare_run(&plan, context, "was.ndjson", "plan.ndjson", err);
}

/* Makes the layout before the last operation the target, also where that was rolled back itself. */
static int
prepare_keep_target(struct operation_context *context, struct error *err)
{
	struct operation_documents documents = {0};
	int result = operation_documents(&context->account, context->id, context->number - 1, &documents, err);

	if (result == 0 && (!documents.before || !*documents.before))
		result = error_set(err, EX_NO,
		    "%s: there was no machine before its last operation; coopr delete %s removes it",
		    context->workdir.name, context->workdir.name);
	if (result == 0)
		result = file_replace(context->job_dir.fd, "layout.ndjson", documents.before, strlen(documents.before), 0600, err);
	operation_documents_release(&documents);
	return result;
}

static bool
prepare_has_node(const struct layout *layout, const char *id)
{
	for (size_t i = 0; i < layout->node_count; i++)
		if (strcmp(layout->nodes[i].id, id) == 0)
			return true;
	return false;
}

/* Adds the machines that were never created, or only in part: they are deleted without anything done on them, since they may
 * not answer. */
static int
prepare_push_half_made(const struct operation_context *context, struct arguments *plan, struct error *err)
{
	struct buffer target = {0};
	struct layout now, then = {0};
	int result = layout_parse_text(context->documents.layout ? context->documents.layout : "", &now, err);

	if (result == 0)
		result = file_read(context->job_dir.fd, "layout.ndjson", JSON_BYTES, &target, err);
	if (result == 0)
		result = layout_parse_text(target.data ? target.data : "", &then, err);
	for (size_t i = 0; result == 0 && i < now.node_count; i++)
		if ((now.nodes[i].is_new || now.nodes[i].was.count < now.nodes[i].services.count) && !prepare_has_node(&then,
		    now.nodes[i].id))
			arguments_printf(plan, "--dead=%s", now.nodes[i].id);
	layout_release(&now);
	layout_release(&then);
	buffer_release(&target);
	return result;
}

int
prepare_rollback(struct operation_context *context, const void *parameters, struct error *err)
{
	struct arguments plan = {0};

	(void)parameters;
	if (prepare_keep_target(context, err) < 0)
		return -1;
	prepare_begin_plan(context, NULL, &plan);
	prepare_push_before(context, &plan);
	if (prepare_push_half_made(context, &plan, err) < 0) {
		arguments_release(&plan);
		return -1;
	}
	return prepare_run(&plan, context, "layout.ndjson", "plan.ndjson", err);
}
