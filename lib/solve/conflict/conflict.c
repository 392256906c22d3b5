/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/conflict.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/answer/answer.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "model/request.h"
#include "solve/conflict/reason.h"
#include "solve/conflict/room.h"
#include "solve/conflict/room-numbers.h"
#include "solve/conflict/violation.h"
#include "solve/lp/presolve.h"
#include "solve/program/program.h"
#include "solve/search/extreme.h"

enum { ALL_NODES = 20000 }; /* of the search, for all questions; what is not known by then counts as satisfiable */

struct conflict_search {
	struct demands demands;
	struct room room; /* of them */
	struct budget *budget;
	bool open; /* the budget was spent before it was known of each demand that it is needed */
	struct error *err;
};

/* Returns 1 if no layout keeps the demands that are not dropped, 0 if one does or that is not known, or -1 with an error. With
 * single, the answer decides about a single demand; if it is not known, neither is whether that demand is needed. */
static int
conflict_contradicts(void *of, bool single)
{
	struct conflict_search *q = of;
	struct budget part = budget_part(q->budget, CONFLICT_QUESTION);
	struct program program;
	int rc = -1;

	if (!budget_work(q->budget, room_size(&q->room))) {
		q->open = true;
		return 0;
	}
	if (room_exceeds(&q->room))
		return 1;
	if (presolve(q->demands.request, &q->demands, &program, q->err) == 0) {
		enum search_status status = SEARCH_OPEN;

		if (budget_work(&part, program_size(&program)))
			status = extreme_any(&program, &part);
		q->open = q->open || (single && status == SEARCH_OPEN);
		rc = status == SEARCH_NONE;
	}
	program_release(&program);
	budget_take(q->budget, &part);
	return rc;
}

/* Explains why there is no layout even without any demand: no hardware type or no image type is available. Returns the
 * pointer to these types. */
static struct string_list
conflict_explain_nothing(const struct request *request, struct arena *arena, struct buffer *out)
{
	const char **list = arena_alloc(arena, 1, sizeof *list);
	bool hardware = false;

	for (size_t i = 0; i < request->hardwaretype_count && !hardware; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&request->hardwaretypes[i], request->provider.name);

		hardware = offer && offer->flavor;
	}
	buffer_printf(out, "no %s type is available from provider %s", hardware ? "image" : "hardware",
	    request->provider.name);
	list[0] = hardware ? "/imagetypes" : "/hardwaretypes";
	return (struct string_list){list, 1};
}

/* Returns the pointer of each demand; with words, for people who want to know all of it, with its words. */
static struct string_list
conflict_list(const struct demands *demands, const struct demand **list, size_t count, bool words, struct arena *arena)
{
	struct string_list members = {arena_alloc(arena, count, sizeof *members.list), count};

	for (size_t i = 0; i < count; i++) {
		struct buffer out = {0};

		demand_pointer(demands, list[i], &out);
		if (words) {
			buffer_text(&out, ": ");
			demand_words(demands, list[i], &out);
		}
		members.list[i] = arena_string(arena, out.data);
		buffer_release(&out);
	}
	if (!words)
		name_set_make(&members);
	return members;
}

/* Drops demands until the rest is a minimal conflict. If the rules that the present layout breaks already are too much
 * by themselves, with the present machines staying as they are, nothing else is looked at; nor if sums are too much. */
static int
conflict_find(struct conflict_search *q, struct violations *violations)
{
	struct demands *demands = &q->demands;

	if (demands->request->node_count) {
		struct program program;
		int rc = presolve(demands->request, demands, &program, q->err);

		if (rc == 0)
			violations_find(&program, demands, violations);
		program_release(&program);
		if (rc < 0)
			return -1;
	}
	if (violations->count) {
		int too_much;

		for (size_t i = 0; i < demands->count; i++)
			if (demands->list[i].kind != DEMAND_NODES && !violation_of(violations, &demands->list[i]))
				demand_drop(demands, &demands->list[i], true);
		too_much = conflict_contradicts(q, false);
		if (too_much < 0)
			return -1;
		if (!too_much)
			demands_drop(demands, 0, demands->count, false);
	}
	if (room_reduce(&q->room, demands)) {
		if (room_settle(demands, conflict_contradicts, q) < 0)
			return -1;
		demands_forget_dropped(demands);
	}
	return demands_reduce(demands, 0, demands->count, conflict_contradicts, q);
}

int
conflict_explain(const struct request *request, int64_t moves_max, struct budget *budget, struct arena *arena,
    struct unsatisfiable *refusal, struct error *err)
{
	struct budget part = budget_part(budget, ALL_NODES);
	struct conflict_search q = {.budget = &part, .err = err};
	struct violations violations = {0};
	const struct demand **list;
	struct buffer out = {0};
	size_t count = 0;
	int rc;

	demands_collect(request, &q.demands);
	q.demands.moves_max = moves_max;
	demands_sort(&q.demands);
	room_init(&q.room, &q.demands);
	rc = conflict_find(&q, &violations);
	list = memory_zeroed(q.demands.count, sizeof *list);
	for (size_t i = 0; i < q.demands.count; i++)
		if (demand_holds(&q.demands, q.demands.list[i].kind, q.demands.list[i].index))
			list[count++] = &q.demands.list[i];
	if (rc == 0) {
		struct reason reason = {.demands = &q.demands, .list = list, .count = count, .violations = &violations, .budget = &part};

		reason_count_kinds(&reason);
		if (count) {
			q.demands.brief = true;
			reason_write(&reason, &out);
			q.demands.brief = false;
			refusal->conflict = conflict_list(&q.demands, list, count, false, arena);
			refusal->members = conflict_list(&q.demands, list, count, true, arena);
		} else
			refusal->conflict = conflict_explain_nothing(request, arena, &out);
		rc = reason_write_change(&reason, budget, &out, err);
		refusal->because = arena_string(arena, out.data);
	}
	refusal->minimal = !q.open;
	budget_take(budget, &part);
	buffer_release(&out);
	free(violations.list);
	free(list);
	room_release(&q.room);
	demands_release(&q.demands);
	return rc;
}
