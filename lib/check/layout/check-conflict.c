/* SPDX-License-Identifier: Apache-2.0 */
#include "check/layout/check-conflict.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "check/layout/brute-force.h"
#include "check/layout/check-exchange.h"
#include "check/layout/check-room.h"
#include "check/layout/check.h"
#include "model/answer/answer.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/request.h"

/* How many nodes the search may take for one question: as many as the solver itself takes for one of a conflict, or all that are left; between
 * these ten times more each time. */
enum { QUESTION = 1000, QUESTION_ALL = 100000000 };

enum { WITNESSES = 8 }; /* which are tried for a member, the latest ones */

enum { LOOK = 300 }; /* steps of judging a layout, for each demand and each node */

enum check_answer {
	CHECK_NONE,  /* there is no layout */
	CHECK_FOUND,
	CHECK_OPEN,  /* that was not found out */
	CHECK_ERROR,
};

struct witness { /* a layout that keeps all members but one */
	const struct demand *without;
	struct arena arena;
	struct layout layout;
};

struct conflict_check {
	const struct request *request;
	const struct string_list *conflict;
	const struct conflict_terms *terms;
	struct demands demands;
	const struct demand **members; /* by pointer; NULL: the pointer names no demand */
	bool *judged;                  /* the same: it is known whether it is needed */
	struct check_room *room;
	struct exchange *exchange;
	struct witness *witnesses;
	size_t witness_count, witness_capacity;
	struct arena *arena;
	struct conflict_report *report;
	struct fault **last_fault, **last_open, **last_note;
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

/* Looks for a layout that keeps the demands, and judges it. One that was found is added to the witnesses of what is without. */
static enum check_answer
check_find_layout(struct conflict_check *q, unsigned long nodes, const struct demand *without)
{
	struct check_terms terms = {.demands = &q->demands, .moves_max = q->demands.moves_max};
	struct witness new = {.without = without};
	enum check_answer answer = CHECK_FOUND;
	int rc = q->terms->find(&q->demands, nodes, q->terms->budget, &new.arena, &new.layout, q->err);

	if (rc > 0) {
		const struct fault *fault = check_layout(q->request, &new.layout, &terms, &new.arena);

		if (fault) {
			error_set(q->err, EX_SOFTWARE, "request: the layout found is wrong: %s: %s", fault->where, fault->text);
			answer = CHECK_ERROR;
		}
	} else
		answer = rc == 0 ? CHECK_NONE : q->err->code == EX_SOFTWARE ? CHECK_OPEN : CHECK_ERROR;
	if (answer == CHECK_FOUND && without) {
		ARRAY_ROOM(q->witnesses, q->witness_count, q->witness_capacity);
		q->witnesses[q->witness_count++] = new;
	} else
		arena_release(&new.arena);
	return answer;
}

/* Returns whether a witness shows that a member is needed, too, if it changes places with the one that the witness is without. Of those that
 * would have to be judged the latest are tried. */
static bool
check_has_witness(struct conflict_check *q, const struct demand *member)
{
	struct check_terms terms = {.demands = &q->demands, .moves_max = q->demands.moves_max};
	bool shown = false;
	int tries = WITNESSES;

	for (size_t i = 0; i < q->witness_count && !shown; i++)
		shown = check_exchange_is_safe(q->exchange, q->witnesses[i].without, member);
	for (size_t i = q->witness_count; i-- > 0 && tries > 0 && !shown;) {
		struct arena arena = {0};
		struct layout layout;

		if (check_exchange(q->exchange, &q->witnesses[i].layout, q->witnesses[i].without, member, &arena, &layout)) {
			tries--;
			shown = q->terms->work(q->terms->budget, LOOK * (q->demands.count + layout.node_count)) &&
			    !check_layout(q->request, &layout, &terms, &arena);
		}
		arena_release(&arena);
	}
	return shown;
}

static void
check_keep_members(struct conflict_check *q)
{
	demands_drop(&q->demands, 0, q->demands.count, true);
	for (size_t i = 0; i < q->conflict->count; i++)
		if (q->members[i])
			demand_drop(&q->demands, q->members[i], false);
}

/* Finds out whether a layout keeps the others without a member. */
static enum check_answer
check_ask_without(struct conflict_check *q, const struct demand *member, unsigned long nodes)
{
	if (check_has_witness(q, member))
		return CHECK_FOUND;
	if (nodes == QUESTION && q->terms->work(q->terms->budget, check_room_work(q->room)) && check_room_lacks(q->room))
		return CHECK_NONE;
	return q->terms->work(q->terms->budget, 0) ? check_find_layout(q, nodes, member) : CHECK_OPEN;
}

/* Adds a note what becomes of the request without a member. */
static enum check_answer
check_add_note(struct conflict_check *q, size_t i)
{
	static const char *const notes[] = {
		[CHECK_NONE] = "without it, the other members can hold together, but something else still keeps the request from a layout",
		[CHECK_FOUND] = "without it, the request has a layout",
		[CHECK_OPEN] = "the search stopped before it found a layout of the request without it, or ruled one out",
	};
	enum check_answer answer = CHECK_OPEN;

	demands_drop(&q->demands, 0, q->demands.count, false);
	demand_drop(&q->demands, q->members[i], true);
	if (q->terms->work(q->terms->budget, 0))
		answer = check_find_layout(q, QUESTION, NULL);
	if (answer != CHECK_ERROR)
		check_append_fault(q, &q->last_note, q->conflict->list[i], notes[answer]);
	return answer;
}

/* Judges whether the others can hold together without a member. Returns 0 or -1. */
static int
check_judge_member(struct conflict_check *q, size_t i, unsigned long nodes)
{
	enum check_answer answer;

	check_keep_members(q);
	demand_drop(&q->demands, q->members[i], true);
	answer = check_ask_without(q, q->members[i], nodes);
	q->judged[i] = answer != CHECK_OPEN;
	if (answer == CHECK_NONE && !q->terms->not_minimal)
		check_append_fault(q, &q->last_fault, q->conflict->list[i],
		    "can be left out: the other members cannot hold together either");
	if (answer == CHECK_FOUND && q->terms->notes)
		answer = check_add_note(q, i);
	return answer == CHECK_ERROR ? -1 : 0;
}

/* Judges each member by itself, those that take longest at the end. */
static int
check_judge_members(struct conflict_check *q)
{
	size_t left = q->conflict->count;
	int rc = 0;

	q->judged = arena_alloc(q->arena, q->conflict->count, sizeof *q->judged);
	for (unsigned long nodes = QUESTION; left && rc == 0; nodes *= 10) {
		left = 0;
		for (size_t i = 0; i < q->conflict->count && rc == 0; i++) {
			if (q->members[i] && !q->judged[i])
				rc = check_judge_member(q, i, nodes);
			left += q->members[i] && !q->judged[i];
		}
		if (nodes >= QUESTION_ALL || !q->terms->work(q->terms->budget, 0))
			break;
	}
	for (size_t i = 0; i < q->conflict->count && rc == 0 && !q->terms->not_minimal; i++)
		if (q->members[i] && !q->judged[i])
			check_append_fault(q, &q->last_open, q->conflict->list[i], "it was not proved that it is needed");
	return rc;
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

/* Finds out whether a layout keeps all members. */
static enum check_answer
check_ask_all(struct conflict_check *q)
{
	enum brute_force_result tried;

	q->terms->work(q->terms->budget, check_room_work(q->room));
	if (check_room_lacks(q->room))
		return CHECK_NONE;
	tried = brute_force(&q->demands);
	if (tried != BRUTE_FORCE_MANY)
		return tried == BRUTE_FORCE_FOUND ? CHECK_FOUND : CHECK_NONE;
	return check_find_layout(q, QUESTION_ALL, NULL);
}

/* Judges the members together, and if they are right, each by itself. */
static int
check_judge_demands(struct conflict_check *q)
{
	if (!check_find_members(q))
		return 0;
	check_keep_members(q);
	switch (check_ask_all(q)) {
	case CHECK_ERROR:
		return -1;
	case CHECK_FOUND:
		check_append_fault(q, &q->last_fault, NULL, "it is not a conflict: a layout keeps all of its members");
		return 0;
	case CHECK_OPEN:
		check_append_fault(q, &q->last_open, NULL, "it was not proved that no layout keeps all of its members");
		return 0;
	case CHECK_NONE:
		break;
	}
	return q->terms->not_minimal && !q->terms->notes ? 0 : check_judge_members(q);
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
	q.last_open = &report->open;
	q.last_note = &report->notes;
	rc = check_is_of_services(&q);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	demands_collect(request, &q.demands);
	q.demands.moves_max = terms->moves_max;
	q.room = check_room_new(&q.demands);
	q.exchange = check_exchange_new(&q.demands);
	rc = check_judge_demands(&q);
	check_room_free(q.room);
	check_exchange_free(q.exchange);
	while (q.witness_count > 0)
		arena_release(&q.witnesses[--q.witness_count].arena);
	free(q.witnesses);
	demands_release(&q.demands);
	return rc;
}
