/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/layout.h"
#include "model/name.h"

enum { NODES_SAID = 8 }; /* in a message */

/* Returns the part of text before the next slash, owned, or NULL where text is. Sets *rest to the part behind it, or NULL. */
static char *
target_part(const char *text, const char **rest)
{
	size_t length = text ? strcspn(text, "/") : 0;

	*rest = text && text[length] ? text + length + 1 : NULL;
	return text ? memory_substring(text, length) : NULL;
}

static bool
target_is_fine(const char *name)
{
	return !name || name_is_valid(name[0] == '@' ? name + 1 : name);
}

int
target_parse(const char *text, struct target *target, struct error *err)
{
	const char *rest;

	*target = (struct target){.cluster = target_part(text, &rest)};
	target->node = target_part(rest, &rest);
	target->service = target_part(rest, &rest);
	if (!rest && name_is_valid(target->cluster) && target_is_fine(target->node) && (!target->service ||
	    name_is_valid(target->service)))
		return 0;
	target_release(target);
	return error_set(err, EX_USAGE, "'%s' names no part of a cluster: CLUSTER, CLUSTER/NODE, CLUSTER/@SERVICE or "
	    "CLUSTER/NODE/SERVICE is expected", text);
}

void
target_release(struct target *target)
{
	free(target->cluster);
	free(target->node);
	free(target->service);
	*target = (struct target){0};
}

static bool
target_is_host(const char *hostname, const char *name)
{
	size_t length = strlen(name);

	return hostname && strncmp(hostname, name, length) == 0 && (!hostname[length] || hostname[length] == '.');
}

bool
target_has(const struct target *target, const struct node *node)
{
	const char *name = target->node;
	char *end;

	if (!name)
		return true;
	if (name[0] == '@')
		return node_has(node, name + 1);
	if (strcmp(name, node->id) == 0 || target_is_host(node->hostname, name))
		return true;
	return name[strspn(name, "0123456789")] == '\0' && strtoll(name, &end, 10) == node->nodenum && !*end;
}

static int
target_no_node(const struct target *target, const struct layout *layout, struct error *err)
{
	struct buffer text = {0};

	if (layout->node_count == 0)
		return error_set(err, EX_NO, "%s has no nodes", target->cluster);
	buffer_text(&text, target->node[0] == '@' ? "no node has the service " : "there is no node ");
	buffer_printf(&text, "%s; there are", target->node + (target->node[0] == '@'));
	for (size_t i = 0; i < layout->node_count && i < NODES_SAID; i++)
		buffer_printf(&text, "%s %lld", i ? "," : "", (long long)layout->nodes[i].nodenum);
	if (layout->node_count > NODES_SAID)
		buffer_text(&text, ", ...");
	error_set(err, EX_NO, "%s: %s", target->cluster, text.data);
	buffer_release(&text);
	return -1;
}

const struct node *
target_first(const struct target *target, const struct layout *layout, struct error *err)
{
	for (size_t i = 0; i < layout->node_count; i++)
		if (target_has(target, &layout->nodes[i]))
			return &layout->nodes[i];
	target_no_node(target, layout, err);
	return NULL;
}

int
target_nodes(const char *cluster, const struct string_list *names, const struct layout *layout, struct arena *arena,
    struct string_list *ids, struct error *err)
{
	*ids = (struct string_list){.list = arena_alloc(arena, layout->node_count, sizeof *ids->list)};
	for (size_t i = 0; i < names->count; i++) {
		const struct target target = {.cluster = (char *)cluster, .node = (char *)names->list[i]};

		if (!target_first(&target, layout, err))
			return -1;
		for (size_t j = 0; j < layout->node_count; j++)
			if (target_has(&target, &layout->nodes[j]) && !name_list_has(ids, layout->nodes[j].id))
				ids->list[ids->count++] = arena_string(arena, layout->nodes[j].id);
	}
	return 0;
}
