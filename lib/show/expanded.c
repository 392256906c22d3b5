/* SPDX-License-Identifier: Apache-2.0 */
#include "show/expanded.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "model/show/output.h"
#include "operation/target.h"
#include "probe/question.h"
#include "status/status.h"

/* Sets a member of to from one of from. */
static void
expanded_copy(jv from, const char *name, jv *to)
{
	json_set(to, name, json_get(from, name));
}

static int
expanded_print_node(const struct questions *questions, size_t number, struct output *output, struct error *err)
{
	const struct node *node = &questions->layout->nodes[number];
	jv record = jv_object(), cluster;
	struct buffer text = {0};
	int result = questions_print_cluster(questions, number, &text, err);

	if (result == 0)
		result = json_parse("the configuration", buffer_string(&text), text.length, &cluster, err);
	if (result == 0) {
		json_set_string(&record, "kind", "expanded");
		json_set_string(&record, "node", node->id);
		json_set_string(&record, "hostname", node->hostname);
		expanded_copy(cluster, "config", &record);
		expanded_copy(cluster, "unexpanded", &record);
		output_document(output, record);
		jv_free(cluster);
	}
	buffer_release(&text);
	jv_free(record);
	return result;
}

int
expanded_print(struct cluster_status *status, const struct target *target, struct output *output, struct error *err)
{
	const struct layout *layout = &status->layout;
	struct questions questions;
	int result;

	if (status_layout(status, err) < 0 || !target_first(target, layout, err))
		return -1;
	result = questions_init(&questions, layout, err);
	for (size_t i = 0; i < layout->node_count && result == 0; i++)
		if (target_has(target, &layout->nodes[i]))
			result = expanded_print_node(&questions, i, output, err);
	questions_release(&questions);
	return result;
}
