/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/gone-machines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
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

/* Returns whether a machine, or a service of one, was seen to be gone: of most clusters none is, whose layout need not be read. */
static bool
gone_machines_are_any(const struct observations *seen)
{
	bool any = false;

	for (size_t i = 0; i < seen->count && !any; i++)
		any = seen->list[i].answer == OBSERVATION_GONE;
	return any;
}

int
gone_machines_find(const struct operation_context *context, struct gone_machines *gone, struct error *err)
{
	const int64_t latest_ms = observation_latest_ms();

	if (!context->cluster)
		return 0;
	if (observations_read(context->account.store, context->id, &gone->seen, err) < 0)
		return -1;
	if (!gone_machines_are_any(&gone->seen))
		return 0;
	if (layout_parse_text(context->documents.layout ? context->documents.layout : "", &gone->layout, err) < 0)
		return -1;
	gone->nodes.list = arena_alloc(&gone->layout.arena, gone->layout.node_count + 1, sizeof *gone->nodes.list);
	for (size_t i = 0; i < gone->layout.node_count; i++) {
		const struct node *node = &gone->layout.nodes[i];
		const struct observation *machine = observations_find(&gone->seen, node->id, "");

		if (machine && machine->answer == OBSERVATION_GONE && machine->observed_ms <= latest_ms && !node->is_new)
			gone->nodes.list[gone->nodes.count++] = node->id;
	}
	return 0;
}

/* Appends "the machines of the nodes 1001 and 1002 are gone, as seen 2 min ago", of those in the list. */
static void
gone_machines_tell(const struct gone_machines *gone, const struct string_list *nodes, struct buffer *out)
{
	char ago[CLOCK_RFC3339_SIZE];
	int64_t seen_ms = 0;

	buffer_printf(out, "%s ", plural(nodes->count, "the machine of node", "the machines of the nodes"));
	for (size_t i = 0; i < nodes->count; i++) {
		const struct observation *machine = observations_find(&gone->seen, nodes->list[i], "");

		buffer_printf(out, "%s%" PRId64, plural_before(i, nodes->count, " and "),
		    layout_node(&gone->layout, nodes->list[i])->nodenum);
		if (machine->observed_ms > seen_ms)
			seen_ms = machine->observed_ms;
	}
	clock_span(clock_wall_ms() - seen_ms, ago);
	buffer_printf(out, " %s gone, as seen %s ago", plural(nodes->count, "is", "are"), ago);
}

/* Appends the command that replaces them. */
static void
gone_machines_tell_remedy(const struct operation_context *context, const struct gone_machines *gone, const struct string_list *nodes, struct buffer *out)
{
	buffer_printf(out, "; coopr replace --dead %s", context->workdir.name);
	for (size_t i = 0; i < nodes->count; i++)
		buffer_printf(out, " %" PRId64, layout_node(&gone->layout, nodes->list[i])->nodenum);
	buffer_printf(out, " replaces %s", plural(nodes->count, "it", "them"));
}

static int
gone_machines_refuse(const struct operation_context *context, const struct gone_machines *gone, const struct string_list *nodes, struct error *err)
{
	struct buffer text = {0};

	gone_machines_tell(gone, nodes, &text);
	gone_machines_tell_remedy(context, gone, nodes, &text);
	error_set(err, EX_NO, "%s: %s", context->workdir.name, text.data);
	buffer_release(&text);
	return -1;
}

/* Returns whether the action has something to do on the node. */
static bool
gone_machines_concerns(const struct gone_machines *gone, const struct action_parameters *parameters, const struct node *node)
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
gone_machines_leave_out(const struct operation_context *context, struct gone_machines *gone, const struct action_parameters *parameters,
    const struct string_list *nodes, struct arguments *plan, struct error *err)
{
	struct string_list left_out = {.list = arena_alloc(&gone->layout.arena, gone->nodes.count + 1, sizeof *left_out.list)};
	struct buffer text = {0};
	char *line;

	for (size_t i = 0; i < gone->nodes.count; i++)
		arguments_printf(plan, "--dead=%s", gone->nodes.list[i]);
	gone->others.list = arena_alloc(&gone->layout.arena, gone->layout.node_count + 1, sizeof *gone->others.list);
	for (size_t i = 0; i < gone->layout.node_count; i++) {
		const struct node *node = &gone->layout.nodes[i];
		struct string_list *list = name_list_has(&gone->nodes, node->id) ? &left_out : &gone->others;

		if ((!nodes->count || name_list_has(nodes, node->id)) && gone_machines_concerns(gone, parameters, node))
			list->list[list->count++] = node->id;
	}
	if (!left_out.count)
		return 0;
	if (!gone->others.count)
		return gone_machines_refuse(context, gone, &left_out, err);
	gone_machines_tell(gone, &left_out, &text);
	buffer_printf(&text, ", and %s left out", plural(left_out.count, "is", "are"));
	gone_machines_tell_remedy(context, gone, &left_out, &text);
	line = memory_printf("%s: %s", context->workdir.name, text.data);
	context->options->runner.notice(line);
	free(line);
	buffer_release(&text);
	return 0;
}

int
gone_machines_push_leaving(const struct operation_context *context, const struct gone_machines *gone, struct arguments *plan, struct error *err)
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
gone_machines_check_plan(const struct operation_context *context, const struct gone_machines *gone, struct error *err)
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
		result = gone_machines_refuse(context, gone, &needed, err);
	free(needed.list);
	plan_document_release(&plan);
	problems_release(&ignored);
	record_reader_release(&reader);
	free(path);
	return result;
}

void
gone_machines_release(struct gone_machines *gone)
{
	observations_release(&gone->seen);
	layout_release(&gone->layout);
	*gone = (struct gone_machines){0};
}
