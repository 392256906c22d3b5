/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/request.h"
#include "solve/breach.h"
#include "solve/build.h"
#include "solve/demand.h"
#include "solve/remedy.h"
#include "solve/extreme.h"
#include "solve/solve.h"

enum { /* nodes: what is not known by then counts as satisfiable */
	QUESTION_NODES = 1000, /* for one question */
	ALL_NODES = 20000,     /* for all of them */
};

struct inquiry {
	struct demands demands;
	struct budget *budget;
	bool open; /* whether a demand is needed could not be found out */
};

/* Whether the demands that are not dropped are still too much. 1, 0, or -1 with err. only: the answer decides about a
 * single demand. */
static int
is_too_much(struct inquiry *q, bool only, struct error *err)
{
	struct budget part = budget_part(q->budget, QUESTION_NODES);
	struct program program;
	int rc = -1;

	if (program_build(q->demands.request, &q->demands, &program, err) == 0) {
		enum verdict verdict = extreme_any(&program, &part);

		q->open = q->open || (only && verdict == VERDICT_OPEN);
		rc = verdict == VERDICT_NONE;
	}
	program_release(&program);
	budget_take(q->budget, &part);
	return rc;
}

static void
drop_range(struct demands *demands, size_t from, size_t to, bool drop)
{
	for (size_t i = from; i < to; i++)
		demand_drop(demands, &demands->list[i], drop);
}

/* Drops what can be dropped of a range so that the rest is still too much: all of it, or what can be of its
 * halves. What must stay of the larger rest must stay of the smaller one, so the rest is minimal when all ranges
 * were looked at. */
static int
reduce(struct inquiry *q, size_t from, size_t to, struct error *err)
{
	int rc;

	if (from == to)
		return 0;
	drop_range(&q->demands, from, to, true);
	rc = is_too_much(q, to - from == 1, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	drop_range(&q->demands, from, to, false);
	if (to - from == 1)
		return 0;
	if (reduce(q, from, from + (to - from) / 2, err) < 0)
		return -1;
	return reduce(q, from + (to - from) / 2, to, err);
}

static size_t
kept(const struct demands *demands, const struct demand **list)
{
	size_t count = 0;

	for (size_t i = 0; i < demands->count; i++)
		if (demand_holds(demands, demands->list[i].kind, demands->list[i].index))
			list[count++] = &demands->list[i];
	return count;
}

/* How much a sentence about a demand helps: the one that is highest is what the sentence is about. */
static int
interest(const struct demand *demand)
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
subject_of(const struct demand **list, size_t count)
{
	const struct demand *best = list[0];

	for (size_t i = 1; i < count; i++)
		if (interest(list[i]) > interest(best))
			best = list[i];
	return best;
}

static bool
is_about_machines(const struct demand *demand)
{
	return demand->kind == DEMAND_MACHINES_MIN || demand->kind == DEMAND_MACHINES_MAX ||
	    demand->kind == DEMAND_SIZE_MIN || demand->kind == DEMAND_SIZE_MAX;
}

static int
unit_about(const struct program *p, const struct demand *demand)
{
	const char *service = demand->kind == DEMAND_PLACED ? demand_service(p->request, demand->index)
	                                                    : p->request->template.constraints[demand->index].service;

	return p->unit_of[build_service(p, service)];
}

/* What would be possible without the demand: the least (sign 1) or most of what it is about, -1 where that is not
 * known. */
static int64_t
possible(struct inquiry *q, const struct demand *demand, int sign)
{
	struct demands *demands = &q->demands;
	struct budget part = budget_part(q->budget, QUESTION_NODES);
	struct program program;
	struct error err;
	int64_t value = -1;

	demand_drop(demands, demand, true);
	if (program_build(demands->request, demands, &program, &err) == 0)
		value = extreme_of(&program, is_about_machines(demand) ? ANY : unit_about(&program, demand), sign,
		    &part);
	program_release(&program);
	budget_take(q->budget, &part);
	demand_drop(demands, demand, false);
	return value;
}

static int64_t
asked_for(const struct request *r, const struct demand *demand)
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

/* ": at most 4 machines are possible", where the search can tell. */
static void
append_possible(struct inquiry *q, const struct demand *demand, struct buffer *out)
{
	int64_t asked = asked_for(q->demands.request, demand), most = possible(q, demand, -1), number;
	bool below = most >= 0 && most < asked;

	number = below ? most : possible(q, demand, 1);
	if (!below && number <= asked)
		return;
	if (number == 0) {
		buffer_printf(out, ": no %s is possible", is_about_machines(demand) ? "machine" : "instance");
		return;
	}
	buffer_printf(out, ": at %s %" PRId64 " %s %s %s", below ? "most" : "least", number,
	    is_about_machines(demand) ? number == 1 ? "machine" : "machines" : number == 1 ? "instance" : "instances",
	    number == 1 ? "is" : "are", below ? "possible" : "necessary");
}

static void
append_others(struct demands *demands, const struct demand **list, size_t count, const struct demand *subject,
    struct buffer *out)
{
	size_t told = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i] == subject)
			continue;
		if (told)
			buffer_text(out, told + 2 < count ? ", " : " and ");
		demand_words(demands, list[i], out);
		told++;
	}
}

/* Where even no demand at all is too much. */
static void
explain_nothing(const struct request *request, struct arena *arena, struct refusal *refusal)
{
	const char **list = arena_alloc(arena, 1, sizeof *list);
	bool hardware = false;

	for (size_t i = 0; i < request->hardwaretype_count; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&request->hardwaretypes[i], request->provider.name);

		hardware = hardware || (offer && offer->flavor);
	}
	list[0] = hardware ? "/imagetypes" : "/hardwaretypes";
	refusal->conflict = (struct string_list){list, 1};
	refusal->because = arena_printf(arena, "no %s type is to be had at provider %s", hardware ? "image" : "hardware",
	    request->provider.name);
}

