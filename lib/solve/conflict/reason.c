/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/reason.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/conflict/conflict.h"
#include "solve/conflict/relaxation.h"
#include "solve/conflict/violation.h"
#include "solve/lp/presolve.h"
#include "solve/program/program.h"
#include "solve/search/extreme.h"

/* Returns how much a sentence about a demand helps; the sentence is about the demand with the highest. */
static int
reason_interest(const struct demand *demand)
{
	switch (demand->kind) {
	case DEMAND_MIN:
		return 4;
	case DEMAND_MACHINES_MIN: case DEMAND_SIZE_MIN:
		return 3;
	case DEMAND_PLACED:
		return 2;
	case DEMAND_MAX: case DEMAND_MACHINES_MAX: case DEMAND_SIZE_MAX:
		return 1;
	default:
		return 0;
	}
}

static const struct demand *
reason_subject_of(const struct demand **list, size_t count)
{
	const struct demand *best = list[0];

	for (size_t i = 1; i < count; i++)
		if (reason_interest(list[i]) > reason_interest(best))
			best = list[i];
	return best;
}

static bool
reason_is_about_machines(const struct demand *demand)
{
	return demand->kind == DEMAND_MACHINES_MIN || demand->kind == DEMAND_MACHINES_MAX ||
	    demand->kind == DEMAND_SIZE_MIN || demand->kind == DEMAND_SIZE_MAX;
}

static int
reason_unit_about(const struct program *p, const struct demand *demand)
{
	const char *service = demand->kind == DEMAND_PLACED ? demand_service(p->request, demand->index)
	                                                    : p->request->template.constraints[demand->index].service;

	return p->unit_of[program_find_service(p, service)];
}

/* Returns what would be possible without the demand: the least (sign 1) or most of what it is about, -1 where that is
 * not known. */
static int64_t
reason_possible(const struct reason *reason, const struct demand *demand, int sign)
{
	struct demands *demands = reason->demands;
	struct budget part = budget_part(reason->budget, CONFLICT_QUESTION);
	struct program program;
	struct error err;
	int64_t value = -1;

	demand_drop(demands, demand, true);
	if (presolve(demands->request, demands, &program, &err) == 0)
		value = extreme_of(&program, reason_is_about_machines(demand) ? ANY : reason_unit_about(&program, demand), sign,
		    &part);
	program_release(&program);
	budget_take(reason->budget, &part);
	demand_drop(demands, demand, false);
	return value;
}

static int64_t
reason_asked_for(const struct request *r, const struct demand *demand)
{
	switch (demand->kind) {
	case DEMAND_MACHINES_MIN:
		return r->cluster.machines_min;
	case DEMAND_MACHINES_MAX:
		return r->cluster.machines_max;
	case DEMAND_SIZE_MIN:
		return r->template.size_min;
	case DEMAND_SIZE_MAX:
		return r->template.size_max;
	case DEMAND_MIN:
		return r->template.constraints[demand->index].min;
	case DEMAND_MAX:
		return r->template.constraints[demand->index].max;
	default:
		return 1;
	}
}

/* Appends ": at most 4 machines are possible" if the search can tell. */
static void
reason_append_possible(const struct reason *reason, const struct demand *demand, struct buffer *out)
{
	int64_t asked = reason_asked_for(reason->demands->request, demand), most = reason_possible(reason, demand, -1),
	    number;
	bool below = most >= 0 && most < asked;

	number = below ? most : reason_possible(reason, demand, 1);
	if (!below && number <= asked)
		return;
	if (number == 0) {
		buffer_printf(out, ": no %s is possible", reason_is_about_machines(demand) ? "machine" : "instance");
		return;
	}
	buffer_printf(out, ": at %s %" PRId64 " %s %s %s", below ? "most" : "least", number,
	    reason_is_about_machines(demand) ? number == 1 ? "machine" : "machines" : number == 1 ? "instance" : "instances",
	    number == 1 ? "is" : "are", below ? "possible" : "necessary");
}

