/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/prepare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/revision.h"
#include "history/measured.h"
#include "inspect/digest.h"
#include "json/credential.h"
#include "json/scan.h"
#include "model/layout.h"
#include "model/unavailable.h"
#include "prepare/choices.h"
#include "prepare/gone-machines.h"
#include "operation/context.h"
#include "operation/partial-machines.h"
#include "prepare/prepare-solve.h"
#include "prepare/restore-choice.h"
#include "prepare/unfinished-creation.h"
#include "operation/run-command.h"
#include "operation/target.h"
#include "queue/queue.h"

/* Calls the cluster by its name where an inner command, which reads records, has called it by its id. */
static int
prepare_name_cluster(const struct operation_context *context, struct error *err)
{
	char *by_id = memory_printf("cluster %s: ", context->workdir.id), *rest;

	if (strncmp(err->text, by_id, strlen(by_id)) == 0) {
		rest = memory_string(err->text + strlen(by_id));
		error_set(err, err->code, "%s: %s", context->workdir.name, rest);
		free(rest);
	}
	free(by_id);
	return -1;
}

/* Runs a command from one member of the folder to another, and releases its arguments. */
static int
prepare_run(struct arguments *arguments, const struct operation_context *context, const char *input, const char *output,
    struct error *err)
{
	int result = run_command_in_workdir(arguments, &context->job_dir, input, output, err);

	arguments_release(arguments);
	return result < 0 ? prepare_name_cluster(context, err) : 0;
}

/* Adds measured.ndjson: what was measured of tasks. It is empty where there is no queue yet, or that cannot be read. */
static void
prepare_push_measured(const struct operation_context *context, struct arguments *plan)
{
	char *path = workdir_path(&context->job_dir, "measured.ndjson");
	struct error ignored;
	struct queue *queue = queue_open(context->options->runner.spool, QUEUE_READ, &ignored);
	struct buffer text = {0};

	if (queue)
		measured_expectations(queue, &text, &ignored);
	if (file_replace(context->job_dir.fd, "measured.ndjson", buffer_string(&text), text.length, 0600, &ignored) == 0) {
		arguments_printf(plan, "--slots=%ld", context->options->runner.workers);
		arguments_printf(plan, "--history=%s", path);
	}
	buffer_release(&text);
	queue_close(queue);
	free(path);
}

/* Says of machines that were made only in part that nothing can be done on them. */
static void
prepare_push_unready(const struct operation_context *context, struct arguments *plan)
{
	struct error ignored; /* whoever plans says so */
	struct layout now;

	if (layout_parse_text(context->documents.layout ? context->documents.layout : "", &now, &ignored) == 0)
		for (size_t i = 0; i < now.node_count; i++)
			if (now.nodes[i].unready && !now.nodes[i].is_new)
				arguments_printf(plan, "--dead=%s", now.nodes[i].id);
	layout_release(&now);
}

static void
prepare_begin_plan(const struct operation_context *context, const char *max_unavailable, struct arguments *plan)
{
	run_command_init(plan, "coopr-plan");
	arguments_printf(plan, "--job=%s", context->job);
	prepare_push_measured(context, plan);
	arguments_printf(plan, "--max-unavailable=%s", max_unavailable ? max_unavailable : UNAVAILABLE_AUTO);
	prepare_push_unready(context, plan);
}

static void
prepare_push_each(struct arguments *arguments, const char *option, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		arguments_printf(arguments, "%s=%s", option, list->list[i]);
}

/* Adds an option with the layout before the operation, if the cluster exists. */
static void
prepare_push_before(const struct operation_context *context, const char *option, struct arguments *arguments)
{
	char *before = workdir_path(&context->job_dir, "was.ndjson");

	if (workdir_has(&context->job_dir, "was.ndjson"))
		arguments_printf(arguments, "%s=%s", option, before);
	free(before);
}

/* Plans the way from the layout before the operation to the new one, and releases the arguments of the plan. What would be done on a
 * machine that is on record as gone is not tried; but a repair of others is: what it leaves there, a retry does once the machine is back. */
