/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a plan by the node they are done to.
 */
#ifndef MODEL_SHOW_GROUPING_H
#define MODEL_SHOW_GROUPING_H

#include "base/names.h"
#include "model/plan-document.h"

struct grouping {
	const struct plan_document *document;
	struct names nodes; /* first those of the layout, by their place in it, then others that tasks name */
	size_t *first;      /* steps[first[n]] .. steps[first[n + 1] - 1] are those of node n, in order; the milestones are */
	size_t *steps;      /* those of the group behind the last node */
	struct names ids;
	size_t *of_id;      /* of each id: its first step */
};

/* The ids of the layout's nodes have to be different ones. */
void grouping_init(struct grouping *grouping, const struct plan_document *document);
void grouping_release(struct grouping *grouping);

/* The step of that id, NULL where there is none. */
const struct step *grouping_step(const struct grouping *grouping, const char *id);

/* Appends what a step is about: "install zk", "bootstrap shell", "create", "started: zk". */
void grouping_describe(const struct step *step, struct buffer *out);

#endif
