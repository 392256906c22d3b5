/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/steps.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/layout.h"
#include "plan/builder.h"

uint32_t
builder_step(struct builder *builder, const struct step *step, uint32_t node)
{
	struct steps *steps = builder->steps;
	size_t number = steps->graph.vertices++;

	if (number == steps->capacity) {
		steps->capacity = steps->capacity ? 2 * steps->capacity : 64;
		steps->list = memory_resize(steps->list, steps->capacity, sizeof *steps->list);
		steps->nodes = memory_resize(steps->nodes, steps->capacity, sizeof *steps->nodes);
		builder->places = memory_resize(builder->places, steps->capacity, sizeof *builder->places);
	}
	steps->list[number] = *step;
	steps->nodes[number] = node;
	builder->places[number] = (struct task_place){.service = GRAPH_NONE};
	return (uint32_t)number;
}

void
builder_edge(struct builder *builder, uint32_t before, uint32_t after)
{
	if (before != GRAPH_NONE && after != GRAPH_NONE)
		graph_edge(&builder->steps->graph, before, after);
}

struct class *
builder_class(const struct builder *builder, uint32_t service, enum action action)
{
	return &builder->classes[service * ACTION_COUNT + (uint32_t)action];
}

/* The fields of an action as text, once for all tasks that carry them. */
static const char *
print_fields(struct builder *builder, jv fields, struct buffer *text)
{
	if (jv_get_kind(fields) != JV_KIND_OBJECT)
		return "{}";
	buffer_clear(text);
	json_dump(fields, text);
	return arena_substring(builder->arena, text->data, text->length);
}

static void
init_classes(struct builder *builder)
{
	const struct cluster *cluster = &builder->layout->cluster;
	struct buffer text = {0};

	builder->classes = memory_zeroed(cluster->definition_count * ACTION_COUNT, sizeof *builder->classes);
	for (size_t i = 0; i < cluster->definition_count; i++) {
		for (int action = 0; action < ACTION_COUNT; action++) {
			const struct service_action *does = &cluster->definitions[i].actions[action];
			struct class *class = builder_class(builder, (uint32_t)i, action);

			class->milestone = GRAPH_NONE;
			class->type = does->present ? names_intern(&builder->types, does->type) : NAMES_NONE;
			class->fields = does->present ? print_fields(builder, does->fields, &text) : NULL;
		}
	}
	buffer_release(&text);
}

void
steps_build(struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope)
{
	struct builder builder = {
		.steps = steps,
		.arena = arena,
		.layout = layout,
		.dependencies = dependencies,
		.scope = scope,
		.confirms = memory_resize(NULL, layout->node_count, sizeof *builder.confirms),
	};

	*steps = (struct steps){0};
	init_classes(&builder);
	for (int i = 0; i < BUILDER_RULES; i++)
		builder.gates[i] = memory_zeroed(layout->cluster.definition_count, sizeof *builder.gates[i]);
	builder_tasks(&builder);
	builder_waits(&builder);
	for (int i = 0; i < BUILDER_RULES; i++)
		free(builder.gates[i]);
	names_release(&builder.types);
	free(builder.confirms);
	free(builder.classes);
	free(builder.places);
}

void
steps_release(struct steps *steps)
{
	free(steps->list);
	free(steps->nodes);
	graph_release(&steps->graph);
	*steps = (struct steps){0};
}
