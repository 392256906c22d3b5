/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/steps.h"

#include <stdlib.h>

#include "plan/builder.h"
#include "plan/handover.h"
#include "plan/pairs.h"
#include "plan/rounds.h"
#include "plan/tasks.h"
#include "plan/volumes.h"
#include "plan/waits.h"

void
steps_build(struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope, const struct expectations *history)
{
	struct builder builder;

	*steps = (struct steps){0};
	builder_init(&builder, steps, arena, layout, dependencies, scope, history);
	builder.hands_over = !scope->heirs && volumes_change_hands(layout, scope);
	pairs_find(&builder);
	tasks_add(&builder);
	waits_add(&builder);
	pairs_add(&builder);
	handover_add(&builder);
	volumes_add_waits(&builder);
	builder_add_batches(&builder);
	rounds_add(&builder);
	builder_release(&builder);
}

void
steps_release(struct steps *steps)
{
	free(steps->list);
	free(steps->nodes);
	graph_release(&steps->graph);
	*steps = (struct steps){0};
}
