/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/reason.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/names.h"
#include "base/plural.h"
#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/conflict/conflict.h"
#include "solve/conflict/relaxation.h"
#include "solve/conflict/totals.h"
#include "solve/conflict/violation.h"
#include "solve/lp/presolve.h"
#include "solve/program/program.h"
#include "solve/search/extreme.h"

enum {
	REASON_EACH = 3,  /* members of a kind that are each told; of more than these */
	REASON_NAMED = 2,
};

/* Returns what the cluster asks for of a service's instances, if that is the demand; else NULL. */
static const struct instance_bounds *
reason_bounds(const struct request *r, const struct demand *demand)
{
	return demand->kind == DEMAND_COUNT_RULE ? request_instances_rule(r, demand->index) : NULL;
}

/* Returns how much a sentence about a demand helps the reader. */
static int
reason_interest(const struct request *r, const struct demand *demand)
{
	if (reason_bounds(r, demand))
		return 4;
	switch (demand->kind) {
	case DEMAND_MIN:
		return 4;
	case DEMAND_MACHINES_MIN:
		return 3;
	case DEMAND_SIZE_MIN:
		return demand_exact_machines(r) ? 2 : 3; /* where it contradicts the number, that is what a person can change */
	case DEMAND_PLACED:
		return 2;
	case DEMAND_MAX: case DEMAND_MACHINES_MAX: case DEMAND_SIZE_MAX:
		return 1;
	default:
		return 0;
	}
}

static bool
reason_is_about_machines(const struct demand *demand)
{
	return demand->kind == DEMAND_MACHINES_MIN || demand->kind == DEMAND_MACHINES_MAX ||
	    demand->kind == DEMAND_SIZE_MIN || demand->kind == DEMAND_SIZE_MAX;
}

static const char *
reason_service(const struct request *r, const struct demand *demand)
{
	int64_t least;
	const char *service = demand_least(r, demand, &least);

	return service ? service : r->template.constraints[demand->index].service;
}

/* Returns how many instances or machines, whichever the demand is about, are possible without it: the least number with
 * sign 1, the most with -1. Returns -1 where that is not known. */
static int64_t
reason_possible(const struct reason *reason, const struct demand *demand, int sign)
{
	struct demands *demands = reason->demands;
	const struct request *r = demands->request;
	struct budget part = budget_part(reason->budget, CONFLICT_QUESTION);
	struct program program;
	struct error err;
	int64_t value = -1;
	int unit = ANY;

	demand_drop(demands, demand, true);
	if (presolve(r, demands, &program, &err) == 0) {
		if (!reason_is_about_machines(demand)) {
			int service = program_find_service(&program, reason_service(r, demand));

			unit = service == NAMES_NONE ? ANY : program.unit_of[service];
		}
		value = extreme_of(&program, unit, sign, &part);
	}
	program_release(&program);
	budget_take(reason->budget, &part);
	demand_drop(demands, demand, false);
	return value;
}

