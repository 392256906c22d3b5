/* SPDX-License-Identifier: Apache-2.0 */
#include "model/since.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/layout.h"

struct since {
	struct layout *layout;
	const struct layout *old;
	struct names ids; /* of old's nodes, by their number */
	bool *met;        /* of each of them: the newer layout has it */
	struct place stream;
};

static struct place
since_node_place(const struct since *since, const struct node *node)
{
	return (struct place){.up = &since->stream, .index = node->index, .problems = since->stream.problems};
}

static void
since_check_type(const struct since *since, const struct node *node, const char *member, const char *was, const char *is)
{
	struct place place = since_node_place(since, node), type = {.up = &place, .name = member, .problems = place.problems};

	if (was && is && strcmp(was, is) != 0)
		place_problem(&type, "%s is of type \"%s\" and cannot become \"%s\": replace it", node->id, was, is);
}

/* A node of both layouts. One that was to leave in the older one may be there yet, or not: it stays what it was. */
static void
since_take_over(const struct since *since, struct node *node, const struct node *old)
{
	const jv none = {0};

	since_check_type(since, node, "hardwaretype", old->hardwaretype, node->hardwaretype);
	since_check_type(since, node, "imagetype", old->imagetype, node->imagetype);
	node->is_new = false;
	node->was = old->leaves ? old->was : old->services;
	if (!jv_is_valid(node->ipaddresses))
		node_learn(node, NULL, old->ipaddresses, none, &since->layout->arena);
	if (!jv_is_valid(node->facts))
		node_learn(node, NULL, none, old->facts, &since->layout->arena);
}

static void
since_compare_nodes(struct since *since)
{
	struct layout *layout = since->layout;
	size_t kept = 0;

	for (size_t i = 0; i < layout->node_count; i++) {
		struct node *node = &layout->nodes[i];
		int number = names_find(&since->ids, node->id);

		if (number != NAMES_NONE) {
			since_take_over(since, node, &since->old->nodes[number]);
			since->met[number] = true;
		} else if (node->leaves) {
			jv_free(node->source);
			continue;
		} else {
			node->is_new = true;
			node->was = (struct string_list){0};
		}
		layout->nodes[kept++] = *node;
	}
	layout->node_count = kept;
}

/* A node that only the older layout has. */
static void
since_add_leaving(struct since *since, const struct node *old)
{
	struct layout *layout = since->layout;
	struct node node = *old;

	layout->nodes = memory_resize(layout->nodes, layout->node_count + 1, sizeof *layout->nodes);
	node.source = jv_copy(old->source);
	node.leaves = true;
	node.is_new = false;
	node.was = old->leaves ? old->was : old->services;
	node.services = (struct string_list){0};
	layout->nodes[layout->node_count++] = node;
}

static bool
since_is_same_service(const struct service *a, const struct service *b)
{
	return jv_equal(jv_copy(a->source), jv_copy(b->source));
}

static void
since_copy_definition(struct service *list, size_t *count, const struct service *definition)
{
	list[*count] = *definition;
	list[(*count)++].source = jv_copy(definition->source);
}

static int
since_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct service *)a)->name, ((const struct service *)b)->name);
}

/* What is no longer defined is on its way out, and has to be known all the same. */
static void
since_compare_definitions(struct since *since)
{
	struct cluster *cluster = &since->layout->cluster;
	const struct cluster *old = &since->old->cluster;
	size_t present = cluster->definition_count, count = present;
	struct service *all = arena_alloc(&since->layout->arena, present + old->definition_count, sizeof *all);

	for (size_t i = 0; i < cluster->was_definition_count; i++)
		jv_free(cluster->was_definitions[i].source);
	cluster->was_definition_count = 0;
	cluster->was_definitions = arena_alloc(&since->layout->arena, old->definition_count, sizeof *all);
	if (present)
		memcpy(all, cluster->definitions, present * sizeof *all);
	for (size_t i = 0; i < old->definition_count; i++) {
		const struct service *was = &old->definitions[i], *is = cluster_definition(cluster, was->name);

		if (!is)
			since_copy_definition(all, &count, was);
		else if (!since_is_same_service(was, is))
			since_copy_definition(cluster->was_definitions, &cluster->was_definition_count, was);
	}
	cluster->definitions = all;
	cluster->definition_count = count;
	if (count)
		qsort(all, count, sizeof *all, since_compare_names);
}

void
layout_since(struct layout *layout, const struct layout *old, struct problems *problems)
{
	struct since since = {.layout = layout, .old = old, .met = memory_zeroed(old->node_count, sizeof *since.met),
		.stream = place_root((jv){0}, problems)};
	struct cluster *cluster = &layout->cluster;

	if (strcmp(cluster->id, old->cluster.id) != 0)
		place_problem(&since.stream, "is of the cluster %s, what was is of %s", cluster->id, old->cluster.id);
	for (size_t i = 0; i < old->node_count; i++)
		names_intern(&since.ids, old->nodes[i].id);
	since_compare_nodes(&since);
	for (size_t i = 0; i < old->node_count; i++)
		if (!since.met[i] && !old->nodes[i].leaves)
			since_add_leaving(&since, &old->nodes[i]);
	nodes_sort(&since.stream, layout->nodes, layout->node_count);
	since_compare_definitions(&since);
	jv_free(cluster->was_source);
	cluster->was_source = jv_get_kind(old->cluster.config) == JV_KIND_OBJECT ? jv_copy(old->cluster.config) : jv_object();
	cluster->was_config = cluster->was_source;
	names_release(&since.ids);
	free(since.met);
}
