/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/builder.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/layout.h"
#include "model/unavailable.h"
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

uint32_t
builder_milestone(struct builder *builder, const char *what, const char *name)
{
	struct step step = {.is_milestone = true, .name = arena_printf(builder->arena, "%s: %s", what, name)};

	return builder_step(builder, &step, GRAPH_NONE);
}

void
builder_edge(struct builder *builder, uint32_t before, uint32_t after)
{
	if (before != GRAPH_NONE && after != GRAPH_NONE)
		graph_edge(&builder->steps->graph, before, after);
}

bool
builder_hands_over(const struct builder *builder, size_t node)
{
	return builder->scope->heirs && builder->scope->heirs[node] != GRAPH_NONE;
}

struct task_group *
builder_group(const struct builder *builder, uint32_t service, unsigned group)
{
	return &builder->groups[service * GROUP_COUNT + group];
}

const struct service_action *
builder_service_action(const struct builder *builder, uint32_t service, enum action action)
{
	const struct cluster *cluster = &builder->layout->cluster;
	const struct service *definition = &cluster->definitions[service];

	if (ACTIONS_TAKE_DOWN & ACTION_BIT(action))
		definition = cluster_definition_before(cluster, definition->name);
	return &definition->actions[action];
}

void
builder_take_turn(struct builder *builder, uint32_t service, uint32_t first, uint32_t last)
{
	struct roll *roll = &builder->rolls[service];

	if (!roll->width)
		return;
	ARRAY_ROOM(roll->turns, roll->count, roll->capacity);
	roll->turns[roll->count++] = (struct turn){first, last};
}

/* Puts the turns of a batch, from first on, behind all of the batch before. */
static void
builder_add_batch(struct builder *builder, uint32_t service, const struct roll *roll, size_t first)
{
	const struct turn *before = &roll->turns[first - roll->width];
	uint32_t done = before->last;

	if (roll->width > 1) {
		done = builder_step(builder, &(struct step){.is_milestone = true, .name = arena_printf(builder->arena, "batch %zu: %s",
		    first / roll->width, builder->layout->cluster.definitions[service].name)}, GRAPH_NONE);
		for (size_t i = 0; i < roll->width; i++)
			builder_edge(builder, before[i].last, done);
	}
	for (size_t i = first; i < first + roll->width && i < roll->count; i++)
		builder_edge(builder, done, roll->turns[i].first);
}

void
builder_add_batches(struct builder *builder)
{
	for (uint32_t service = 0; service < builder->layout->cluster.definition_count; service++) {
		const struct roll *roll = &builder->rolls[service];

		for (size_t first = roll->width; first < roll->count; first += roll->width)
			builder_add_batch(builder, service, roll, first);
	}
}

/* Prints the fields of each action as text, once for all tasks that carry them. */
static void
builder_init_groups(struct builder *builder)
{
	size_t services = builder->layout->cluster.definition_count;
	struct buffer text = {0};

	builder->groups = memory_zeroed(services * GROUP_COUNT, sizeof *builder->groups);
	for (uint32_t i = 0; i < services; i++) {
		for (unsigned number = 0; number < GROUP_COUNT; number++) {
			struct task_group *group = builder_group(builder, i, number);
			const struct service_action *does = number < ACTION_COUNT ? builder_service_action(builder, i, (enum action)number)
			    : NULL;

			group->milestone = GRAPH_NONE;
			group->type = NAMES_NONE;
			if (!does || !does->present)
				continue;
			group->type = names_intern(&builder->types, does->type);
			group->fields = "{}";
			if (jv_get_kind(does->fields) != JV_KIND_OBJECT)
				continue;
			buffer_clear(&text);
			json_dump(does->fields, &text);
			group->fields = arena_substring(builder->arena, text.data, text.length);
		}
	}
	buffer_release(&text);
}

static void
builder_count_services(const struct builder *builder, struct string_list services, size_t *counts)
{
	for (size_t i = 0; i < services.count; i++) {
		int service = names_find(&builder->dependencies->services, services.list[i]);

		if (service != NAMES_NONE)
			counts[service]++;
	}
}

/* The limit of a service depends on how many nodes carry it; those that only did are counted too for how many can be
 * affected at most. */
static void
builder_init_rolls(struct builder *builder)
{
	const struct layout *layout = builder->layout;
	const char *limit = builder->scope->max_unavailable;
	size_t services = layout->cluster.definition_count;
	size_t *carry = memory_zeroed(services, sizeof *carry), *carried = memory_zeroed(services, sizeof *carried);

	builder->rolls = memory_zeroed(services, sizeof *builder->rolls);
	for (size_t i = 0; limit && i < layout->node_count; i++) {
		builder_count_services(builder, layout->nodes[i].services, carry);
		builder_count_services(builder, layout->nodes[i].was, carried);
	}
	for (size_t i = 0; i < services; i++) {
		size_t width = unavailable_of(limit, carry[i]);

		if (width < carry[i] || width < carried[i])
			builder->rolls[i].width = width;
	}
	free(carry);
	free(carried);
}

void
builder_init(struct builder *builder, struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope, const struct expectations *history)
{
	size_t nodes = layout->node_count, services = layout->cluster.definition_count;

	*builder = (struct builder){.steps = steps, .arena = arena, .layout = layout, .dependencies = dependencies,
		.scope = scope, .history = history};
	for (int i = 0; i < ACTION_COUNT; i++)
		builder->readers |= action_table[i].reads_config ? ACTION_BIT(i) : 0;
	/* The rule for rolling alone would not put what rolls behind what does not roll, or behind what it needs on its own node. */
	builder->strict = dependencies->any_near;
	for (size_t i = 0; i < scope->count; i++)
		builder->strict = builder->strict || scope->placements[i].kind == PLACEMENT_SET_UP;
	builder->creates = memory_resize(NULL, nodes, sizeof *builder->creates);
	builder->confirms = memory_resize(NULL, nodes, sizeof *builder->confirms);
	builder->deletes = memory_resize(NULL, nodes, sizeof *builder->deletes);
	builder->attaches = memory_resize(NULL, nodes, sizeof *builder->attaches);
	builder->mounts = memory_resize(NULL, nodes, sizeof *builder->mounts);
	builder->partners = memory_resize(NULL, nodes, sizeof *builder->partners);
	builder->chains = memory_resize(NULL, scope->count, sizeof *builder->chains);
	lookups_init(&builder->lookups, layout, dependencies);
	absent_init(&builder->absent, layout, dependencies, scope);
	builder->installed_by_address = lookups_find_installed_by_address(layout, dependencies);
	builder_init_groups(builder);
	builder_init_rolls(builder);
	builder->bootstraps = memory_resize(NULL, builder->types.count, sizeof *builder->bootstraps);
	for (int i = 0; i < RULE_COUNT; i++)
		builder->barriers[i] = memory_zeroed(services, sizeof *builder->barriers[i]);
}

void
builder_release(struct builder *builder)
{
	for (int i = 0; i < RULE_COUNT; i++)
		free(builder->barriers[i]);
	names_release(&builder->types);
	free(builder->chains);
	lookups_release(&builder->lookups);
	absent_release(&builder->absent);
	graph_release(&builder->put_in);
	free(builder->installed_by_address);
	for (size_t i = 0; i < builder->layout->cluster.definition_count; i++)
		free(builder->rolls[i].turns);
	free(builder->rolls);
	free(builder->creates);
	free(builder->confirms);
	free(builder->deletes);
	free(builder->attaches);
	free(builder->mounts);
	free(builder->partners);
	free(builder->bootstraps);
	free(builder->groups);
	free(builder->places);
}
