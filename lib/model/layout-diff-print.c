/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/diff.h"
#include "json/json.h"
#include "model/layout-diff.h"
#include "model/layout.h"
#include "model/name.h"

static void
layout_diff_print_whole(char sign, const struct node *node, struct buffer *out)
{
	buffer_printf(out, "%c node %s %s %s:", sign, node->id, node->hostname ? node->hostname : "-",
	    node->hardwaretype ? node->hardwaretype : "-");
	for (size_t i = 0; i < node->services.count; i++)
		buffer_printf(out, " %s", node->services.list[i]);
	buffer_byte(out, '\n');
}

/* Prints the names in list that other does not have; returns their number. */
static size_t
layout_diff_print_only(char sign, const struct string_list *list, const struct string_list *other, struct buffer *out)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!name_set_has(other, list->list[i])) {
			buffer_printf(out, " %c %s", sign, list->list[i]);
			count++;
		}
	return count;
}

static size_t
layout_diff_print_services(const struct node *before, const struct node *after, struct buffer *out)
{
	struct buffer line = {0};
	size_t count;

	buffer_printf(&line, "~ node %s", after->id);
	count = layout_diff_print_only('+', &after->services, &before->services, &line);
	count += layout_diff_print_only('-', &before->services, &after->services, &line);
	if (count)
		buffer_printf(out, "%s\n", line.data);
	buffer_release(&line);
	return count > 0;
}

/* Prints a member that differs; absent is as good as null. Returns the number of differences. */
static size_t
layout_diff_print_member(const struct node *before, const struct node *after, const char *name, struct buffer *out)
{
	jv from = json_get(before->source, name), to = json_get(after->source, name);
	bool same;

	from = jv_is_valid(from) ? from : jv_null();
	to = jv_is_valid(to) ? to : jv_null();
	same = jv_equal(jv_copy(from), jv_copy(to));
	if (!same) {
		buffer_printf(out, "~ node %s %s ", after->id, name);
		json_dump(from, out);
		buffer_text(out, " -> ");
		json_dump(to, out);
		buffer_byte(out, '\n');
	}
	jv_free(from);
	jv_free(to);
	return !same;
}

static size_t
layout_diff_print_changes(const struct node *before, const struct node *after, struct buffer *out)
{
	static const char *const members[] = {"hostname", "hardwaretype", "imagetype", "flavor", "image", "zone",
	    "ipaddresses"};
	size_t count = layout_diff_print_services(before, after, out);

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		count += layout_diff_print_member(before, after, members[i], out);
	return count;
}

size_t
layout_diff_print(const struct layout *before, const struct layout *after, struct buffer *out)
{
	size_t count, differences = 0;
	struct node_pair *pairs = layout_diff_nodes(before, after, &count);

	for (size_t i = 0; i < count; i++) {
		const struct node *was = pairs[i].before, *is = pairs[i].after;
		bool stays = is && !is->leaves;

		if (was && stays) {
			differences += layout_diff_print_changes(was, is, out);
		} else if (was || stays) {
			layout_diff_print_whole(was ? '-' : '+', was ? was : is, out);
			differences++;
		}
	}
	free(pairs);
	/* All of the configuration of a cluster that is created, or deleted, would be new, or gone. */
	if (jv_is_valid(before->cluster.config) && jv_is_valid(after->cluster.config))
		differences += json_diff(before->cluster.config, after->cluster.config, "config", out);
	return differences;
}
