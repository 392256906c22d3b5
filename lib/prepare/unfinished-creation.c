/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/unfinished-creation.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "model/layout.h"
#include "model/name.h"
#include "operation/context.h"

int
unfinished_creation_keep_standing(const struct operation_context *context, struct arguments *dead, struct error *err)
{
	struct buffer text = {0};
	struct layout now;
	int result = layout_parse_text(context->documents.layout ? context->documents.layout : "", &now, err);

	if (result == 0 && now.has_cluster)
		cluster_print(&now.cluster, &text);
	for (size_t i = 0; result == 0 && i < now.node_count; i++) {
		struct node *node = &now.nodes[i];

		if (node->unready || (node->was.count == 0 && json_length(node->ipaddresses) == 0))
			arguments_push(dead, node->id);
		node->services = node->was;
		node_print(node, &text);
	}
	if (result == 0 && text.length)
		result = workdir_write(&context->job_dir, "was.ndjson", text.data, text.length, err);
	buffer_release(&text);
	layout_release(&now);
	return result;
}

/* Adds a name that is not there yet. */
static void
unfinished_creation_add(struct string_list *list, const char *name, struct arena *arena)
{
	const char **longer;

	if (name_list_has(list, name))
		return;
	longer = arena_alloc(arena, list->count + 1, sizeof *longer);
	for (size_t i = 0; i < list->count; i++)
		longer[i] = list->list[i];
	longer[list->count] = arena_string(arena, name);
	*list = (struct string_list){longer, list->count + 1};
}

static void
unfinished_creation_remove(struct string_list *list, const char *name, struct arena *arena)
{
	struct string_list rest = {0};

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], name) != 0)
			unfinished_creation_add(&rest, list->list[i], arena);
	*list = rest;
}

int
unfinished_creation_want(const struct operation_context *context, struct string_list *replaced, struct string_list *dead,
    struct arena *arena, struct error *err)
{
	struct buffer text = {0};
	struct layout wanted;
	int result = layout_parse_text(context->documents.layout ? context->documents.layout : "", &wanted, err);

	for (size_t i = 0; result == 0 && i < wanted.node_count; i++) {
		struct node *node = &wanted.nodes[i];

		if (node->is_new || node->unready)
			unfinished_creation_add(replaced, node->id, arena);
		if (node->is_new)
			unfinished_creation_remove(dead, node->id, arena);
		node->unready = false; /* as it was to be */
		node_print(node, &text);
	}
	if (result == 0)
		result = workdir_write(&context->job_dir, "wanted.ndjson", buffer_string(&text), text.length, err);
	buffer_release(&text);
	layout_release(&wanted);
	return result;
}

int
unfinished_creation_check(const char *name, const struct operation *last, struct error *err)
{
	if (operation_is_of_creation(last))
		return 0;
	return error_set(err, EX_NO, "%s: its %s (job %s) is not complete; coopr retry %s continues it", name,
	    strcmp(last->action, "delete") == 0 ? "deletion" : last->action, last->job, name);
}
