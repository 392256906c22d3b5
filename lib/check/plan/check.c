/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "check/plan/absence.h"
#include "check/plan/chain.h"
#include "check/plan/complete.h"
#include "check/plan/fence.h"
#include "check/plan/heirs.h"
#include "check/plan/judge.h"
#include "check/plan/limit.h"
#include "check/plan/node-order.h"
#include "check/plan/round.h"
#include "check/plan/service-order.h"
#include "check/plan/volume-order.h"

static void
check_number_names(struct judge *judge)
{
	const struct plan_document *plan = judge->plan;

	for (size_t i = 0; i < plan->layout.node_count; i++) {
		struct place node = judge_node_place(judge, i);

		if ((size_t)names_intern(&judge->nodes, plan->layout.nodes[i].id) != i)
			place_problem(&node, "a second node with the id \"%s\"", plan->layout.nodes[i].id);
	}
	for (size_t i = 0; i < plan->job.dead.count; i++) {
		int node = names_find(&judge->nodes, plan->job.dead.list[i]);

		if (node != NAMES_NONE)
			judge->dead[node] = true;
	}
	for (size_t i = 0; i < plan->layout.cluster.definition_count; i++)
		names_intern(&judge->services, plan->layout.cluster.definitions[i].name);
	for (size_t i = 0; i < plan->count; i++) {
		struct place step = judge_place(judge, i);

		if ((size_t)names_intern(&judge->steps, plan->steps[i].id) != i)
			place_problem(&step, "a second step with the id \"%s\"", plan->steps[i].id);
	}
}

/* Numbers what each step waits for. It has to stand before the step: so there is an order, and this is one. */
static void
check_number_steps(struct judge *judge)
{
	const struct plan_document *plan = judge->plan;
	size_t room = 0, count = 0, *last; /* of each step: the last that comes after it, counted from 1 */

	for (size_t i = 0; i < plan->count; i++)
		room += plan->steps[i].after.count;
	judge->before = memory_resize(NULL, room, sizeof *judge->before);
	judge->first = memory_zeroed(plan->count + 1, sizeof *judge->first);
	last = memory_zeroed(plan->count, sizeof *last);
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		struct place place = judge_place(judge, i);

		for (size_t j = 0; j < step->after.count; j++) {
			int before = names_find(&judge->steps, step->after.list[j]);

			if (before == NAMES_NONE || (size_t)before >= i)
				place_problem(&place, "%s comes after %s, which does not stand before it", step->id,
				    step->after.list[j]);
			else if (last[before] != i + 1)
				judge->before[count++] = (uint32_t)before;
			if (before != NAMES_NONE)
				last[before] = i + 1;
		}
		judge->first[i + 1] = count;
	}
	free(last);
}

/* Tells whether some service on the node has an action of that automator. */
static bool
check_is_automator_of(const struct judge *judge, const struct node *node, const char *type)
{
	const struct cluster *cluster = &judge->plan->layout.cluster;

	for (size_t i = 0; i < node->services.count; i++) {
		const struct service *services[] = {cluster_definition(cluster, node->services.list[i]),
			cluster_definition_before(cluster, node->services.list[i])};

		for (int j = 0; j < 2; j++)
			for (int action = 0; services[j] && action < ACTION_COUNT; action++)
				if (services[j]->actions[action].present && strcmp(services[j]->actions[action].type, type) == 0)
					return true;
	}
	return false;
}

static void
check_node_task(const struct judge *judge, size_t number)
{
	const struct step *step = &judge->plan->steps[number];
	const struct layout *layout = &judge->plan->layout;
	struct place place = judge_place(judge, number);
	bool is_bootstrap = step->action == ACTION_BOOTSTRAP;
	const char *type = step->action == ACTION_MOUNT ? ACTION_MOUNT_TYPE : layout->cluster.provider.providertype;

	if (is_bootstrap && !check_is_automator_of(judge, &layout->nodes[judge->node_of[number]], step->type))
		place_problem(&place, "%s: no service on %s has the automator %s", step->id, step->node, step->type);
	if (!is_bootstrap && strcmp(step->type, type) != 0)
		place_problem(&place, "%s: the %s is of type %s, not %s", step->id, step->action == ACTION_MOUNT ? "automator" : "provider", type,
		    step->type);
}

/* A task uses the scripts that were kept where its definition says so, and today's where it does not. */
static void
check_scripts(const struct step *step, const struct service_action *action, struct place *place)
{
	const char *kept = action->kept && action->digest ? action->digest : "today's";
	const char *used = step->scripts ? step->scripts : "today's";

	if (strcmp(kept, used) != 0)
		place_problem(place, "%s: the scripts of %s %s are %s, not %s", step->id, action_name(step->action), step->service, kept, used);
}

static void
check_service_task(const struct judge *judge, size_t number)
{
	const struct step *step = &judge->plan->steps[number];
	const struct layout *layout = &judge->plan->layout;
	const struct node *node = &layout->nodes[judge->node_of[number]];
	bool takes_down = ACTION_BIT(step->action) & ACTIONS_TAKE_DOWN;
	const struct service *service = takes_down ? cluster_definition_before(&layout->cluster, step->service)
	                                           : cluster_definition(&layout->cluster, step->service);
	struct place place = judge_place(judge, number);

	if (!service)
		place_problem(&place, "%s: there is no definition of the service %s", step->id, step->service);
	else if (!service->actions[step->action].present)
		place_problem(&place, "%s: the service %s has no action %s", step->id, step->service,
		    action_name(step->action));
	else if (strcmp(service->actions[step->action].type, step->type) != 0)
		place_problem(&place, "%s: the automator of %s %s is %s, not %s", step->id, action_name(step->action),
		    step->service, service->actions[step->action].type, step->type);
	else
		check_scripts(step, &service->actions[step->action], &place);
	if (!name_set_has(&node->services, step->service) && !name_set_has(&node->was, step->service))
		place_problem(&place, "%s: the service %s neither is nor was on %s", step->id, step->service, step->node);
}

