/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layout-diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/layout.h"
#include "model/name.h"

struct update { /* of a layout by the one before it */
	struct layout *layout;
	const struct layout *old;
	struct place stream;
};

struct node_pair *
layout_diff_nodes(const struct layout *before, const struct layout *after, size_t *count)
{
	struct node_pair *pairs = memory_zeroed(before->node_count + after->node_count, sizeof *pairs);
	struct names ids = {0};

	for (size_t i = 0; i < before->node_count; i++)
		pairs[names_intern(&ids, before->nodes[i].id)].before = &before->nodes[i];
	for (size_t i = 0; i < after->node_count; i++)
		pairs[names_intern(&ids, after->nodes[i].id)].after = &after->nodes[i];
	*count = ids.count;
	names_release(&ids);
	return pairs;
}

static void
layout_diff_check_type(const struct update *update, const struct node *node, const char *member, const char *was, const char *is)
{
	struct place place = {.up = &update->stream, .index = node->index, .problems = update->stream.problems};
	struct place type = {.up = &place, .name = member, .problems = place.problems};

	if (was && is && strcmp(was, is) != 0)
		place_problem(&type, "%s is of type \"%s\" and cannot become \"%s\": replace it", node->id, was, is);
}

/* Returns what stood on the node before; also what was begun there, and is to go. */
static struct string_list
layout_diff_before(const struct update *update, const struct node *node, const struct node *old)
{
	const struct string_list *before = old->leaves ? &old->was : &old->services;
	struct string_list list = {.list = arena_alloc(&update->layout->arena, before->count + old->partial.count, sizeof *list.list)};

	for (size_t i = 0; i < before->count; i++)
		list.list[list.count++] = before->list[i];
	for (size_t i = 0; i < old->partial.count; i++)
		if (!name_set_has(before, old->partial.list[i]) && !name_set_has(&node->services, old->partial.list[i]))
			list.list[list.count++] = old->partial.list[i];
	name_set_make(&list);
	return list;
}

/* A node of both layouts. One that was to leave in the older one may be there yet, or not: it stays what it was. */
static void
layout_diff_take_over(const struct update *update, struct node *node, const struct node *old)
{
	const jv none = {0};

	layout_diff_check_type(update, node, "hardwaretype", old->hardwaretype, node->hardwaretype);
	layout_diff_check_type(update, node, "imagetype", old->imagetype, node->imagetype);
	node->is_new = false;
	node->was = layout_diff_before(update, node, old);
	node->partial = old->partial;
	node->stale = old->stale;
	node->stopped = old->stopped;
	node->taken_out = old->taken_out;
	node->unready = old->unready;
	if (!jv_is_valid(node->ipaddresses))
		node_learn(node, NULL, old->ipaddresses, none, &update->layout->arena);
	if (!jv_is_valid(node->facts))
		node_learn(node, NULL, none, old->facts, &update->layout->arena);
}

/* A node that only the older layout has. */
static void
layout_diff_add_leaving(struct update *update, const struct node *old)
{
	struct layout *layout = update->layout;
	struct node node = *old;

	layout->node_capacity = layout->node_count + 1;
	layout->nodes = memory_resize(layout->nodes, layout->node_capacity, sizeof *layout->nodes);
	node.source = jv_copy(old->source);
	node.leaves = true;
	node.is_new = false;
	node.was = old->leaves ? old->was : old->services;
	node.services = (struct string_list){0};
	layout->nodes[layout->node_count++] = node;
}

static void
layout_diff_compare_nodes(struct update *update)
{
	struct layout *layout = update->layout;
	size_t count, kept = 0, present = layout->node_count;
	struct node_pair *pairs = layout_diff_nodes(update->old, layout, &count);
	bool *drops = memory_zeroed(present, sizeof *drops);
	struct node *nodes = layout->nodes;

	for (size_t i = 0; i < count; i++) {
		size_t number = pairs[i].after ? (size_t)(pairs[i].after - nodes) : 0;

		if (pairs[i].after && pairs[i].before) {
			layout_diff_take_over(update, &nodes[number], pairs[i].before);
		} else if (pairs[i].after) {
			drops[number] = nodes[number].leaves;
			nodes[number].is_new = true;
			nodes[number].was = (struct string_list){0};
		}
	}
	for (size_t i = 0; i < present; i++)
		if (drops[i])
			jv_free(nodes[i].source);
		else
			nodes[kept++] = nodes[i];
	layout->node_count = kept;
	for (size_t i = 0; i < count; i++)
		if (!pairs[i].after && !pairs[i].before->leaves)
			layout_diff_add_leaving(update, pairs[i].before);
	free(drops);
	free(pairs);
}

static void
layout_diff_copy_definition(struct service *list, size_t *count, const struct service *definition)
{
	list[*count] = *definition;
	list[(*count)++].source = jv_copy(definition->source);
}

/* Returns the definition that the older layout was to change, but may not have changed everywhere; NULL if there is none. */
static const struct service *
layout_diff_find_earlier(const struct cluster *old, const struct service *is)
{
	for (size_t i = 0; i < old->was_definition_count; i++)
		if (strcmp(old->was_definitions[i].name, is->name) == 0)
			return &old->was_definitions[i];
	return NULL;
}

/* Adds the definitions that only the older layout has: their services are on their way out, and have to be known still. */
static void
layout_diff_compare_definitions(struct update *update)
{
	struct cluster *cluster = &update->layout->cluster;
	const struct cluster *old = &update->old->cluster;
	size_t present = cluster->definition_count, count = present;
	bool any_partial = false;
	struct service *all = arena_alloc(&update->layout->arena, present + old->definition_count, sizeof *all);

	for (size_t i = 0; i < update->old->node_count; i++)
		any_partial = any_partial || update->old->nodes[i].partial.count > 0 || update->old->nodes[i].stale.count > 0;
	for (size_t i = 0; i < cluster->was_definition_count; i++)
		jv_free(cluster->was_definitions[i].source);
	cluster->was_definition_count = 0;
	cluster->was_definitions = arena_alloc(&update->layout->arena, old->definition_count, sizeof *all);
	if (present)
		memcpy(all, cluster->definitions, present * sizeof *all);
	for (size_t i = 0; i < old->definition_count; i++) {
		const struct service *was = &old->definitions[i], *is = cluster_definition(cluster, was->name);

		if (!is)
			layout_diff_copy_definition(all, &count, was);
		else if (!jv_equal(jv_copy(was->source), jv_copy(is->source)) ||
		    (any_partial && (was = layout_diff_find_earlier(old, is)) != NULL))
			layout_diff_copy_definition(cluster->was_definitions, &cluster->was_definition_count, was);
	}
	cluster->definitions = all;
	cluster->definition_count = count;
	if (count)
		qsort(all, count, sizeof *all, service_compare_names);
}

void
layout_diff_set_was(struct layout *layout, const struct layout *old, struct problems *problems)
{
	struct update update = {.layout = layout, .old = old, .stream = place_root((jv){0}, problems)};
	struct cluster *cluster = &layout->cluster;

	if (strcmp(cluster->id, old->cluster.id) != 0)
		place_problem(&update.stream, "is of the cluster %s, what was is of %s", cluster->id, old->cluster.id);
	layout_diff_compare_nodes(&update);
	nodes_sort(&update.stream, layout->nodes, layout->node_count);
	layout_diff_compare_definitions(&update);
	jv_free(cluster->was_source);
	cluster->was_source = jv_get_kind(old->cluster.config) == JV_KIND_OBJECT ? jv_copy(old->cluster.config) : jv_object();
	cluster->was_config = cluster->was_source;
}
