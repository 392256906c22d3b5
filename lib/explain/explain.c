/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/explain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "check/layout/check.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/request.h"
#include "solve/assumptions.h"
#include "solve/program/condition.h"

enum { NODES_MAX = 20000 }; /* of the search, in one question; what is not known by then counts as possible */

struct explaining {
	const struct request *request;
	const struct layout *layout;
	struct demands demands;
	struct condition condition;
	struct arena *arena;
	struct explanation *explanation;
	struct error *err;
};

/* Returns the services of the node without the one in question, or with it if the node lacks it. */
static struct string_list
explain_services_otherwise(const struct explaining *q)
{
	const struct explanation *e = q->explanation;
	struct string_list list = {arena_alloc(q->arena, e->node->services.count + 1, sizeof *list.list), 0};

	for (size_t i = 0; i < e->node->services.count; i++)
		if (strcmp(e->node->services.list[i], e->service) != 0)
			list.list[list.count++] = e->node->services.list[i];
	if (!e->stands) {
		list.list[list.count++] = e->service;
		name_set_make(&list);
	}
	return list;
}

/* Finds the faults that the layout would have, and does not have now, if nothing but this were changed. */
static void
explain_change_alone(struct explaining *q)
{
	struct check_terms terms = {.demands = &q->demands, .moves_max = q->demands.moves_max};
	struct layout changed = *q->layout;
	struct node *nodes = arena_alloc(q->arena, changed.node_count, sizeof *nodes);
	struct fault *before = check_layout(q->request, q->layout, &terms, q->arena), *after, **last = &q->explanation->alone;

	memcpy(nodes, changed.nodes, changed.node_count * sizeof *nodes);
	nodes[q->explanation->node - q->layout->nodes].services = q->condition.with;
	changed.nodes = nodes;
	after = check_layout(q->request, &changed, &terms, q->arena);
	for (; after; after = after->next) {
		const struct fault *known = before;

		while (known && (strcmp(known->where, after->where) != 0 || strcmp(known->text, after->text) != 0))
			known = known->next;
		if (known)
			continue;
		*last = after;
		last = &after->next;
	}
	*last = NULL;
}

/* Looks for a layout that keeps the condition. Returns 1, with best also its worth, 0 if there is none, or -1. */
static int
explain_ask(struct explaining *q, bool best)
{
	struct assumptions assumptions = {.demands = &q->demands, .condition = &q->condition, .best = best, .nodes_max = NODES_MAX};
	struct amounts *otherwise = &q->explanation->otherwise;
	struct answer answer;
	int rc = solve_under(q->request, &assumptions, &answer, q->err);

	if (rc > 0 && best) {
		otherwise->list = arena_alloc(q->arena, answer.solution.objective.count, sizeof *otherwise->list);
		otherwise->count = answer.solution.objective.count;
		memcpy(otherwise->list, answer.solution.objective.list, otherwise->count * sizeof *otherwise->list);
	}
	answer_release(&answer);
	return rc;
}

/* Returns 1 if no layout keeps the condition and the demands that hold, 0 if one does or that is not known, or -1. */
static int
explain_contradicts(void *of, bool single)
{
	struct explaining *q = of;
	int rc = explain_ask(q, false);

	(void)single;
	return rc < 0 && q->err->code != EX_SOFTWARE ? -1 : rc == 0;
}

static const char *
explain_text_of(const struct explaining *q, const struct demand *demand, bool words)
{
	struct buffer out = {0};
	const char *text;

	if (words)
		demand_words(&q->demands, demand, &out);
	else
		demand_pointer(&q->demands, demand, &out);
	text = arena_string(q->arena, out.data);
	buffer_release(&out);
	return text;
}

/* Finds a smallest set of demands that leave no layout. */
static int
explain_find_rules(struct explaining *q)
{
	struct explanation *e = q->explanation;

	if (demands_reduce(&q->demands, 0, q->demands.count, explain_contradicts, q) < 0)
		return -1;
	e->rules.list = arena_alloc(q->arena, q->demands.count, sizeof *e->rules.list);
	e->words.list = arena_alloc(q->arena, q->demands.count, sizeof *e->words.list);
	for (size_t i = 0; i < q->demands.count; i++) {
		const struct demand *demand = &q->demands.list[i];

		if (!demand_holds(&q->demands, demand->kind, demand->index))
			continue;
		e->rules.list[e->rules.count++] = explain_text_of(q, demand, false);
		e->words.list[e->words.count++] = explain_text_of(q, demand, true);
	}
	return 0;
}

/* Finds out whether a layout can do with one instance less; if none can, says so. */
static int
explain_needed(struct explaining *q)
{
	struct explanation *e = q->explanation;
	const char **service = arena_alloc(q->arena, 1, sizeof *service);
	int rc;

	*service = e->service;
	q->condition = (struct condition){.layout = q->layout, .node = e->node, .with = {service, 1}, .less = true};
	demands_drop(&q->demands, 0, q->demands.count, false);
	rc = explain_contradicts(q, false);
	if (rc <= 0)
		return rc;
	e->verdict = EXPLAIN_NEEDED;
	e->because = arena_printf(q->arena, "there cannot be an instance less, but it could stand elsewhere; %s", e->because);
	return explain_find_rules(q);
}

