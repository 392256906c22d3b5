/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/grouping.h"

#include <stdlib.h>

#include "base/buffer.h"

static void
grouping_number_names(struct grouping *grouping)
{
	const struct plan_document *document = grouping->document;

	grouping->of_id = memory_resize(NULL, document->count, sizeof *grouping->of_id);
	for (size_t i = 0; i < document->layout.node_count; i++)
		names_intern(&grouping->nodes, document->layout.nodes[i].id);
	for (size_t i = 0; i < document->count; i++) {
		size_t known = grouping->ids.count, id = (size_t)names_intern(&grouping->ids, document->steps[i].id);

		if (id == known)
			grouping->of_id[id] = i;
		if (!document->steps[i].is_milestone)
			names_intern(&grouping->nodes, document->steps[i].node);
	}
}

static size_t
grouping_group_of(const struct grouping *grouping, const struct step *step)
{
	return step->is_milestone ? grouping->nodes.count : (size_t)names_find(&grouping->nodes, step->node);
}

void
grouping_init(struct grouping *grouping, const struct plan_document *document)
{
	size_t groups, *next;

	*grouping = (struct grouping){.document = document};
	grouping_number_names(grouping);
	groups = grouping->nodes.count + 1;
	grouping->first = memory_zeroed(groups + 1, sizeof *grouping->first);
	grouping->steps = memory_resize(NULL, document->count, sizeof *grouping->steps);
	next = memory_zeroed(groups, sizeof *next);
	for (size_t i = 0; i < document->count; i++)
		grouping->first[grouping_group_of(grouping, &document->steps[i]) + 1]++;
	for (size_t i = 0; i < groups; i++) {
		grouping->first[i + 1] += grouping->first[i];
		next[i] = grouping->first[i];
	}
	for (size_t i = 0; i < document->count; i++)
		grouping->steps[next[grouping_group_of(grouping, &document->steps[i])]++] = i;
	free(next);
}

void
grouping_release(struct grouping *grouping)
{
	names_release(&grouping->nodes);
	names_release(&grouping->ids);
	free(grouping->first);
	free(grouping->steps);
	free(grouping->of_id);
}

const struct step *
grouping_step(const struct grouping *grouping, const char *id)
{
	int number = names_find(&grouping->ids, id);

	return number == NAMES_NONE ? NULL : &grouping->document->steps[grouping->of_id[number]];
}

void
grouping_describe(const struct step *step, struct buffer *out)
{
	const char *about = step->action == ACTION_BOOTSTRAP ? step->type : step->service;

	if (step->is_milestone)
		buffer_text(out, step->name ? step->name : step->id);
	else
		buffer_printf(out, "%s%s%s", action_name(step->action), about ? " " : "", about ? about : "");
}