static int
prepare_plan(const struct operation_context *context, struct arguments *plan, bool repairs, struct error *err)
{
	struct gone gone = {0};
	int result = gone_machines_find(context, &gone, err);

	prepare_push_before(context, "--from", plan);
	if (result == 0 && gone.nodes.count)
		result = gone_machines_push_leaving(context, &gone, plan, err);
	if (result == 0)
		result = prepare_run(plan, context, "layout.ndjson", "plan.ndjson", err);
	else
		arguments_release(plan);
	if (result == 0 && gone.nodes.count && !repairs)
		result = gone_machines_check_plan(context, &gone, err);
	gone_release(&gone);
	return result;
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

/* Plans the way from the layout before the operation to the new one. Nothing can be done on the dead nodes. */
static int
prepare_plan_change(struct operation_context *context, const char *max_unavailable, const struct arguments *dead, struct error *err)
{
	struct arguments plan = {0};

	prepare_begin_plan(context, max_unavailable, &plan);
	for (size_t i = 0; dead && i < dead->count; i++)
		arguments_printf(&plan, "--dead=%s", dead->list[i]);
	return prepare_plan(context, &plan, dead && dead->count, err);
}

/* Has the definitions of a request say what their scripts are: resources of the cluster's tenant, or files. A rehearsal keeps nothing of
 * these. */
static int
prepare_digest_request(const struct operation_context *context, jv *request, unsigned flags, struct error *err)
{
	struct store *store = context->account.store;
	int64_t asked_for = store_tenant(store), tenant = asked_for;
	int result = 0;

	if (context->cluster && store_find_tenant(store, context->cluster->tenant, &tenant, err) < 0)
		return -1;
	store_set_tenant(store, tenant);
	result = digest_services(request, store, flags | (context->options->dry ? 0 : DIGEST_KEEP), err);
	store_set_tenant(store, asked_for);
	return result < 0 ? error_prefix(err, "%s", context->workdir.name) : 0;
}

/* Does the same for a request in the folder. */
static int
prepare_digest(const struct operation_context *context, const char *member, struct error *err)
{
	char *path = workdir_path(&context->job_dir, member);
	struct buffer text = {0};
	jv request;
	int result = json_read_file(path, &request, err);

	free(path);
	if (result < 0)
		return -1;
	result = prepare_digest_request(context, &request, 0, err);
	json_dump(request, &text);
	buffer_byte(&text, '\n');
	if (result == 0)
		result = workdir_write(&context->job_dir, member, text.data, text.length, err);
	buffer_release(&text);
	jv_free(request);
	return result;
}

int
prepare_by_request(struct operation_context *context, const struct make_parameters *parameters, const struct arguments *given,
    const struct arguments *dead, struct error *err)
{
	static const char input[] = "input.json";
	struct arguments request = {0};

	prepare_begin_request(context, given, &request);
	prepare_push_before(context, "--nodes", &request);
	if (parameters->input &&
	    workdir_write(&context->job_dir, input, parameters->input->data, parameters->input->length, err) < 0)
		return -1;
	if (prepare_run(&request, context, parameters->input ? input : NULL, "request.json", err) < 0 || prepare_digest(context, "request.json", err) < 0 ||
	    prepare_solve(context, parameters->allow_moves, err) < 0)
		return -1;
	return prepare_plan_change(context, parameters->max_unavailable, dead, err);
}

/* Appends the request without its owner, and frees it. */
static void
prepare_dump_unowned(jv request, struct buffer *text)
{
	jv cluster = jv_object_delete(json_get(request, "cluster"), jv_string("owner"));

	json_set(&request, "cluster", cluster);
	json_dump(request, text);
	jv_free(request);
}

int
prepare_describe(const struct operation_context *context, const struct arguments *given, const struct buffer *input,
    struct buffer *text, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer out = {0};
	jv request;
	int result;

	prepare_begin_request(context, given, &arguments);
	result = run_command_in_memory(&arguments, input, &out, err);
	if (result == 0)
		result = json_parse("the request", out.data, strcspn(out.data, "\n"), &request, err);
	/* Scripts are not described: the same command continues with one that was corrected. */
	if (result == 0)
		prepare_dump_unowned(request, text);
	arguments_release(&arguments);
	buffer_release(&out);
	return result;
}

int
prepare_describe_make(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	const struct make_parameters *parameters = data;

	return prepare_describe(context, parameters->request, parameters->input, text, err);
}

static void
prepare_describe_setting(const char *setting, struct buffer *text)
{
	char *shown = credential_hide_assignment(setting);

	if (strcmp(shown, setting) != 0)
		buffer_printf(text, "%s\n", setting);
	free(shown);
}

int
prepare_describe_amend(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	const struct amend_parameters *parameters = data;

	(void)context;
	(void)err;
	if (jv_is_valid(parameters->amendment.config))
		json_dump(parameters->amendment.config, text);
	/* The line does not say which password is set. */
	for (size_t i = 0; i < parameters->amendment.settings.count; i++)
		prepare_describe_setting(parameters->amendment.settings.list[i], text);
	return 0;
}

int
prepare_make(struct operation_context *context, const void *data, struct error *err)
{
	const struct make_parameters *parameters = data;
	struct arguments given = {0}, dead = {0};
	int result;

	for (size_t i = 0; i < parameters->request->count; i++)
		arguments_push(&given, parameters->request->list[i]);
	result = context->supersedes ? unfinished_creation_keep_standing(context, &dead, err) : 0;
	for (size_t i = 0; i < dead.count; i++)
		arguments_printf(&given, "--replace=%s", dead.list[i]);
	if (result == 0)
		result = prepare_by_request(context, parameters, &given, &dead, err);
	arguments_release(&given);
	arguments_release(&dead);
	return result;
}

/* Returns the request of the cluster to be cloned, as if it had been for the new one. */
static int
prepare_clone_request(struct operation_context *context, const char *other, jv *request, struct error *err)
{
	struct cluster_documents documents = {0};
	struct cluster_list list = {0};
	int result = clusters_find(&context->account, other, &list, err);

	if (result == 0)
		result = clusters_documents(&context->account, list.list[0].id, &documents, err);
	if (result == 0)
		result = cluster_documents_request(&documents, other, request, err);
	if (result == 0) {
		amend_accept_size(request);
		amend_identity(request, context->workdir.id, context->workdir.name, context->account.user);
	}
	cluster_documents_release(&documents);
	cluster_list_release(&list);
	return result;
}

int
prepare_describe_clone(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	jv request;

	if (prepare_clone_request(context, data, &request, err) < 0)
		return -1;
	prepare_dump_unowned(request, text);
	return 0;
}

/* Has the nodes stay that a failed creation of the clone has made. */
static int
prepare_clone_standing(const struct operation_context *context, jv *request, struct arguments *dead, struct error *err)
{
	struct amendment amendment = {.config = jv_invalid(), .members = jv_invalid()};
	char *before = workdir_path(&context->job_dir, "was.ndjson");
	int result = unfinished_creation_keep_standing(context, dead, err);

	amendment.replace = (struct string_list){(const char **)dead->list, dead->count};
	if (result == 0)
		result = amend_nodes(request, before, err);
	if (result == 0 && dead->count)
		result = amend_request(request, &amendment, err);
	free(before);
	return result;
}

int
prepare_clone(struct operation_context *context, const void *data, struct error *err)
{
	struct arguments dead = {0};
	jv request;
	int result = prepare_clone_request(context, data, &request, err);

	if (result == 0) {
		result = prepare_digest_request(context, &request, DIGEST_AGAIN, err);
		if (result == 0 && context->supersedes)
			result = prepare_clone_standing(context, &request, &dead, err);
		if (result == 0)
			result = prepare_solve_write(context, request, err);
		jv_free(request);
	}
	if (result == 0)
		result = prepare_solve(context, false, err);
	if (result == 0)
		result = prepare_plan_change(context, NULL, &dead, err);
	arguments_release(&dead);
	return result;
}

/* Adds the definitions that the request lacks, as the entities are today. */
static int
prepare_define_added(const struct operation_context *context, jv *request, struct error *err)
{
	struct arguments given = {0}, arguments = {0};
	char *path = workdir_path(&context->job_dir, "today.json"), *hardwaretype, *imagetype;
	int result = choices_of(*request, &context->job_dir, &given, err);
	jv today, cluster;

	prepare_begin_request(context, &given, &arguments);
	arguments_release(&given);
	if (result == 0)
		result = run_command_in_workdir(&arguments, &context->job_dir, NULL, "today.json", err);
	arguments_release(&arguments);
	if (result == 0)
		result = prepare_digest(context, "today.json", err);
	if (result == 0)
		result = json_read_file(path, &today, err);
	free(path);
	if (result < 0)
		return -1;
	cluster = json_get(*request, "cluster");
	hardwaretype = json_get_string(cluster, "hardwaretype");
	imagetype = json_get_string(cluster, "imagetype");
	amend_definitions(request, today, "services", NULL);
	if (hardwaretype)
		amend_definitions(request, today, "hardwaretypes", hardwaretype);
	if (imagetype)
		amend_definitions(request, today, "imagetypes", imagetype);
	free(imagetype);
	free(hardwaretype);
	jv_free(cluster);
	jv_free(today);
	return 0;
}

/* Writes the request, with the nodes of a layout in the folder as the present ones. */
static int
prepare_amend_request(const struct operation_context *context, const struct amend_parameters *parameters, const char *present,
    struct error *err)
{
	char *before;
	jv request;
	int result = cluster_documents_request(&context->documents, context->workdir.name, &request, err);

	if (result < 0)
		return -1;
	before = workdir_path(&context->job_dir, present);
	result = amend_nodes(&request, before, err);
	if (result == 0)
		amend_leave_empty(&request);
	if (result == 0 && amend_request(&request, &parameters->amendment, err) < 0)
		result = err->code == EX_USAGE ? -1 : error_prefix(err, "%s", context->workdir.name);
	if (result == 0 && (parameters->amendment.add.count || json_length(parameters->amendment.members)))
		result = prepare_define_added(context, &request, err);
	if (result == 0)
		result = prepare_solve_write(context, request, err);
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

/* Solves what was amended. Where an operation was left half done, its layout may break a rule of its own, which then need not keep
 * a dead machine from being replaced: as few services move as make the layout whole. */
static int
prepare_amend_solve(const struct operation_context *context, const struct amend_parameters *parameters, struct error *err)
{
	bool half_done = context->cluster && context->cluster->status == LIFECYCLE_INCONSISTENT;

	if (parameters->amendment.open)
		return prepare_solve_open(context, parameters->allow_moves, err);
	if (prepare_solve(context, parameters->allow_moves, err) == 0)
		return 0;
	return err->code == EX_NO && half_done && parameters->amendment.replace.count ? prepare_solve(context, true, err) : -1;
}

/* Has the nodes of an incomplete cluster be those that its creation wanted. Those that it has not made are replaced with the others. */
static int
prepare_amend_creation(struct operation_context *context, struct amend_parameters *parameters, struct arena *arena, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0)
		result = unfinished_creation_check(context->workdir.name, &list.list[0], err);
	operation_list_release(&list);
	return result < 0 ? -1 : unfinished_creation_want(context, &parameters->amendment.replace, &parameters->dead, arena, err);
}

int
prepare_amend(struct operation_context *context, const void *data, struct error *err)
{
	bool creation = context->cluster && context->cluster->status == LIFECYCLE_INCOMPLETE;
	struct amend_parameters parameters = *(const struct amend_parameters *)data;
	struct arguments plan = {0};
	struct arena arena = {0};
	int result = -1;

	if (prepare_find_nodes(context, &parameters.amendment.replace, &arena, err) == 0 &&
	    prepare_find_nodes(context, &parameters.dead, &arena, err) == 0 &&
	    (creation || partial_machines_refuse(context, &parameters.amendment.replace, err) == 0) &&
	    (!creation || prepare_amend_creation(context, &parameters, &arena, err) == 0) &&
	    prepare_amend_request(context, &parameters, creation ? "wanted.ndjson" : "was.ndjson", err) == 0 &&
	    prepare_amend_solve(context, &parameters, err) == 0) {
		prepare_begin_plan(context, parameters.max_unavailable, &plan);
		if (parameters.action)
			arguments_printf(&plan, "--action=%s", parameters.action);
		prepare_push_each(&plan, "--dead", &parameters.dead);
		result = prepare_plan(context, &plan, parameters.dead.count > 0, err);
	}
	arena_release(&arena);
	return result;
}

/* Leaves machines out that are on record as gone, and says which archives the others get. A deletion stops what it can. */
static int
prepare_leave_out(struct operation_context *context, const struct action_parameters *parameters, const struct string_list *nodes,
    struct arguments *plan, struct error *err)
{
	bool is_restore = strcmp(parameters->action, action_name(ACTION_RESTORE)) == 0;
	bool is_deletion = strcmp(parameters->action, action_name(ACTION_DELETE)) == 0;
	struct string_list others = {0};
	struct gone gone = {0};
	int result = gone_machines_find(context, &gone, err);

	if (result == 0 && parameters->graceful)
		prepare_push_each(plan, "--dead", &gone.nodes);
	if (result == 0 && gone.nodes.count && !is_deletion)
		result = gone_machines_leave_out(context, &gone, parameters, nodes, &others, plan, err);
	if (result == 0 && is_restore)
		result = restore_choice_push(context, others.count ? &others : nodes, &parameters->services, parameters->archive, plan, err);
	gone_release(&gone);
	return result;
}

int
prepare_action(struct operation_context *context, const void *data, struct error *err)
{
	const struct action_parameters *parameters = data;
	struct string_list nodes = parameters->nodes;
	struct arguments plan = {0};
	struct arena arena = {0};
	int result;

	if (prepare_find_nodes(context, &nodes, &arena, err) < 0) {
		arena_release(&arena);
		return -1;
	}
	prepare_begin_plan(context, parameters->max_unavailable, &plan);
	arguments_printf(&plan, "--action=%s", parameters->action);
	prepare_push_each(&plan, "--node", &nodes);
	prepare_push_each(&plan, "--service", &parameters->services);
	if (parameters->graceful)
		arguments_push(&plan, "--graceful");
	result = prepare_leave_out(context, parameters, &nodes, &plan, err);
	arena_release(&arena);
	if (result == 0)
		return prepare_run(&plan, context, "was.ndjson", "plan.ndjson", err);
	arguments_release(&plan);
	return -1;
}

/* Tells which revision it is, and what of it comes back. */
static void
prepare_tell_revision(const struct operation_context *context, const struct revision *revision)
{
	char *text = memory_printf("%s: back to revision %" PRId64 ": its nodes and services, its configuration and its definitions of "
	    "services; data stays as it is", context->workdir.name, revision->number);

	context->options->runner.notice(text);
	free(text);
}

/* Has the definitions in the cluster record, which is the first line, use the scripts that were kept, where those of today are
 * others. */
static int
prepare_restore_scripts(const char *name, struct buffer *layout, struct error *err)
{
	size_t length = strcspn(buffer_string(layout), "\n");
	struct buffer text = {0};
	jv cluster;
	int result = json_parse("the layout", buffer_string(layout), length, &cluster, err);

	if (result < 0)
		return -1;
	result = digest_restore(&cluster, err);
	json_dump(cluster, &text);
	buffer_append(&text, layout->data + length, layout->length - length);
	buffer_release(layout);
	*layout = text;
	jv_free(cluster);
	return result < 0 ? error_prefix(err, "%s", name) : 0;
}

int
prepare_rollback(struct operation_context *context, const void *data, struct error *err)
{
	const char *name = context->workdir.name;
	struct revision revision = {0};
	struct arguments dead = {0};
	struct buffer target = {0};
	int result = revision_find(&context->account, context->cluster, ((const struct rollback_parameters *)data)->to, &revision, err);
	jv request;

	if (result == 0) {
		prepare_tell_revision(context, &revision);
		result = revision_target(&revision, name, context->documents.layout, &target, &dead, err);
	}
	if (result == 0)
		result = prepare_restore_scripts(name, &target, err);
	if (result == 0)
		result = workdir_write(&context->job_dir, "layout.ndjson", target.data, target.length, err);
	if (result == 0)
		result = revision_request(&revision, name, &request, err);
	if (result == 0) {
		result = digest_restore(&request, err);
		if (result == 0)
			result = prepare_solve_write(context, request, err);
		jv_free(request);
	}
	if (result == 0)
		result = prepare_plan_change(context, NULL, &dead, err);
	arguments_release(&dead);
	buffer_release(&target);
	revision_release(&revision);
	return result;
}