/* Checks each task by itself: it is about what there is, and there is no second one of it. */
static void
check_tasks(struct judge *judge)
{
	const struct plan_document *plan = judge->plan;
	struct arena arena = {0};
	struct names tasks = {0};
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		struct place place = judge_place(judge, i);

		judge->node_of[i] = step->is_milestone ? JUDGE_NONE : names_find(&judge->nodes, step->node);
		judge->service_of[i] = step->service ? names_find(&judge->services, step->service) : JUDGE_NONE;
		if (step->is_milestone)
			continue;
		if (!step->without && (size_t)names_intern(&tasks, arena_printf(&arena, "%s %s %s %s", action_name(step->action),
		    step->service ? step->service : "", step->node, step->type)) != count++)
			place_problem(&place, "%s: a second %s of the same", step->id, action_name(step->action));
		if (judge->node_of[i] == JUDGE_NONE)
			place_problem(&place, "%s: there is no node %s", step->id, step->node);
		else if (judge->dead[judge->node_of[i]] && step->action != ACTION_DELETE)
			place_problem(&place, "%s: the machine of %s does not answer", step->id, step->node);
		else if (step->service)
			check_service_task(judge, i);
		else
			check_node_task(judge, i);
	}
	names_release(&tasks);
	arena_release(&arena);
}

static bool
check_is_near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * (1 + fabs(b));
}

/* Compares the ranks with the longest ways behind each step, from the last to the first. */
static void
check_ranks(const struct judge *judge)
{
	const struct plan_document *plan = judge->plan;
	double *behind = memory_zeroed(plan->count, sizeof *behind), longest = 0;

	for (size_t i = plan->count; i-- > 0;) {
		const struct step *step = &plan->steps[i];
		double rank = step->expect_s + behind[i];
		struct place place = judge_place(judge, i);

		if (!check_is_near(step->rank, rank))
			place_problem(&place, "%s: its rank is %g, not %g", step->id, rank, step->rank);
		for (size_t j = judge->first[i]; j < judge->first[i + 1]; j++)
			behind[judge->before[j]] = fmax(behind[judge->before[j]], rank);
		longest = fmax(longest, rank);
	}
	if (!check_is_near(plan->job.critical_path_s, longest))
		place_problem(&(struct place){.problems = judge->findings}, "the critical path takes %g s, not %g", longest,
		    plan->job.critical_path_s);
	free(behind);
}

/* Reports a wrong number of tasks, a node that is created or confirmed only, and one that outlives its cluster. */
static void
check_whole(const struct judge *judge)
{
	const struct plan_document *plan = judge->plan;
	size_t nodes = plan->layout.node_count, tasks = 0;
	unsigned *done = memory_zeroed(nodes, sizeof *done);

	for (size_t i = 0; i < plan->count; i++) {
		tasks += !plan->steps[i].is_milestone;
		if (judge->node_of[i] != JUDGE_NONE)
			done[judge->node_of[i]] |= ACTION_BIT(plan->steps[i].action);
	}
	if (tasks != plan->job.tasks)
		place_problem(&(struct place){.problems = judge->findings}, "the job has %zu %s, its record says %zu",
		    tasks, plural(tasks, "task", "tasks"), plan->job.tasks);
	for (size_t i = 0; i < nodes; i++) {
		const struct node *node = &plan->layout.nodes[i];
		struct place place = judge_node_place(judge, i);
		bool is_created = done[i] & ACTION_BIT(ACTION_CREATE), is_confirmed = done[i] & ACTION_BIT(ACTION_CONFIRM);

		if (is_created != is_confirmed)
			place_problem(&place, "%s is %s", node->id, is_created ? "created, not confirmed" : "confirmed, not created");
		if (judge->action->deletes && !(done[i] & ACTION_BIT(ACTION_DELETE)))
			place_problem(&place, "%s is not deleted", node->id);
	}
	free(done);
}

void
plan_check(const struct plan_document *document, struct problems *findings)
{
	struct judge judge = {
		.plan = document,
		.action = cluster_action_of_job(document->job.action),
		.findings = findings,
		.node_of = memory_resize(NULL, document->count, sizeof *judge.node_of),
		.service_of = memory_resize(NULL, document->count, sizeof *judge.service_of),
	};

	judge.dead = memory_zeroed(document->layout.node_count, sizeof *judge.dead);
	judge.by_pairs = document->job.max_unavailable && cluster_action_replaces(judge.action);
	check_number_names(&judge);
	check_number_steps(&judge);
	if (findings->total == 0) {
		check_tasks(&judge);
		if (findings->total == 0) { /* the order is only checked if all tasks are about what there is */
			chain_check_all(&judge);
			heirs_find(&judge);
			judge.hands_over = !judge.heirs && volume_order_hands_over(&judge);
			complete_check(&judge);
			node_order_check(&judge);
			volume_order_check(&judge);
			service_order_check(&judge);
			fence_check(&judge);
			limit_check(&judge);
			heirs_check(&judge);
			absence_check(&judge);
			round_check(&judge);
			judge_prove(&judge);
		}
		check_whole(&judge);
		check_ranks(&judge); /* at last: one edge too few makes many of them wrong */
	}
	names_release(&judge.steps);
	names_release(&judge.nodes);
	names_release(&judge.services);
	free(judge.node_of);
	free(judge.service_of);
	free(judge.first);
	free(judge.before);
	free(judge.dead);
	free(judge.heirs);
	free(judge.tasks);
	free(judge.chains);
	free(judge.unproved);
}
