/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/unavailable.h"
#include "plan/absent.h"
#include "plan/dependency.h"
#include "plan/handover.h"
#include "plan/lookups.h"
#include "plan/scope.h"
#include "plan/steps.h"
#include "plan/stopped.h"

enum { ID_SIZE = 16, PRINT_SIZE = 256 * 1024 };

/* Numbers the steps in their order: "t1", "t2", ... and "m1", "m2", ... */
static void
plan_give_ids(struct plan *plan)
{
	char *ids = arena_alloc(&plan->arena, plan->count, ID_SIZE);
	unsigned tasks = 0, milestones = 0;

	for (size_t i = 0; i < plan->count; i++, ids += ID_SIZE) {
		bool is_milestone = plan->steps[i].is_milestone;

		snprintf(ids, ID_SIZE, "%c%u", is_milestone ? 'm' : 't', is_milestone ? ++milestones : ++tasks);
		plan->steps[i].id = ids;
	}
	plan->job.tasks = tasks;
}

/* Lists what each step comes after, in the order of the steps, each once. */
static void
plan_give_predecessors(struct plan *plan)
{
	const struct neighbours *successors = &plan->successors;
	const char **lists = arena_alloc(&plan->arena, successors->first[plan->count], sizeof *lists);
	size_t *room = memory_zeroed(plan->count, sizeof *room);

	for (size_t i = 0; i < successors->first[plan->count]; i++)
		room[successors->list[i]]++;
	for (size_t i = 0; i < plan->count; lists += room[i++])
		plan->steps[i].after = (struct string_list){lists, 0};
	for (size_t i = 0; i < plan->count; i++) {
		for (size_t j = successors->first[i]; j < successors->first[i + 1]; j++) {
			struct string_list *after = &plan->steps[successors->list[j]].after;

			if (after->count == 0 || after->list[after->count - 1] != plan->steps[i].id)
				after->list[after->count++] = plan->steps[i].id;
		}
	}
	free(room);
}

/* Rounds to microseconds, so that sums of tenths look like tenths. */
static double
plan_round_seconds(double seconds)
{
	return round(seconds * 1e6) / 1e6;
}

/* Gives each step its rank: the seconds from its start to the end of the plan, along the longest way. */
static void
plan_give_ranks(struct plan *plan)
{
	const struct neighbours *successors = &plan->successors;
	double *ranks = memory_zeroed(plan->count, sizeof *ranks), highest = 0;

	for (size_t i = plan->count; i-- > 0;) {
		double longest = 0;

		for (size_t j = successors->first[i]; j < successors->first[i + 1]; j++)
			longest = fmax(longest, ranks[successors->list[j]]);
		ranks[i] = plan->steps[i].expect_s + longest;
		plan->steps[i].rank = plan_round_seconds(ranks[i]);
		highest = fmax(highest, ranks[i]);
	}
	plan->job.critical_path_s = plan_round_seconds(highest);
	free(ranks);
}

/* Puts the steps into an order in which each comes behind all that it waits for, and numbers the graph over them likewise. */
static int
plan_order_steps(struct plan *plan, struct steps *steps, struct error *err)
{
	struct neighbours successors = graph_successors(&steps->graph);
	size_t count = steps->graph.vertices;
	uint32_t *order = memory_resize(NULL, count, sizeof *order), *positions = memory_resize(NULL, count, sizeof *positions);
	bool acyclic = graph_order(&successors, order);

	plan->count = count;
	plan->steps = arena_alloc(&plan->arena, count, sizeof *plan->steps);
	plan->nodes = arena_alloc(&plan->arena, count, sizeof *plan->nodes);
	for (uint32_t i = 0; acyclic && i < count; i++) {
		positions[order[i]] = i;
		plan->steps[i] = steps->list[order[i]];
		plan->nodes[i] = steps->nodes[order[i]];
	}
	for (size_t i = 0; acyclic && i < steps->graph.edge_count; i++) {
		struct graph_edge *edge = &steps->graph.edges[i];

		*edge = (struct graph_edge){positions[edge->from], positions[edge->to]};
	}
	if (acyclic)
		plan->successors = graph_successors(&steps->graph);
	neighbours_release(&successors);
	free(order);
	free(positions);
	return acyclic ? 0 : error_set(err, EX_SOFTWARE, "the steps of the plan wait for each other; please report this");
}

