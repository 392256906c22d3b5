/* SPDX-License-Identifier: Apache-2.0 */
#include "check/layout/check-conflict.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "check/layout/brute-force.h"
#include "check/layout/check.h"
#include "model/answer/answer.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/request.h"

struct conflict_check {
	const struct request *request;
	const struct string_list *conflict;
	const struct conflict_terms *terms;
	struct demands demands;
	const struct demand **members; /* by pointer; NULL: the pointer names no demand */
	struct arena *arena;
	struct conflict_report *report;
	struct fault **last_fault, **last_note;
	struct error *err;
};

static void
check_append_fault(struct conflict_check *q, struct fault ***last, const char *pointer, const char *text)
{
	struct fault *new = arena_alloc(q->arena, 1, sizeof *new);

	*new = (struct fault){.where = pointer ? pointer : "as a whole", .text = text};
	**last = new;
	*last = &new->next;
}

/* Looks for a layout that keeps the demands, and judges it. Returns 1, 0 if there is none, or -1. */
static int
check_find_layout(struct conflict_check *q)
{
	struct check_terms terms = {.demands = &q->demands, .moves_max = q->demands.moves_max};
	struct arena arena = {0};
	struct layout layout;
	int rc = q->terms->find(&q->demands, &arena, &layout, q->err);

	if (rc > 0) {
		const struct fault *fault = check_layout(q->request, &layout, &terms, &arena);

		if (fault)
			rc = error_set(q->err, EX_SOFTWARE, "request: the layout found is wrong: %s: %s", fault->where, fault->text);
	}
	arena_release(&arena);
	return rc;
}

static void
check_keep_members(struct conflict_check *q)
{
	demands_drop(&q->demands, 0, q->demands.count, true);
	for (size_t i = 0; i < q->conflict->count; i++)
		if (q->members[i])
			demand_drop(&q->demands, q->members[i], false);
}

/* Judges whether the others can hold together without a member, and adds a note what becomes of the request without it. */
static int
check_judge_member(struct conflict_check *q, size_t i)
{
	static const char *const notes[] = {
		"without it, the other members can hold together, but something else still keeps the request from a layout",
		"without it, the request has a layout",
		"the search stopped before it found a layout of the request without it, or ruled one out",
	};
	int found;

	check_keep_members(q);
	demand_drop(&q->demands, q->members[i], true);
	found = check_find_layout(q);
	if (found < 0)
		return -1;
	if (!found && !q->terms->not_minimal)
		check_append_fault(q, &q->last_fault, q->conflict->list[i],
		    "can be left out: the other members cannot hold together either");
	if (found && q->terms->notes) {
		demands_drop(&q->demands, 0, q->demands.count, false);
		demand_drop(&q->demands, q->members[i], true);
		found = check_find_layout(q);
		check_append_fault(q, &q->last_note, q->conflict->list[i], notes[found < 0 ? 2 : found]);
	}
	return 0;
}

/* Judges a conflict of services that do not go together, for which no search is needed. Returns 1 if there is such a
 * reason, with a fault unless the conflict is the same, 0 if there is none, or -1. */
static int
check_is_of_services(struct conflict_check *q)
{
	struct unsatisfiable refusal = {0};
	struct arena arena = {0};
	int admitted = q->terms->admit(q->request, &arena, &refusal, q->err);
	bool same = admitted == 0 && refusal.conflict.count == q->conflict->count;

	for (size_t i = 0; i < q->conflict->count && same; i++)
		same = strcmp(refusal.conflict.list[i], q->conflict->list[i]) == 0;
	if (admitted == 0 && !same)
		check_append_fault(q, &q->last_fault, NULL, arena_printf(q->arena, "it is not the reason; the reason is: %s",
		    refusal.because));
	arena_release(&arena);
	return admitted < 0 ? -1 : admitted == 0;
}

/* Finds the demand that each pointer names. Returns false if they are not all demands; the one pointer to the types
 * that are not available at all is right without. */
static bool
check_find_members(struct conflict_check *q)
{
	bool all = true;

	q->members = arena_alloc(q->arena, q->conflict->count, sizeof *q->members);
	for (size_t i = 0; i < q->demands.count; i++) {
		struct buffer out = {0};

		demand_pointer(&q->demands, &q->demands.list[i], &out);
		for (size_t j = 0; j < q->conflict->count; j++)
			if (!q->members[j] && strcmp(out.data, q->conflict->list[j]) == 0)
				q->members[j] = &q->demands.list[i];
		buffer_release(&out);
	}
	for (size_t i = 0; i < q->conflict->count; i++) {
		const char *pointer = q->conflict->list[i];

		if (q->members[i] || (all && q->conflict->count == 1 &&
		    (strcmp(pointer, "/hardwaretypes") == 0 || strcmp(pointer, "/imagetypes") == 0)))
			continue;
		all = false;
		check_append_fault(q, &q->last_fault, pointer, "points at nothing that the request demands");
	}
	return all;
}

/* Judges the members together, and if they are right, each by itself. */
static int
check_judge_demands(struct conflict_check *q)
{
	enum brute_force_result tried;
	int found, rc = 0;

	if (!check_find_members(q))
		return 0;
	check_keep_members(q);
	tried = brute_force(&q->demands);
	found = tried == BRUTE_FORCE_MANY ? check_find_layout(q) : tried == BRUTE_FORCE_FOUND;
	if (found < 0)
		return -1;
	if (found)
		check_append_fault(q, &q->last_fault, NULL, "it is not a conflict: a layout keeps all of its members");
	for (size_t i = 0; i < q->conflict->count && rc == 0 && !q->report->faults; i++)
		if (q->members[i])
			rc = check_judge_member(q, i);
	return rc;
}

int
check_conflict(const struct request *request, const struct string_list *conflict,
    const struct conflict_terms *terms, struct arena *arena, struct conflict_report *report, struct error *err)
{
	struct conflict_check q = {
		.request = request, .conflict = conflict, .terms = terms, .arena = arena, .report = report, .err = err,
	};
	int rc;

	*report = (struct conflict_report){0};
	q.last_fault = &report->faults;
	q.last_note = &report->notes;
	rc = check_is_of_services(&q);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	demands_collect(request, &q.demands);
	q.demands.moves_max = terms->moves_max;
	rc = check_judge_demands(&q);
	demands_release(&q.demands);
	return rc;
}
