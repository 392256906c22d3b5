/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "model/show/grouping.h"

/* A string of the language: quotes and backslashes escaped. */
static void
draw_append_quoted(const char *text, struct buffer *out)
{
	char *shown = memory_string(text);

	printable(shown);
	buffer_byte(out, '"');
	for (const char *c = shown; *c; c++) {
		if (*c == '"' || *c == '\\')
			buffer_byte(out, '\\');
		buffer_byte(out, *c);
	}
	buffer_byte(out, '"');
	free(shown);
}

/* A step is named by its place: ids of the document may be anything, or the same twice. */
static void
draw_append_step(const struct step *step, size_t number, bool critical, struct buffer *out)
{
	struct buffer label = {0};

	grouping_describe(step, &label);
	buffer_printf(out, "\ts%zu [label=", number);
	draw_append_quoted(label.data, out);
	buffer_text(out, ", tooltip=");
	draw_append_quoted(step->id, out);
	buffer_printf(out, "%s%s];\n", step->is_milestone ? ", shape=ellipse, style=dashed" : "",
	    critical ? ", color=red" : "");
	buffer_release(&label);
}

/* Finds the steps of one longest way: the one of highest rank, then each time the first behind it that has all the rest of
 * it. The caller frees the result. */
static bool *
draw_find_critical(const struct plan_document *document)
{
	bool *critical = memory_zeroed(document->count, sizeof *critical);
	const struct step *steps = document->steps;
	size_t at = 0;

	for (size_t i = 1; i < document->count; i++)
		if (steps[i].rank > steps[at].rank)
			at = i;
	for (size_t i = at; i < document->count; i++) {
		bool follows = i == at;

		for (size_t j = 0; !follows && j < steps[i].after.count; j++)
			follows = strcmp(steps[i].after.list[j], steps[at].id) == 0 &&
			    fabs(steps[at].rank - steps[at].expect_s - steps[i].rank) < 2e-6 * (1 + steps[at].rank);
		if (follows) {
			critical[i] = true;
			at = i;
		}
	}
	return critical;
}

/* A box for a node, with the tasks done to it; of a layout alone with its services. */
static void
draw_append_node(const struct grouping *groups, size_t number, const bool *critical, struct buffer *out)
{
	const struct plan_document *document = groups->document;
	const struct layout *layout = &document->layout;
	const struct node *node = number < layout->node_count ? &layout->nodes[number] : NULL;

	buffer_printf(out, "subgraph cluster_%zu {\n\tlabel=", number);
	draw_append_quoted(node ? node->hostname : groups->nodes.list[number], out);
	buffer_text(out, ";\n");
	for (size_t i = groups->first[number]; i < groups->first[number + 1]; i++)
		draw_append_step(&document->steps[groups->steps[i]], groups->steps[i], critical[groups->steps[i]], out);
	for (size_t i = 0; node && draw_is_layout(document) && i < node->services.count; i++) {
		buffer_printf(out, "\tn%zu_%zu [label=", number, i);
		draw_append_quoted(node->services.list[i], out);
		buffer_text(out, "];\n");
	}
	buffer_text(out, "}\n");
}

static void
draw_append_edges(const struct grouping *groups, size_t number, const bool *critical, struct buffer *out)
{
	const struct step *steps = groups->document->steps, *step = &steps[number];

	for (size_t i = 0; i < step->after.count; i++) {
		const struct step *before = grouping_step(groups, step->after.list[i]);

		if (before)
			buffer_printf(out, "\ts%td -> s%zu%s;\n", before - steps, number,
			    critical[before - steps] && critical[number] ? " [color=red]" : "");
	}
}

void
draw_dot(const struct plan_document *document, FILE *stream)
{
	bool *critical = draw_find_critical(document);
	struct grouping groups;
	struct buffer out = {0};

	grouping_init(&groups, document);
	buffer_text(&out, "digraph ");
	draw_append_quoted(draw_title(document), &out);
	buffer_text(&out, " {\n\trankdir=LR;\n\tnode [shape=box];\n");
	for (size_t i = 0; i < groups.nodes.count; i++)
		draw_append_node(&groups, i, critical, &out);
	for (size_t i = groups.first[groups.nodes.count]; i < document->count; i++)
		draw_append_step(&document->steps[groups.steps[i]], groups.steps[i], critical[groups.steps[i]], &out);
	for (size_t i = 0; i < document->count; i++)
		draw_append_edges(&groups, i, critical, &out);
	buffer_text(&out, "}\n");
	fwrite(out.data, 1, out.length, stream);
	buffer_release(&out);
	grouping_release(&groups);
	free(critical);
}