/* Returns -1 if the services cannot be put in order at all, as far as the scope needs an order. */
static int
plan_check_dependencies(const struct dependencies *dependencies, const struct scope *scope, struct error *err)
{
	const unsigned install = ACTION_BIT(ACTION_INSTALL) | ACTION_BIT(ACTION_REMOVE);
	const unsigned runtime = ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_DRAIN) | ACTIONS_STOP | ACTIONS_UP;
	bool rolls = scope->rolling && scope->in_place & ~ACTION_BIT(ACTION_BOOTSTRAP);

	if (scope->actions & install && dependencies_acyclic(dependencies, DEPENDENCY_INSTALL, err) < 0)
		return -1;
	if ((scope->actions & runtime || rolls) && dependencies_acyclic(dependencies, DEPENDENCY_RUNTIME, err) < 0)
		return -1;
	if (scope->rolling && scope->in_place & install && dependencies_acyclic(dependencies, DEPENDENCY_EITHER, err) < 0)
		return error_prefix(err, "service by service there is no order");
	return 0;
}

/* Returns -1 if nodes that are replaced one after the other would have to know all addresses before the last is there. */
static int
plan_check_addresses(struct arena *arena, const struct layout *layout, const struct scope *scope, struct error *err)
{
	struct string_list asked = {0};

	if (scope->by_pairs)
		asked = lookups_addresses(layout, arena);
	for (size_t i = 0; i < layout->node_count; i++)
		for (size_t j = 0; scope->node_actions[i] == ACTIONS_MAKE && j < asked.count; j++)
			if (node_has(&layout->nodes[i], asked.list[j]))
				return error_set(err, EX_NO,
				    "the configuration asks for the addresses of %s, of which new nodes are made: "
				    "these have to be made at once", asked.list[j]);
	return 0;
}

/* Finds which nodes hand over their volumes a few at a time. Where they cannot, all do at once, unless a limit was asked for. */
static int
plan_find_heirs(const struct layout *layout, const struct dependencies *dependencies, const struct plan_parameters *parameters,
    struct scope *scope, struct error *err)
{
	struct error why;

	if (handover_find(scope, layout, dependencies, &why) == 0 || strcmp(parameters->max_unavailable, UNAVAILABLE_AUTO) == 0)
		return 0;
	return error_set(err, why.code, "%s; replace some of the nodes at a time, by their names, or all at once with --max-unavailable %s", why.text,
	    UNAVAILABLE_ALL);
}

/* Fills in what the job record says of the scope. */
static void
plan_describe_job(struct plan *plan, const struct layout *layout, const struct dependencies *dependencies,
    const struct plan_parameters *parameters, const struct scope *scope)
{
	struct job *job = &plan->job;

	job->has_scope = true;
	job->scope_action = parameters->action;
	job->scope_services = parameters->services;
	job->scope_graceful = parameters->graceful;
	job->scope_max_unavailable = scope->standing ? scope->max_unavailable : NULL;
	job->scope_nodes.list = arena_alloc(&plan->arena, layout->node_count, sizeof *job->scope_nodes.list);
	for (size_t i = 0; parameters->nodes.count && i < layout->node_count; i++)
		if (scope->chosen[i])
			job->scope_nodes.list[job->scope_nodes.count++] = layout->nodes[i].id;
	job->action = scope->job_action;
	job->rolling = scope->rolling;
	job->max_unavailable = scope->rolling ? scope->max_unavailable : NULL;
	job->dead.list = arena_alloc(&plan->arena, layout->node_count, sizeof *job->dead.list);
	for (size_t i = 0; i < layout->node_count; i++)
		if (scope->dead[i])
			job->dead.list[job->dead.count++] = layout->nodes[i].id;
	job->without = absent_of_layout(layout, dependencies, &plan->arena);
}

