/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/fence.h"

#include "check/plan/judge.h"

/* Returns the first task of a chain that gets the configuration, or the first of all where the service must not be down meanwhile;
 * JUDGE_NONE if none gets it. */
static int
fence_target_of(const struct judge *judge, const struct chain *chain)
{
	for (size_t i = chain->first; i < chain->end; i++)
		if (action_table[judge->plan->steps[judge->tasks[i]].action].reads_config)
			return (int)judge->tasks[chain->rolls ? chain->first : i];
	return JUDGE_NONE;
}

/* Requires that the chains of a service with data come behind the deletion of a dead node that had it. */
static void
fence_require(struct judge *judge, uint32_t deletion)
{
	const struct layout *layout = &judge->plan->layout;
	const struct node *dead = &layout->nodes[judge->node_of[deletion]];

	for (size_t i = 0; i < judge->chain_count; i++) {
		const struct chain *chain = &judge->chains[i];
		int target = fence_target_of(judge, chain);

		if (target != JUDGE_NONE && !chain->assured && service_has_data(&layout->cluster.definitions[chain->service]) &&
		    name_set_has(&dead->was, judge->services.list[chain->service]))
			judge_require(judge, deletion, (uint32_t)target);
	}
}

void
fence_check(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->plan->count; i++)
		if (judge->node_of[i] != JUDGE_NONE && judge->dead[judge->node_of[i]] && judge->plan->steps[i].action == ACTION_DELETE)
			fence_require(judge, i);
}
