/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/suggest.h"
#include "model/layout.h"
#include "model/name.h"

enum { NODES_SAID = 8 }; /* in a message */

/* Returns the part of text before the next slash, in the arena, or NULL where text is. Sets *rest to the part behind it, or
 * NULL. */
static const char *
target_part(const char *text, struct arena *arena, const char **rest)
{
	size_t length = text ? strcspn(text, "/") : 0;

	*rest = text && text[length] ? text + length + 1 : NULL;
	return text ? arena_substring(arena, text, length) : NULL;
}

static bool
target_is_fine(const char *name)
{
	return !name || name_is_valid(name[0] == '@' ? name + 1 : name);
}

/* Returns the names of an option and one more, if that is not NULL; fails where one of them is no name. */
static int
target_join(const struct option_list *given, const char *more, struct arena *arena, struct string_list *names,
    struct error *err)
{
	size_t count = given ? given->count : 0;

	*names = (struct string_list){.list = arena_alloc(arena, count + 1, sizeof *names->list)};
	if (more)
		names->list[names->count++] = more;
	for (size_t i = 0; i < count; i++) {
		if (!target_is_fine(given->list[i]))
			return error_set(err, EX_USAGE, "'%s' is not the name of a node or service", given->list[i]);
		names->list[names->count++] = given->list[i];
	}
	return 0;
}

static int
target_fill(const char *text, const struct target_options *options, struct target *target, struct error *err)
{
	const char *rest, *part;
	bool is_service;

	target->cluster = target_part(text, &target->arena, &rest);
	part = target_part(rest, &target->arena, &rest);
	target->service = target_part(rest, &target->arena, &rest);
	if (rest || !name_is_valid(target->cluster) || !target_is_fine(part) || (target->service &&
	    !name_is_valid(target->service)))
		return error_set(err, EX_USAGE, "'%s' names no part of a cluster: CLUSTER, CLUSTER/NODE, CLUSTER/@SERVICE or "
		    "CLUSTER/NODE/SERVICE is expected", text);
	is_service = part && part[0] == '@';
	if (target_join(options ? &options->nodes : NULL, is_service ? NULL : part, &target->arena, &target->nodes, err) < 0)
		return -1;
	return target_join(options ? &options->services : NULL, is_service ? part + 1 : NULL, &target->arena, &target->services,
	    err);
}

int
target_parse(const char *text, const struct target_options *options, struct target *target, struct error *err)
{
	*target = (struct target){0};
	if (target_fill(text, options, target, err) == 0)
		return 0;
	target_release(target);
	return -1;
}

void
target_release(struct target *target)
{
	arena_release(&target->arena);
	*target = (struct target){0};
}

void
target_operand(const struct command *command, const char *text, const struct target_options *options, struct target *target)
{
	struct error err;

	if (target_parse(text, options, target, &err) < 0)
		exit(option_misuse(command, "%s", err.text));
}

void
target_operand_nodes(const struct command *command, const char *text, const struct target_options *options,
    struct target *target)
{
	struct error err;

	if (target_parse(text, options, target, &err) < 0 || target->service)
		exit(option_misuse(command, "'%s': expected CLUSTER, CLUSTER/NODE or CLUSTER/@SERVICE", text));
}

bool
target_is_whole(const struct target *target)
{
	return target->nodes.count == 0 && target->services.count == 0 && !target->service;
}

static bool
target_is_host(const char *hostname, const char *name)
{
	size_t length = strlen(name);

	return hostname && strncmp(hostname, name, length) == 0 && (!hostname[length] || hostname[length] == '.');
}

/* Returns whether a name, "1000" or "@nginx", names the node. */
static bool
target_names(const char *name, const struct node *node)
{
	char *end;

	if (name[0] == '@')
		return node_has(node, name + 1);
	if (strcmp(name, node->id) == 0 || target_is_host(node->hostname, name))
		return true;
	return name[strspn(name, "0123456789")] == '\0' && strtoll(name, &end, 10) == node->nodenum && !*end;
}

bool
target_has(const struct target *target, const struct node *node)
{
	bool named = target->nodes.count == 0, has = target->services.count == 0;

	for (size_t i = 0; i < target->nodes.count && !named; i++)
		named = target_names(target->nodes.list[i], node);
	for (size_t i = 0; i < target->services.count && !has; i++)
		has = node_has(node, target->services.list[i]);
	return named && has;
}

