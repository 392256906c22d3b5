/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/partial-machines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "model/layout.h"
#include "model/name.h"
#include "operation/context.h"

/* Reads the present layout; an empty one where it cannot be read, which whoever plans tells. */
static void
partial_machines_read(const struct operation_context *context, struct layout *layout)
{
	struct error ignored;

	(void)layout_parse_text(context->documents.layout ? context->documents.layout : "", layout, &ignored);
}

/* Returns whether the node is such a machine, and one of those, by their ids; NULL: any. */
static bool
partial_machines_is_one(const struct node *node, const struct string_list *nodes)
{
	return node->unready && !node->is_new && (!nodes || name_list_has(nodes, node->id));
}

char *
partial_machines_told(const struct operation_context *context)
{
	struct layout layout;
	struct buffer names = {0};
	size_t count = 0, told = 0;
	char *text = NULL;

	partial_machines_read(context, &layout);
	for (size_t i = 0; i < layout.node_count; i++)
		count += partial_machines_is_one(&layout.nodes[i], NULL);
	for (size_t i = 0; i < layout.node_count; i++)
		if (partial_machines_is_one(&layout.nodes[i], NULL)) {
			buffer_printf(&names, "%s%" PRId64, plural_before(told, count, " and "), layout.nodes[i].nodenum);
			told++;
		}
	if (count > 0)
		text = memory_printf("%s %s made only in part; coopr rollback %s deletes %s", names.data, plural(count, "was", "were"),
		    context->workdir.name, plural(count, "it", "them"));
	layout_release(&layout);
	buffer_release(&names);
	return text;
}

int
partial_machines_refuse(const struct operation_context *context, const struct string_list *nodes, struct error *err)
{
	struct layout layout;
	bool is_one = false;
	char *text;

	partial_machines_read(context, &layout);
	for (size_t i = 0; i < layout.node_count; i++)
		is_one = is_one || partial_machines_is_one(&layout.nodes[i], nodes);
	layout_release(&layout);
	if (!is_one)
		return 0;
	text = partial_machines_told(context);
	error_set(err, EX_NO, "%s: %s", context->workdir.name, text);
	free(text);
	return -1;
}