/* Returns the first member that the present layout breaks, or NULL. */
static const struct violation *
reason_broken_member(const struct reason *reason)
{
	for (size_t i = 0; i < reason->violations->count; i++) {
		const struct violation *violation = &reason->violations->list[i];

		if (demand_holds(reason->demands, violation->demand.kind, violation->demand.index))
			return violation;
	}
	return NULL;
}

static bool
reason_is_one_rule(const struct reason *reason)
{
	return reason->count - (reason->demands->request->node_count && demand_holds(reason->demands, DEMAND_NODES, 0)) == 1;
}

static void
reason_append_violation(const struct violation *violation, struct buffer *out)
{
	buffer_text(out, "the present layout breaks that already");
	if (violation->node)
		buffer_printf(out, ", on %s", violation->node->id);
}

/* Appends a member's words. Of several rules, the one that is broken is said to be so here. */
static void
reason_append_member(const struct reason *reason, const struct demand *demand, struct buffer *out)
{
	const struct violation *violation = reason_is_one_rule(reason) ? NULL : reason_broken_member(reason);

	demand_words(reason->demands, demand, out);
	if (!violation || violation->demand.kind != demand->kind || violation->demand.index != demand->index)
		return;
	buffer_text(out, " (");
	reason_append_violation(violation, out);
	buffer_byte(out, ')');
}

static void
reason_append_others(const struct reason *reason, const struct demand *subject, struct buffer *out)
{
	size_t told = 0;

	for (size_t i = 0; i < reason->count; i++) {
		if (reason->list[i] == subject)
			continue;
		if (told)
			buffer_text(out, told + 2 < reason->count ? ", " : " and ");
		reason_append_member(reason, reason->list[i], out);
		told++;
	}
}

/* Appends why one member alone is too much, which its words may not say. */
static void
reason_append_alone(const struct request *r, const struct demand *demand, struct buffer *out)
{
	switch (demand->kind) {
	case DEMAND_COUNT_RULE: case DEMAND_NODES: case DEMAND_MIN:
		buffer_text(out, ", which cannot be");
		break;
	case DEMAND_AVAILABLE:
		buffer_printf(out, ", and provider %s offers no other type", r->provider.name);
		break;
	default:
		break;
	}
}

void
reason_write(const struct reason *reason, struct buffer *out)
{
	const struct demand *subject = reason_subject_of(reason->list, reason->count);

	reason_append_member(reason, subject, out);
	if (reason->count > 1)
		buffer_text(out, ", but ");
	reason_append_others(reason, subject, out);
	if (reason->count == 1)
		reason_append_alone(reason->demands->request, subject, out);
	if (reason_interest(subject))
		reason_append_possible(reason, subject, out);
}

/* Names a present node that loses all that stands on it: every node has to hold something. */
static void
reason_append_emptied(const struct request *r, struct buffer *out)
{
	for (size_t i = 0; i < r->node_count; i++) {
		const struct node *node = &r->nodes[i];
		bool holds = node->leaves || node->replaced;

		for (size_t j = 0; j < node->services.count && !holds; j++)
			holds = demand_on_cluster(r, node->services.list[j]);
		if (holds)
			continue;
		buffer_printf(out, node->services.count ? "; of what stands on %s nothing is asked for any more"
		                                        : "; nothing stands on %s", node->id);
		return;
	}
}

int
reason_write_change(const struct reason *reason, struct budget *budget, struct buffer *out, struct error *err)
{
	const struct request *r = reason->demands->request;
	const struct violation *violation = reason_broken_member(reason);

	if (r->node_count == 0)
		return 0;
	if (violation && reason_is_one_rule(reason)) {
		buffer_text(out, "; ");
		reason_append_violation(violation, out);
	} else if (!violation && demand_holds(reason->demands, DEMAND_NODES, 0))
		reason_append_emptied(r, out);
	return relaxation_words(r, budget, out, err);
}