/* Says of each restore what it puts back. EX_NO where the plan has none of an instance that is named. */
static int
plan_give_archives(struct plan *plan, const struct string_list *archives, struct error *err)
{
	for (size_t i = 0; i < archives->count; i++) {
		const char *equals = strchr(archives->list[i], '=');
		char *where = arena_substring(&plan->arena, archives->list[i], equals ? (size_t)(equals - archives->list[i]) : 0);
		char *slash = strchr(where, '/');
		bool found = false;

		if (!slash || !name_is_valid(equals + 1))
			return error_set(err, EX_USAGE, "archive \"%s\": expected NODE/SERVICE=ID", archives->list[i]);
		for (size_t j = 0; j < plan->count; j++) {
			struct step *step = &plan->steps[j];

			if (step->action == ACTION_RESTORE && strcmp(step->service, slash + 1) == 0 &&
			    strlen(step->node) == (size_t)(slash - where) && strncmp(step->node, where, (size_t)(slash - where)) == 0) {
				step->archive = equals + 1;
				found = true;
			}
		}
		if (!found)
			return error_set(err, EX_NO, "%s: nothing is restored there", where);
	}
	return 0;
}

int
plan_make(struct plan *plan, struct layout *layout, const struct plan_parameters *parameters, const char *job_id,
    const struct expectations *history, struct error *err)
{
	struct dependencies dependencies;
	struct steps steps = {0};
	struct scope scope = {0};
	int result = -1;

	*plan = (struct plan){.job = {.id = job_id, .cluster = layout->cluster.id, .tenant = layout->cluster.tenant}};
	dependencies_init(&dependencies, layout);
	if (stopped_mark(layout, &dependencies, parameters, err) == 0 && scope_init(&scope, layout, &dependencies, parameters, err) == 0 &&
	    plan_check_dependencies(&dependencies, &scope, err) == 0 &&
	    plan_check_addresses(&plan->arena, layout, &scope, err) == 0 && plan_find_heirs(layout, &dependencies, parameters, &scope, err) == 0) {
		plan_describe_job(plan, layout, &dependencies, parameters, &scope);
		steps_build(&steps, &plan->arena, layout, &dependencies, &scope, history);
		result = plan_order_steps(plan, &steps, err);
	}
	if (result == 0) {
		plan_give_ids(plan);
		plan_give_predecessors(plan);
		plan_give_ranks(plan);
		result = plan_give_archives(plan, &parameters->archives, err);
	}
	steps_release(&steps);
	scope_release(&scope);
	dependencies_release(&dependencies);
	return result < 0 ? error_prefix(err, "cluster %s", layout->cluster.id) : 0;
}

void
plan_release(struct plan *plan)
{
	neighbours_release(&plan->successors);
	arena_release(&plan->arena);
	*plan = (struct plan){0};
}

/* Writes the lines to the stream if they are enough bytes to be worth a write. */
static void
plan_flush_lines(struct buffer *lines, size_t enough, FILE *stream)
{
	if (lines->length < enough)
		return;
	fwrite(lines->data, 1, lines->length, stream);
	buffer_clear(lines);
}

void
plan_print(const struct plan *plan, const struct layout *layout, FILE *stream)
{
	struct buffer lines = {0};

	job_print(&plan->job, &lines);
	cluster_print(&layout->cluster, &lines);
	for (size_t i = 0; i < layout->node_count; i++) {
		node_print(&layout->nodes[i], &lines);
		plan_flush_lines(&lines, PRINT_SIZE, stream);
	}
	for (size_t i = 0; i < plan->count; i++) {
		step_print(&plan->steps[i], &lines);
		plan_flush_lines(&lines, PRINT_SIZE, stream);
	}
	plan_flush_lines(&lines, 1, stream);
	buffer_release(&lines);
}