/* Says by how much the layout would be worse otherwise, by the first objective in which they differ. */
static void
explain_compare_worth(struct explaining *q)
{
	const struct cluster_template *t = &q->request->template;
	struct explanation *e = q->explanation;

	e->verdict = EXPLAIN_PREFERRED;
	e->because = "otherwise the layout is worth as much, and this one is preferred (dense), or was found first";
	for (size_t i = 0; i < t->objective_count && t->objectives[i] != OBJECTIVE_DENSE; i++) {
		const struct objective_row *row = objective_row(t->objectives[i]);
		double now = amounts_value(&e->now, row->name, NAN), otherwise = amounts_value(&e->otherwise, row->name, NAN);

		if (!(fabs(now - otherwise) > 1e-6))
			continue;
		e->because = arena_printf(q->arena, "otherwise the layout %s %.12g%s %s", row->verb,
		    fabs(otherwise - now), row->unit, otherwise > now ? "more" : "less: this one is not the best");
		return;
	}
}

static int
explain_inquire(struct explaining *q)
{
	struct explanation *e = q->explanation;
	int rc;

	q->condition = (struct condition){.layout = q->layout, .node = e->node, .with = explain_services_otherwise(q),
	    .without = e->stands ? e->service : NULL};
	e->now = check_worth(q->request, q->layout, q->arena);
	explain_change_alone(q);
	rc = explain_ask(q, true);
	if (rc < 0 && q->err->code != EX_SOFTWARE)
		return -1;
	if (rc < 0) {
		e->verdict = EXPLAIN_UNKNOWN;
		e->because = "the search stopped before it found a layout that has it otherwise, or ruled one out";
		return 0;
	}
	if (rc > 0) {
		explain_compare_worth(q);
		return e->stands ? explain_needed(q) : 0;
	}
	e->verdict = EXPLAIN_FORCED;
	if (explain_find_rules(q) < 0)
		return -1;
	if (e->rules.count)
		e->because = e->stands ? "no layout leaves it out of one more machine like this one"
		                       : "no layout has it on one more machine like this one";
	else
		e->because = e->stands ? "no rule names it, and such services stand on every new node"
		                       : "no machine can be like this one and have it";
	return 0;
}

/* Returns the pointer to what makes the node leave: it is replaced, or has a service of which fewer instances are asked for, or fewer
 * machines are. */
static const char *
explain_leaving(const struct explaining *q)
{
	const struct node *node = q->explanation->node;
	const struct instances *asked = &q->request->cluster.instances;
	const struct string_list *had = node->services.count ? &node->services : &node->was;
	struct names more = {0}, fewer = {0};
	const char *pointer = node->replaced ? "/replace" : NULL;

	request_find_scaled(q->request, &more, &fewer);
	for (size_t i = 0; i < asked->count && !pointer; i++)
		if (names_find(&fewer, asked->list[i].service) != NAMES_NONE && name_list_has(had, asked->list[i].service))
			pointer = arena_printf(q->arena, "/cluster/instances/%s", asked->list[i].service);
	names_release(&more);
	names_release(&fewer);
	return pointer ? pointer : "/cluster/numMachines";
}

/* Returns true if the reason needs no search: the node leaves, or the service is not wanted. */
static bool
explain_is_plain(struct explaining *q)
{
	struct explanation *e = q->explanation;
	const char *pointer = NULL;

	if (e->node->leaves) {
		e->because = "the node leaves";
		pointer = explain_leaving(q);
	} else if (!name_set_has(&q->layout->cluster.services, e->service)) {
		e->because = "it is not asked for";
		pointer = q->request->cluster.services.count ? "/cluster/services" : "/template/defaults/services";
	}
	if (!pointer)
		return false;
	e->rules.list = arena_alloc(q->arena, 1, sizeof *e->rules.list);
	e->rules.list[e->rules.count++] = pointer;
	e->words.list = arena_alloc(q->arena, 1, sizeof *e->words.list);
	e->words.list[e->words.count++] = e->because;
	return true;
}

int
explain(const struct request *request, const struct layout *layout, const struct explain_terms *terms,
    struct arena *arena, struct explanation *explanation, struct error *err)
{
	struct explaining q = {.request = request, .layout = layout, .arena = arena, .explanation = explanation, .err = err};
	bool defined = false;
	int rc;

	*explanation = (struct explanation){.service = terms->service};
	for (size_t i = 0; i < layout->node_count && !explanation->node; i++) {
		const struct node *node = &layout->nodes[i];
		char number[32];

		snprintf(number, sizeof number, "%" PRId64, node->nodenum);
		if (strcmp(node->id, terms->node) == 0 || strcmp(number, terms->node) == 0 || strcmp(node->hostname, terms->node) == 0)
			explanation->node = node;
	}
	for (size_t i = 0; i < request->service_count; i++)
		defined = defined || strcmp(request->services[i].name, terms->service) == 0;
	if (!explanation->node)
		return error_set(err, EX_NO, "layout: no node \"%s\"", terms->node);
	if (!defined)
		return error_set(err, EX_NO, "request: /services: no service \"%s\" is defined", terms->service);
	explanation->stands = !explanation->node->leaves && node_has(explanation->node, terms->service);
	if (explain_is_plain(&q))
		return 0;
	demands_collect(request, &q.demands);
	q.demands.moves_max = terms->moves_max;
	rc = explain_inquire(&q);
	demands_release(&q.demands);
	return rc;
}