/* Returns the number that the demand asks for: of a range, the most or the least. */
static int64_t
reason_asked_for(const struct request *r, const struct demand *demand, bool most)
{
	const struct instance_bounds *bounds = reason_bounds(r, demand);

	if (bounds)
		return most ? bounds->max : bounds->min;
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

/* Appends ": at most 4 machines are possible" if a search finds it out. */
static void
reason_append_possible(const struct reason *reason, const struct demand *demand, struct buffer *out)
{
	const struct request *r = reason->demands->request;
	int64_t most = reason_possible(reason, demand, -1), number;
	bool below = most >= 0 && most < reason_asked_for(r, demand, false);

	number = below ? most : reason_possible(reason, demand, 1);
	if (!below && number <= reason_asked_for(r, demand, true))
		return;
	if (number == 0) {
		buffer_printf(out, ": no %s is possible", reason_is_about_machines(demand) ? "machine" : "instance");
		return;
	}
	buffer_printf(out, ": at %s %" PRId64 " %s %s %s", below ? "most" : "least", number,
	    reason_is_about_machines(demand) ? plural(number, "machine", "machines") : plural(number, "instance", "instances"),
	    plural(number, "is", "are"), below ? "possible" : "necessary");
}

/* Returns the first demand of the conflict that the present layout breaks, or NULL. */
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

/* Appends the words of a demand. If it is one of several rules, and the one that the present layout breaks, says so. */
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

void
reason_count_kinds(struct reason *reason)
{
	for (size_t i = reason->count; i-- > 0;) {
		reason->kind_count[reason->list[i]->kind]++;
		reason->kind_first[reason->list[i]->kind] = i;
	}
}

/* Appends the words of a member; where there are many of its kind, of the first two, and how many more. */
static void
reason_append_kind(const struct reason *reason, const struct demand *first, struct buffer *out)
{
	const struct request *r = reason->demands->request;
	size_t count = reason->kind_count[first->kind], written = 0;
	bool placed = first->kind == DEMAND_PLACED;

	if (count <= REASON_EACH) {
		reason_append_member(reason, first, out);
		return;
	}
	for (size_t i = 0; i < reason->count && written < REASON_NAMED; i++) {
		if (reason->list[i]->kind != first->kind)
			continue;
		buffer_text(out, written++ ? ", " : "");
		if (placed)
			buffer_text(out, demand_service(r, reason->list[i]->index));
		else
			reason_append_member(reason, reason->list[i], out);
	}
	if (placed)
		buffer_printf(out, " and %zu others need at least 1 instance each", count - written);
	else
		buffer_printf(out, ", %zu more of the kind", count - written);
}

/* Returns whether a member is told with an earlier one of its kind, or with the sums. */
static bool
reason_is_told(const struct reason *reason, size_t member, const struct demand *subject, bool sums)
{
	enum demand_kind kind = reason->list[member]->kind;

	if (reason->list[member] == subject || (sums && (kind == DEMAND_CONSUMES || kind == DEMAND_CAPACITY)))
		return true;
	return reason->kind_count[kind] > REASON_EACH && (reason->kind_first[kind] < member || kind == subject->kind);
}

/* The subject of the sentence is the demand that interests most; the others follow, many of a kind in short. Of room the sums
 * come first. If there is one demand only, its words may not say why it alone is too much. */
void
reason_write(const struct reason *reason, struct buffer *out)
{
	const struct request *r = reason->demands->request;
	const struct demand *subject = reason->list[0];
	size_t written = 0, rest = 0;
	bool sums = reason->count > REASON_EACH && totals_append(reason, out);

	for (size_t i = 1; i < reason->count; i++)
		if (reason_interest(r, reason->list[i]) > reason_interest(r, subject))
			subject = reason->list[i];
	for (size_t i = 0; i < reason->count; i++)
		rest += !reason_is_told(reason, i, subject, sums);
	buffer_text(out, sums ? ": " : "");
	reason_append_kind(reason, subject, out);
	for (size_t i = 0; i < reason->count; i++) {
		if (reason_is_told(reason, i, subject, sums))
			continue;
		if (!written && !sums)
			buffer_text(out, ", but ");
		else
			buffer_text(out, written + 1 < rest ? ", " : " and ");
		reason_append_kind(reason, reason->list[i], out);
		written++;
	}
	if (!written && subject->kind == DEMAND_AVAILABLE)
		buffer_printf(out, ", and provider %s offers no other type", reason->demands->request->provider.name);
	else if (!written && (subject->kind == DEMAND_COUNT_RULE || subject->kind == DEMAND_NODES || subject->kind == DEMAND_MIN))
		buffer_text(out, ", which cannot be");
	if (reason_interest(r, subject) && !(demand_exact_machines(r) && reason->kind_count[DEMAND_SIZE_MIN]) &&
	    (reason_is_about_machines(subject) || reason->kind_count[subject->kind] <= REASON_EACH))
		reason_append_possible(reason, subject, out);
}

/* Names a present node that would be left without any service, which no node may be. */
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
