/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/steps.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/layout.h"
#include "model/unavailable.h"
#include "plan/builder.h"
#include "plan/cluster-action.h"
#include "plan/dependency.h"

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
builder_class(const struct builder *builder, uint32_t service, unsigned class)
{
	return &builder->classes[service * CLASS_COUNT + class];
}

const struct service_action *
builder_does(const struct builder *builder, uint32_t service, enum action action)
{
	const struct cluster *cluster = &builder->layout->cluster;
	const struct service *definition = &cluster->definitions[service];

	if (TAKE_DOWN & ACTION_BIT(action))
		definition = cluster_definition_before(cluster, definition->name);
	return &definition->actions[action];
}

/* The fields of an action as text, once for all tasks that carry them. */
static const char *
steps_print_fields(struct builder *builder, jv fields, struct buffer *text)
{
	if (jv_get_kind(fields) != JV_KIND_OBJECT)
		return "{}";
	buffer_clear(text);
	json_dump(fields, text);
	return arena_substring(builder->arena, text->data, text->length);
}

static void
steps_init_classes(struct builder *builder)
{
	size_t services = builder->layout->cluster.definition_count;
	struct buffer text = {0};

	builder->classes = memory_zeroed(services * CLASS_COUNT, sizeof *builder->classes);
	for (uint32_t i = 0; i < services; i++) {
		for (unsigned number = 0; number < CLASS_COUNT; number++) {
			struct class *class = builder_class(builder, i, number);
			const struct service_action *does = number < ACTION_COUNT ? builder_does(builder, i, (enum action)number)
			    : NULL;
			bool present = does && does->present;

			class->milestone = GRAPH_NONE;
			class->type = present ? names_intern(&builder->types, does->type) : NAMES_NONE;
			class->fields = present ? steps_print_fields(builder, does->fields, &text) : NULL;
		}
	}
	buffer_release(&text);
}

/* Where all that rolls needs nothing but what rolls, everywhere, that it waits for this says the rest. */
static bool
steps_needs_lifting(const struct builder *builder)
{
	for (size_t i = 0; i < builder->scope->count; i++)
		if (builder->scope->placements[i].kind == PLACEMENT_SET_UP)
			return true;
	return builder->dependencies->any_near;
}

static void
steps_count_services(const struct builder *builder, struct string_list services, size_t *counts)
{
	for (size_t i = 0; i < services.count; i++) {
		int service = names_find(&builder->dependencies->services, services.list[i]);

		if (service != NAMES_NONE)
			counts[service]++;
	}
}

/* How many nodes a service may be down on at a time depends on how many carry it, with those that only did counted
 * for how many can be concerned at most. */
static void
steps_init_windows(struct builder *builder)
{
	const struct layout *layout = builder->layout;
	const char *limit = builder->scope->max_unavailable;
	size_t services = layout->cluster.definition_count;
	size_t *carry = memory_zeroed(services, sizeof *carry), *carried = memory_zeroed(services, sizeof *carried);

	builder->windows = memory_zeroed(services, sizeof *builder->windows);
	for (size_t i = 0; limit && i < layout->node_count; i++) {
		steps_count_services(builder, layout->nodes[i].services, carry);
		steps_count_services(builder, layout->nodes[i].was, carried);
	}
	for (size_t i = 0; i < services; i++) {
		size_t width = unavailable_of(limit, carry[i]);

		if (width < carry[i] || width < carried[i])
			builder->windows[i] = (struct window){arena_alloc(builder->arena, width, sizeof(uint32_t)), width, 0};
	}
	free(carry);
	free(carried);
}

void
steps_build(struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope, const struct expectations *history)
{
	struct builder builder = {
		.steps = steps,
		.arena = arena,
		.layout = layout,
		.dependencies = dependencies,
		.scope = scope,
		.history = history,
		.creates = memory_resize(NULL, layout->node_count, sizeof *builder.creates),
		.confirms = memory_resize(NULL, layout->node_count, sizeof *builder.confirms),
		.deletes = memory_resize(NULL, layout->node_count, sizeof *builder.deletes),
		.partners = memory_resize(NULL, layout->node_count, sizeof *builder.partners),
	};

	*steps = (struct steps){0};
	steps_init_classes(&builder);
	steps_init_windows(&builder);
	builder.lifts = steps_needs_lifting(&builder);
	for (int i = 0; i < RULE_COUNT; i++)
		builder.gates[i] = memory_zeroed(layout->cluster.definition_count, sizeof *builder.gates[i]);
	builder_find_pairs(&builder);
	builder_tasks(&builder);
	builder_waits(&builder);
	builder_pairs(&builder);
	for (int i = 0; i < RULE_COUNT; i++)
		free(builder.gates[i]);
	names_release(&builder.types);
	free(builder.windows);
	free(builder.creates);
	free(builder.confirms);
	free(builder.deletes);
	free(builder.partners);
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