/* Appends the first nodes of a layout, or the one whose name is nearly this one. */
static void
target_append_known(const char *name, const struct layout *layout, struct arena *arena, struct buffer *text)
{
	const char **names = arena_alloc(arena, 3 * layout->node_count + 1, sizeof *names), *near;
	size_t count = 0;

	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		names[count++] = arena_printf(arena, "%lld", (long long)node->nodenum);
		names[count++] = node->id;
		if (node->hostname)
			names[count++] = arena_substring(arena, node->hostname, strcspn(node->hostname, "."));
	}
	near = strspn(name, "0123456789") == strlen(name) ? NULL : suggest_word(name, names);
	if (near) {
		buffer_printf(text, "; did you mean %s?", near);
		return;
	}
	buffer_text(text, "; there are");
	for (size_t i = 0; i < layout->node_count && i < NODES_SAID; i++)
		buffer_printf(text, "%s %lld", i ? "," : "", (long long)layout->nodes[i].nodenum);
	if (layout->node_count > NODES_SAID)
		buffer_text(text, ", ...");
}

/* Appends the services that nodes of a layout have, or the one whose name is nearly this one. */
static void
target_append_services(const char *name, const struct layout *layout, struct arena *arena, struct buffer *text)
{
	struct string_list known = {0};
	const char *near;
	size_t room = 1;

	for (size_t i = 0; i < layout->node_count; i++)
		room += layout->nodes[i].services.count;
	known.list = arena_alloc(arena, room, sizeof *known.list);
	for (size_t i = 0; i < layout->node_count; i++)
		for (size_t j = 0; j < layout->nodes[i].services.count; j++)
			if (!name_list_has(&known, layout->nodes[i].services.list[j]))
				known.list[known.count++] = layout->nodes[i].services.list[j];
	near = suggest_word(name, known.list);
	if (near)
		buffer_printf(text, "; did you mean %s?", near);
	for (size_t i = 0; !near && i < known.count && i < NODES_SAID; i++)
		buffer_printf(text, "%s %s", i ? "," : "; there are", known.list[i]);
	if (!near && known.count > NODES_SAID)
		buffer_text(text, ", ...");
}

static int
target_no_node(const char *cluster, const char *name, const struct layout *layout, struct error *err)
{
	struct buffer text = {0};
	struct arena arena = {0};

	if (layout->node_count == 0)
		return error_set(err, EX_NO, "%s: the cluster has no nodes; coopr show %s says why", cluster, cluster);
	if (name[0] == '@') {
		buffer_printf(&text, "no node has the service %s", name + 1);
		target_append_services(name + 1, layout, &arena, &text);
	} else {
		buffer_printf(&text, "there is no node %s", name);
		target_append_known(name, layout, &arena, &text);
	}
	error_set(err, EX_NO, "%s: %s", cluster, text.data);
	buffer_release(&text);
	arena_release(&arena);
	return -1;
}

/* Fails if a name, "1000" or "@nginx", names no node. */
static int
target_check(const char *cluster, const char *name, const struct layout *layout, struct error *err)
{
	for (size_t i = 0; i < layout->node_count; i++)
		if (target_names(name, &layout->nodes[i]))
			return 0;
	return target_no_node(cluster, name, layout, err);
}

const struct node *
target_first(const struct target *target, const struct layout *layout, struct error *err)
{
	char *name;
	int result = 0;

	for (size_t i = 0; i < target->nodes.count && result == 0; i++)
		result = target_check(target->cluster, target->nodes.list[i], layout, err);
	for (size_t i = 0; i < target->services.count && result == 0; i++) {
		name = memory_printf("@%s", target->services.list[i]);
		result = target_check(target->cluster, name, layout, err);
		free(name);
	}
	for (size_t i = 0; i < layout->node_count && result == 0; i++)
		if (target_has(target, &layout->nodes[i]))
			return &layout->nodes[i];
	if (result == 0)
		error_set(err, EX_NO, layout->node_count ? "%s: none of these nodes has such a service; coopr show %s shows which have"
		    : "%s: the cluster has no nodes; coopr show %s says why", target->cluster, target->cluster);
	return NULL;
}

int
target_narrow(const struct target *target, struct layout *layout, struct error *err)
{
	size_t count = 0;

	if (!target_first(target, layout, err))
		return -1;
	for (size_t i = 0; i < layout->node_count; i++) {
		if (target_has(target, &layout->nodes[i]))
			layout->nodes[count++] = layout->nodes[i];
		else
			jv_free(layout->nodes[i].source);
	}
	layout->node_count = count;
	return 0;
}

int
target_nodes(const char *cluster, const struct string_list *names, const struct layout *layout, struct arena *arena,
    struct string_list *ids, struct error *err)
{
	*ids = (struct string_list){.list = arena_alloc(arena, layout->node_count, sizeof *ids->list)};
	for (size_t i = 0; i < names->count; i++) {
		if (target_check(cluster, names->list[i], layout, err) < 0)
			return -1;
		for (size_t j = 0; j < layout->node_count; j++)
			if (target_names(names->list[i], &layout->nodes[j]) && !name_list_has(ids, layout->nodes[j].id))
				ids->list[ids->count++] = arena_string(arena, layout->nodes[j].id);
	}
	return 0;
}
