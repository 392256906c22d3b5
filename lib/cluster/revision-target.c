/* SPDX-License-Identifier: Apache-2.0
 *
 * The way back to a revision: its layout, with its configuration and its definitions, as the target of a plan.
 */
#include "cluster/revision.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "json/dump.h"
#include "json/json.h"
#include "model/layout.h"

/* Sets a member of the node's record to what the present one has. */
static void
revision_take_over(struct node *node, const struct node *present, const char *member)
{
	jv value = present ? json_get(present->source, member) : jv_invalid();

	if (jv_is_valid(value))
		json_set(&node->source, member, value);
	else
		node->source = jv_object_delete(node->source, jv_string(member));
}

/* Appends the revision's layout. What is known of its machines is that of those that are there now: machines that have left are
 * made anew, without the facts of the former ones. */
static int
revision_print(const char *name, const struct layout *now, struct layout *then, struct buffer *text, struct error *err)
{
	static const char *const members[] = {"facts", "ipaddresses"};

	then->cluster.name = name;
	cluster_print(&then->cluster, text);
	for (size_t i = 0; i < then->node_count; i++) {
		struct node *node = &then->nodes[i];
		const struct node *present = layout_node(now, node->id);

		if (node->leaves || node->is_new)
			continue;
		if (present && present->unready)
			return error_set(err, EX_NO, "%s: the machine of node %s was made only in part; coopr delete %s removes the cluster",
			    name, node->id, name);
		for (size_t j = 0; j < sizeof members / sizeof *members; j++)
			revision_take_over(node, present, members[j]);
		node->facts = node->ipaddresses = jv_invalid();
		node->partial = (struct string_list){0};
		node->stopped = present ? present->stopped : (struct string_list){0};
		node->taken_out = present ? present->taken_out : (struct string_list){0};
		node_print(node, text);
	}
	return 0;
}

/* Adds the machines that were created only in part, and are not in the target: they are deleted without anything done on them,
 * since they may not answer. */
static void
revision_push_dead(const struct layout *now, const struct layout *then, struct arguments *dead)
{
	for (size_t i = 0; i < now->node_count; i++) {
		const struct node *node = &now->nodes[i];

		if (!node->is_new && node->was.count < node->services.count && !layout_node(then, node->id))
			arguments_push(dead, node->id);
	}
}

int
revision_target(const struct revision *revision, const char *name, const char *present, struct buffer *layout, struct arguments *dead,
    struct error *err)
{
	struct layout now, then = {0};
	int result = layout_parse_text(present ? present : "", &now, err);

	if (result == 0)
		result = layout_parse_text(revision->layout, &then, err);
	if (result == 0)
		result = revision_print(name, &now, &then, layout, err);
	if (result == 0)
		revision_push_dead(&now, &then, dead);
	layout_release(&then);
	layout_release(&now);
	return result;
}

int
revision_request(const struct revision *revision, const char *name, jv *request, struct error *err)
{
	jv cluster;

	if (json_parse("the request", revision->request, strlen(revision->request), request, err) < 0)
		return -1;
	cluster = json_get(*request, "cluster");
	json_set_string(&cluster, "name", name);
	json_set(request, "cluster", cluster);
	return 0;
}
