/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/gone-machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/process.h"
#include "json/record.h"
#include "model/action.h"
#include "model/name.h"
#include "model/plan-document.h"
#include "operation/context.h"
#include "prepare/prepare.h"

/* Returns whether the action has something to do on the node. */
static bool
gone_machines_concerns(const struct gone *gone, const struct action_parameters *parameters, const struct node *node)
{
	enum action action = action_of_name(parameters->action);

	for (size_t i = 0; i < node->services.count; i++) {
		const char *service = node->services.list[i];
		const struct service *definition = cluster_definition(&gone->layout.cluster, service);

		if (parameters->services.count && !name_list_has(&parameters->services, service))
			continue;
		/* What a service may be without. */
		if ((action != ACTION_BACKUP && action != ACTION_RESTORE) || (definition && definition->actions[action].present))
			return true;
	}
	return false;
}

int
gone_machines_find(const struct operation_context *context, struct gone *gone, struct error *err)
{
	return context->cluster ? gone_find(context->account.store, context->id, context->documents.layout, gone, err) : 0;
}

int
gone_machines_leave_out(const struct operation_context *context, struct gone *gone, const struct action_parameters *parameters,
    const struct string_list *nodes, struct string_list *others, struct arguments *plan, struct error *err)
{
	struct string_list left_out = {.list = arena_alloc(&gone->layout.arena, gone->nodes.count + 1, sizeof *left_out.list)};
	struct buffer text = {0};
	char *line;

	for (size_t i = 0; i < gone->nodes.count; i++)
		arguments_printf(plan, "--dead=%s", gone->nodes.list[i]);
	others->list = arena_alloc(&gone->layout.arena, gone->layout.node_count + 1, sizeof *others->list);
	for (size_t i = 0; i < gone->layout.node_count; i++) {
		const struct node *node = &gone->layout.nodes[i];
		struct string_list *list = name_list_has(&gone->nodes, node->id) ? &left_out : others;

		if ((!nodes->count || name_list_has(nodes, node->id)) && gone_machines_concerns(gone, parameters, node))
			list->list[list->count++] = node->id;
	}
	if (!left_out.count)
		return 0;
	if (!others->count)
		return gone_refuse(gone, context->workdir.name, &left_out, err);
	gone_tell(gone, &left_out, &text);
	buffer_printf(&text, ", and %s left out", plural(left_out.count, "is", "are"));
	gone_tell_remedy(gone, context->workdir.name, &left_out, &text);
	line = memory_printf("%s: %s", context->workdir.name, text.data);
	context->options->runner.notice(line);
	free(line);
	buffer_release(&text);
	return 0;
}

int
gone_machines_push_leaving(const struct operation_context *context, const struct gone *gone, struct arguments *plan, struct error *err)
{
	char *path = workdir_path(&context->job_dir, "layout.ndjson");
	struct problems ignored = {0}; /* whoever plans tells them */
	struct record_reader reader;
	struct layout layout = {0};
	int result = record_reader_open(&reader, path, err);

	if (result == 0)
		result = layout_read(&reader, &layout, &ignored, err);
	for (size_t i = 0; result == 0 && i < gone->nodes.count; i++) {
		const struct node *node = layout_node(&layout, gone->nodes.list[i]);

		if (!node || node->leaves)
			arguments_printf(plan, "--dead=%s", gone->nodes.list[i]);
	}
	layout_release(&layout);
	problems_release(&ignored);
	record_reader_release(&reader);
	free(path);
	return result;
}

int
gone_machines_check_plan(const struct operation_context *context, const struct gone *gone, struct error *err)
{
	char *path = workdir_path(&context->job_dir, "plan.ndjson");
	struct plan_document plan = {0};
	struct problems ignored = {0};
	struct record_reader reader;
	struct string_list needed = {0};
	int result = record_reader_open(&reader, path, err);

	if (result == 0)
		result = plan_document_read(&reader, &plan, &ignored, err);
	for (size_t i = 0; result == 0 && i < plan.count; i++)
		if (plan.steps[i].node && !action_is_providers(plan.steps[i].action) && name_list_has(&gone->nodes, plan.steps[i].node))
			name_list_add(&needed, plan.steps[i].node);
	if (result == 0 && needed.count)
		result = gone_refuse(gone, context->workdir.name, &needed, err);
	free(needed.list);
	plan_document_release(&plan);
	problems_release(&ignored);
	record_reader_release(&reader);
	free(path);
	return result;
}
