/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer as the layout that whoever reads it sees.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve/solve.h"

static struct service *
answer_definitions_of(const struct request *request, const struct string_list *services, struct arena *arena,
    size_t *count)
{
	struct service *list = arena_alloc(arena, services->count, sizeof *list);
	struct names numbers = {0};

	for (size_t i = 0; i < request->service_count; i++)
		names_intern(&numbers, request->services[i].name);
	for (size_t i = 0; i < services->count; i++) {
		int number = names_find(&numbers, services->list[i]);

		if (number != NAMES_NONE)
			list[(*count)++] = request->services[number];
	}
	names_release(&numbers);
	return list;
}

void
answer_layout(const struct request *request, const struct answer *answer, struct arena *arena, struct layout *layout)
{
	const struct cluster_wish *wish = &request->cluster;
	const char *suffix = wish->dns_suffix ? wish->dns_suffix : request->template.default_dns_suffix;
	struct cluster *cluster = &layout->cluster;

	*layout = (struct layout){.node_count = answer->node_count};
	*cluster = (struct cluster){
		.id = wish->id, .name = wish->name, .tenant = wish->tenant, .services = answer->services,
		.provider = request->provider,
	};
	cluster->definitions = answer_definitions_of(request, &answer->services, arena, &cluster->definition_count);
	layout->nodes = arena_alloc(arena, answer->node_count, sizeof *layout->nodes);
	for (size_t i = 0; i < answer->node_count; i++) {
		struct node *node = &layout->nodes[i];

		*node = answer->nodes[i];
		if (!node->is_new)
			continue;
		node->id = arena_printf(arena, "%s-%" PRId64, wish->id, node->nodenum);
		node->hostname = node_hostname(wish->name, wish->id, node->nodenum, suffix, arena);
	}
}