static void
append_sentence(struct inquiry *q, const struct demand **list, size_t count, struct buffer *out)
{
	struct demands *demands = &q->demands;
	const struct demand *subject = subject_of(list, count);

	demand_words(demands, subject, out);
	if (count > 1)
		buffer_text(out, ", but ");
	append_others(demands, list, count, subject, out);
	if (count == 1 && (subject->kind == DEMAND_COUNT_RULE || subject->kind == DEMAND_NODES || subject->kind == DEMAND_MIN))
		buffer_text(out, ", which cannot be");
	if (interest(subject))
		append_possible(q, subject, out);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct string_list
pointers_of(const struct demands *demands, const struct demand **list, size_t count, struct arena *arena)
{
	const char **pointers = arena_alloc(arena, count, sizeof *pointers);

	for (size_t i = 0; i < count; i++) {
		struct buffer out = {0};

		demand_pointer(demands, list[i], &out);
		pointers[i] = arena_string(arena, out.data);
		buffer_release(&out);
	}
	qsort(pointers, count, sizeof *pointers, compare_texts);
	return (struct string_list){pointers, count};
}

/* What the present layout breaks already. */
static int
find_breaches(struct demands *demands, struct breaches *breaches, struct error *err)
{
	struct program program;
	int rc = program_build(demands->request, demands, &program, err);

	if (rc == 0)
		breaches_find(&program, demands, breaches);
	program_release(&program);
	return rc;
}

/* Leaves nothing but the breaches and that machines stay as they are, if that is too much by itself. */
static int
blame_breaches(struct inquiry *q, const struct breaches *breaches, struct error *err)
{
	struct demands *demands = &q->demands;
	int rc;

	for (size_t i = 0; i < demands->count; i++)
		if (demands->list[i].kind != DEMAND_NODES && !breach_of(breaches, &demands->list[i]))
			demand_drop(demands, &demands->list[i], true);
	rc = is_too_much(q, false, err);
	if (rc == 0)
		drop_range(demands, 0, demands->count, false);
	return rc < 0 ? -1 : 0;
}

static int
find_conflict(struct inquiry *q, struct breaches *breaches, struct error *err)
{
	if (q->demands.request->node_count && find_breaches(&q->demands, breaches, err) < 0)
		return -1;
	if (breaches->count && blame_breaches(q, breaches, err) < 0)
		return -1;
	return reduce(q, 0, q->demands.count, err);
}

static bool
is_asked_for(const struct request *r, const char *service)
{
	for (size_t i = 0; i < demand_service_count(r); i++)
		if (strcmp(demand_service(r, i), service) == 0)
			return true;
	return false;
}

/* A present node that loses all that stands on it: every node has to hold something. */
static void
append_emptied(const struct request *r, struct buffer *out)
{
	for (size_t i = 0; i < r->node_count; i++) {
		const struct node *node = &r->nodes[i];
		bool holds = node->leaves || node->replaced;

		for (size_t j = 0; j < node->services.count && !holds; j++)
			holds = is_asked_for(r, node->services.list[j]);
		if (holds)
			continue;
		buffer_printf(out, node->services.count ? "; of what stands on %s nothing is asked for any more"
		                                        : "; nothing stands on %s", node->id);
		return;
	}
}

/* What the present layout has to do with it, and what moves could do. */
static int
append_change(const struct inquiry *q, const struct breaches *breaches, struct budget *budget, struct buffer *out,
    struct error *err)
{
	const struct demands *demands = &q->demands;
	bool told = false;

	for (size_t i = 0; i < breaches->count; i++) {
		const struct breach *breach = &breaches->list[i];

		if (!demand_holds(demands, breach->demand.kind, breach->demand.index) || told)
			continue;
		buffer_text(out, "; the present layout breaks that already");
		if (breach->node)
			buffer_printf(out, ", on %s", breach->node->id);
		told = true;
	}
	if (demand_holds(demands, DEMAND_NODES, 0))
		append_emptied(demands->request, out);
	return demands->request->node_count ? remedy_words(demands->request, budget, out, err) : 0;
}

int
conflict_explain(const struct request *request, int64_t moves_max, struct budget *budget, struct arena *arena,
    struct refusal *refusal, struct error *err)
{
	struct budget part = budget_part(budget, ALL_NODES);
	struct inquiry q = {.budget = &part};
	struct breaches breaches = {0};
	const struct demand **list;
	struct buffer out = {0};
	size_t count;
	int rc;

	demands_collect(request, &q.demands);
	q.demands.moves_max = moves_max;
	demands_sort(&q.demands);
	rc = find_conflict(&q, &breaches, err);
	list = memory_zeroed(q.demands.count, sizeof *list);
	count = kept(&q.demands, list);
	if (rc == 0 && count == 0)
		explain_nothing(request, arena, refusal);
	else if (rc == 0) {
		append_sentence(&q, list, count, &out);
		rc = append_change(&q, &breaches, budget, &out, err);
		refusal->conflict = pointers_of(&q.demands, list, count, arena);
		refusal->because = arena_string(arena, out.data);
	}
	refusal->not_minimal = q.open;
	budget_take(budget, &part);
	buffer_release(&out);
	free(breaches.list);
	free(list);
	demands_release(&q.demands);
	return rc;
}
