/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/askable.h"

#include <stdlib.h>
#include <string.h>

#include "exec/plugin-schema.h"
#include "json/json.h"
#include "model/layout.h"

/* Asks the automator whether it can be asked for a status. One that cannot be started cannot: the next job will tell. */
static bool
askable_describe(const char *type)
{
	jv schema = plugin_schema("automator", type);
	bool can = json_is(schema, "status", JV_KIND_TRUE);

	jv_free(schema);
	return can;
}

bool
askable_is(struct askable *askable, const char *type)
{
	int number = names_find(&askable->types, type);

	if (number == NAMES_NONE) {
		number = names_intern(&askable->types, arena_string(&askable->arena, type));
		if (askable->capacity < askable->types.count) {
			askable->capacity = 2 * askable->types.count;
			askable->can = memory_resize(askable->can, askable->capacity, sizeof *askable->can);
		}
		askable->can[number] = askable_describe(type);
	}
	return askable->can[number];
}

static bool
askable_works_on(const struct layout *layout, const struct node *node, const char *type)
{
	for (size_t i = 0; i < node->was.count; i++) {
		const struct service *service = cluster_definition(&layout->cluster, node->was.list[i]);

		for (int action = 0; service && action < ACTION_COUNT; action++)
			if (service->actions[action].present && strcmp(service->actions[action].type, type) == 0)
				return true;
	}
	return false;
}

/* Makes the automators of the node known. */
static void
askable_meet(struct askable *askable, const struct layout *layout, const struct node *node)
{
	for (size_t i = 0; i < node->was.count; i++) {
		const struct service *service = cluster_definition(&layout->cluster, node->was.list[i]);

		for (int action = 0; service && action < ACTION_COUNT; action++)
			if (service->actions[action].present)
				askable_is(askable, service->actions[action].type);
	}
}

const char *
askable_next(struct askable *askable, const struct layout *layout, const struct node *node, size_t *at)
{
	if (*at == 0)
		askable_meet(askable, layout, node);
	while (*at < askable->types.count) {
		const char *type = askable->types.list[(*at)++];

		if (askable->can[*at - 1] && askable_works_on(layout, node, type))
			return type;
	}
	return NULL;
}

void
askable_release(struct askable *askable)
{
	names_release(&askable->types);
	free(askable->can);
	arena_release(&askable->arena);
}
