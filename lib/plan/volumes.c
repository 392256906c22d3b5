/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/layout.h"
#include "model/name.h"
#include "plan/builder.h"
#include "plan/dependency.h"

/* Marks the services that ask for volumes and are set up in this plan; the caller frees the result. */
static bool *
volumes_find_set_up(const struct layout *layout, const struct scope *scope)
{
	bool *found = memory_zeroed(layout->cluster.definition_count, sizeof *found);

	for (size_t i = 0; i < scope->count; i++)
		if (scope->placements[i].kind == PLACEMENT_SET_UP && layout->cluster.definitions[scope->placements[i].service].volume_count)
			found[scope->placements[i].service] = true;
	return found;
}

bool
volumes_stood(const struct layout *layout, const struct node *node, uint32_t service)
{
	const char *name = layout->cluster.definitions[service].name;

	return name_set_has(node->leaves ? &node->was : &node->services, name) && cluster_definition_before(&layout->cluster, name)->volume_count;
}

bool *
volumes_find_handed(const struct layout *layout, const struct scope *scope)
{
	bool *handed = volumes_find_set_up(layout, scope), any = false;

	for (uint32_t service = 0; service < layout->cluster.definition_count; service++) {
		bool found = false;

		for (size_t i = 0; handed[service] && i < layout->node_count && !found; i++)
			found = scope->node_actions[i] & ACTIONS_UNMAKE && !scope->dead[i] && volumes_stood(layout, &layout->nodes[i], service);
		handed[service] = found;
		any = any || found;
	}
	if (any)
		return handed;
	free(handed);
	return NULL;
}

bool
volumes_change_hands(const struct layout *layout, const struct scope *scope)
{
	bool *handed = volumes_find_handed(layout, scope);

	free(handed);
	return handed != NULL;
}

static void
volumes_append(const struct service *service, struct buffer *out)
{
	for (size_t i = 0; i < service->volume_count; i++) {
		const struct volume_wish *wish = &service->volumes[i];

		buffer_printf(out, "%s{\"keep\":%s,\"name\":", out->length ? "," : "{\"volumes\":[", wish->keep ? "true" : "false");
		json_quote(wish->name, out);
		buffer_text(out, ",\"path\":");
		json_quote(wish->path, out);
		buffer_text(out, ",\"service\":");
		json_quote(service->name, out);
		buffer_printf(out, ",\"size_gb\":%lld}", (long long)wish->size_gb);
	}
}

/* Appends the volumes of the services that stood on the node, as these were defined then. */
static void
volumes_append_standing(const struct layout *layout, const struct string_list *services, struct buffer *out)
{
	for (size_t i = 0; i < services->count; i++) {
		const struct service *service = cluster_definition_before(&layout->cluster, services->list[i]);

		if (service)
			volumes_append(service, out);
	}
}

/* Returns the fields as text, "{}" where there is none, and releases the buffer. */
static const char *
volumes_end_fields(struct builder *builder, struct buffer *text)
{
	const char *fields = text->length ? arena_printf(builder->arena, "%s]}", text->data) : "{}";

	buffer_release(text);
	return fields;
}

const char *
volumes_of_leaving(struct builder *builder, uint32_t node)
{
	const struct cluster *cluster = &builder->layout->cluster;
	const struct node *its = &builder->layout->nodes[node];
	/* A node may have got the volumes of what was never set up on it, and nothing says any more what that was. */
	bool is_half_made = its->was.count == 0 && its->services.count == 0;
	struct buffer text = {0};

	volumes_append_standing(builder->layout, &its->was, &text);
	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *service = &cluster->definitions[i];

		if (!name_set_has(&its->was, service->name) && (is_half_made || name_list_has(&its->services, service->name)))
			volumes_append(service, &text);
	}
	return volumes_end_fields(builder, &text);
}

const char *
volumes_of_new(struct builder *builder, uint32_t node, size_t first, size_t end)
{
	const struct layout *layout = builder->layout;
	struct buffer text = {0};

	for (size_t i = first; i < end; i++)
		if (builder->scope->placements[i].kind == PLACEMENT_SET_UP)
			volumes_append(&layout->cluster.definitions[builder->scope->placements[i].service], &text);
	if (!text.length)
		return NULL;
	/* What a task finds out about volumes takes the place of what was known: so it is about all. */
	volumes_append_standing(layout, &layout->nodes[node].was, &text);
	return volumes_end_fields(builder, &text);
}

/* Adds the tasks of one service: those that release its volumes, or those that attach some. Returns how many. */
static size_t
volumes_find_tasks(const struct builder *builder, uint32_t service, bool leaving, uint32_t *tasks)
{
	const struct layout *layout = builder->layout;
	size_t count = 0;

	for (uint32_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		if (builder_hands_over(builder, i))
			continue;
		if (leaving && builder->deletes[i] != GRAPH_NONE && volumes_stood(layout, node, service))
			tasks[count++] = builder->deletes[i];
		if (!leaving && builder->attaches[i] != GRAPH_NONE && node_has(node, layout->cluster.definitions[service].name))
			tasks[count++] = builder->attaches[i];
	}
	return count;
}

void
volumes_add_waits(struct builder *builder)
{
	const struct layout *layout = builder->layout;
	bool *set_up = volumes_find_set_up(layout, builder->scope);
	uint32_t *released = memory_resize(NULL, layout->node_count, sizeof *released);
	uint32_t *attached = memory_resize(NULL, layout->node_count, sizeof *attached);

	for (uint32_t service = 0; service < layout->cluster.definition_count; service++) {
		size_t before = set_up[service] ? volumes_find_tasks(builder, service, true, released) : 0;
		size_t after = before ? volumes_find_tasks(builder, service, false, attached) : 0;
		uint32_t milestone = before > 1 && after > 1 ? builder_milestone(builder, "released", layout->cluster.definitions[service].name)
		    : GRAPH_NONE;

		for (size_t i = 0; i < before && after; i++) {
			builder_edge(builder, released[i], milestone);
			for (size_t j = 0; j < after && milestone == GRAPH_NONE; j++)
				builder_edge(builder, released[i], attached[j]);
		}
		for (size_t j = 0; j < after; j++)
			builder_edge(builder, milestone, attached[j]);
	}
	free(set_up);
	free(released);
	free(attached);
}
