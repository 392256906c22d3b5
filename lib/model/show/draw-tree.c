/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/draw.h"

#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/plural.h"
#include "base/table.h"
#include "model/show/grouping.h"

enum { AFTER_SHOWN = 6 };

struct tree {
	const struct plan_document *document;
	struct grouping groups;
	struct table table;
	struct buffer text;
};

/* Appends the steps that a step comes after: those of its own node by id alone, others with what they do. */
static void
draw_append_after(const struct tree *tree, const struct step *step, struct buffer *out)
{
	size_t count = step->after.count, shown = count <= AFTER_SHOWN ? count : AFTER_SHOWN - 1;

	buffer_text(out, count ? "after " : "");
	for (size_t i = 0; i < shown; i++) {
		const struct step *before = grouping_step(&tree->groups, step->after.list[i]);

		buffer_printf(out, "%s%s", i ? ", " : "", step->after.list[i]);
		if (!before || (!before->is_milestone && !step->is_milestone && strcmp(before->node, step->node) == 0))
			continue;
		buffer_text(out, " (");
		grouping_describe(before, out);
		if (!before->is_milestone)
			buffer_printf(out, " on %s", before->node);
		buffer_byte(out, ')');
	}
	if (shown < count)
		buffer_printf(out, " and %zu more", count - shown);
}

static void
draw_add_row(struct tree *tree, enum terminal_style style, int indent, const char *a, const char *b, const char *c)
{
	table_cell(&tree->table, style, "%*s%s", indent, "", a);
	table_cell(&tree->table, STYLE_PLAIN, "%s", b ? b : "");
	table_cell(&tree->table, STYLE_DIM, "%s", c ? c : "");
}

static void
draw_add_steps(struct tree *tree, size_t group)
{
	const struct grouping *groups = &tree->groups;

	for (size_t i = groups->first[group]; i < groups->first[group + 1]; i++) {
		const struct step *step = &tree->document->steps[groups->steps[i]];

		table_cell(&tree->table, STYLE_DIM, "    %s", step->id);
		buffer_clear(&tree->text);
		grouping_describe(step, &tree->text);
		table_cell(&tree->table, STYLE_PLAIN, "%s", tree->text.data);
		buffer_clear(&tree->text);
		draw_append_after(tree, step, &tree->text);
		table_cell(&tree->table, STYLE_DIM, "%s", tree->text.data);
	}
}

bool
draw_is_layout(const struct plan_document *document)
{
	return !document->has_job && document->count == 0;
}

const char *
draw_title(const struct plan_document *document)
{
	return document->has_job ? document->job.action : draw_is_layout(document) ? "layout" : "plan";
}

/* A layout alone has services to show below a node, a plan has tasks. */
static void
draw_add_node(struct tree *tree, size_t number)
{
	const struct layout *layout = &tree->document->layout;
	const struct node *node = number < layout->node_count ? &layout->nodes[number] : NULL;
	const char *state = !node ? NULL : node->leaves ? "leaves" : node->is_new ? "new" : NULL;

	draw_add_row(tree, STYLE_BOLD, 2, tree->groups.nodes.list[number], node ? node->hostname : NULL, state);
	draw_add_steps(tree, number);
	for (size_t i = 0; node && draw_is_layout(tree->document) && i < node->services.count; i++)
		draw_add_row(tree, STYLE_PLAIN, 4, node->services.list[i], NULL, NULL);
}

/* The root: what it is all about. */
static void
draw_add_heading(struct tree *tree)
{
	const struct plan_document *document = tree->document;
	const struct cluster *cluster = &document->layout.cluster;
	char duration[CLOCK_RFC3339_SIZE];

	buffer_clear(&tree->text);
	if (document->has_job)
		buffer_printf(&tree->text, "%zu task%s, expected duration %s", document->job.tasks, plural(document->job.tasks, "", "s"), document->job.runs == 0 ? "unknown"
		    : clock_duration((int64_t)(document->job.expected_s * 1000), duration));
	draw_add_row(tree, STYLE_BOLD, 0, draw_title(document),
	    document->layout.has_cluster ? cluster->name : document->has_job ? document->job.cluster : NULL, tree->text.data);
}

void
draw_tree(const struct plan_document *document, FILE *stream, bool colour)
{
	static const char *const columns[] = {"STEP", "WHAT", "AFTER", NULL};
	struct tree tree = {.document = document};

	grouping_init(&tree.groups, document);
	table_columns(&tree.table, columns);
	draw_add_heading(&tree);
	for (size_t i = 0; i < tree.groups.nodes.count; i++)
		draw_add_node(&tree, i);
	if (tree.groups.first[tree.groups.nodes.count] < document->count) {
		draw_add_row(&tree, STYLE_BOLD, 2, "milestones", NULL, NULL);
		draw_add_steps(&tree, tree.groups.nodes.count);
	}
	table_print(&tree.table, stream, colour, false);
	table_release(&tree.table);
	buffer_release(&tree.text);
	grouping_release(&tree.groups);
}
