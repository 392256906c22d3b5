/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/preview.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/printable.h"
#include "base/table.h"
#include "json/diff.h"
#include "json/json.h"
#include "json/record.h"
#include "model/name.h"
#include "model/plan-document.h"
#include "operation/begin.h"
#include "operation/context.h"

#define DONE(action) (1U << ACTION_##action)

static const struct {
	char sign;
	enum terminal_style style;
	const char *name;
} signs[] = {{'+', STYLE_GOOD, "new"}, {'~', STYLE_BOLD, "changed"}, {'-', STYLE_BAD, "to be removed"}, {'=', STYLE_DIM,
    "unchanged"}};

enum { SIGNS = sizeof signs / sizeof *signs };

int
preview_basis_take(const struct operation_context *context, struct preview_basis *basis, struct error *err)
{
	const char *layout = context->documents.layout;
	char *prices = begin_prices(context, err);
	int result = prices ? json_parse("prices", prices, strlen(prices), &basis->prices, err) : -1;
	jv cluster;

	free(prices);
	basis->jobs = context->options->runner.workers;
	basis->cost = context->cluster ? context->cluster->cost : 0;
	if (result == 0 && layout && *layout) {
		result = json_parse("the layout", layout, strcspn(layout, "\n"), &cluster, err);
		if (result == 0) {
			basis->config = json_get(cluster, "config");
			jv_free(cluster);
		}
	}
	return result;
}

void
preview_basis_release(struct preview_basis *basis)
{
	jv_free(basis->prices);
	jv_free(basis->config);
	*basis = (struct preview_basis)PREVIEW_BASIS_NONE;
}

/* The effects of a plan on nodes and on the services on them, gathered from its tasks. */
struct effects {
	const struct plan_document *plan;
	bool *deleted;        /* by node */
	size_t left;          /* how many nodes there are afterwards */
	struct arena arena;
	struct names ids;     /* of the nodes, in their order */
	struct names places;  /* "NODE SERVICE" */
	unsigned *actions;    /* by place: bits 1 << action */
};

static void
preview_effects_init(struct effects *effects, const struct plan_document *plan)
{
	*effects = (struct effects){.plan = plan, .deleted = memory_zeroed(plan->layout.node_count, sizeof *effects->deleted),
	    .actions = memory_zeroed(plan->count, sizeof *effects->actions)};
	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&effects->ids, plan->layout.nodes[i].id);
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int node = !step->is_milestone && step->node ? names_find(&effects->ids, step->node) : NAMES_NONE, place;

		if (node == NAMES_NONE)
			continue;
		if (step->action == ACTION_DELETE)
			effects->deleted[node] = true;
		if (step->service) {
			place = names_intern(&effects->places, arena_printf(&effects->arena, "%d %s", node, step->service));
			effects->actions[place] |= 1U << step->action;
		}
	}
	for (size_t i = 0; i < plan->layout.node_count; i++) {
		effects->deleted[i] = effects->deleted[i] || plan->layout.nodes[i].leaves;
		effects->left += !effects->deleted[i];
	}
}

/* Returns what is done to a service on a node: bits 1 << action. */
static unsigned
preview_actions_on(const struct effects *effects, size_t node, const char *service)
{
	char *place = memory_printf("%zu %s", node, service);
	int found = names_find(&effects->places, place);

	free(place);
	return found == NAMES_NONE ? 0 : effects->actions[found];
}

static void
preview_effects_release(struct effects *effects)
{
	free(effects->deleted);
	free(effects->actions);
	names_release(&effects->ids);
	names_release(&effects->places);
	arena_release(&effects->arena);
}

/* Appends the names of a that are not in b, each behind the sign. */
static void
preview_append_rest(const struct string_list *a, const struct string_list *b, const char *sign, struct buffer *text)
{
	for (size_t i = 0; i < a->count; i++)
		if (!name_set_has(b, a->list[i]))
			buffer_printf(text, "%s%s%s", text->length ? " " : "", sign, a->list[i]);
}

/* Appends the services that stay on a node and on which the actions done, but not the actions but, are run; "all" for all. */
static void
preview_append_done(const struct effects *effects, size_t number, unsigned done, unsigned but, const char *name,
    struct buffer *text)
{
	const struct node *node = &effects->plan->layout.nodes[number];
	struct buffer services = {0};
	size_t stay = 0, count = 0;

	for (size_t i = 0; i < node->services.count; i++) {
		const char *service = node->services.list[i];
		bool stays = name_set_has(&node->was, service);
		unsigned actions = stays ? preview_actions_on(effects, number, service) : 0;

		stay += stays;
		if (!(actions & done) || (actions & but))
			continue;
		buffer_printf(&services, " %s", service);
		count++;
	}
	if (count)
		buffer_printf(text, "%s%s%s", text->length ? "; " : "", name, count > 1 &&
		    count == stay ? " all" : services.data);
	buffer_release(&services);
}

/* Describes the change of a node, and the kind of its machine, as text: equal kinds have equal texts, and the first byte is the
 * sign. A node that stays has changed where services come or go, or are installed or configured again. The caller frees it. */
static char *
preview_kind_of(const struct effects *effects, size_t number)
{
	const struct node *node = &effects->plan->layout.nodes[number];
	struct buffer text = {0}, changes = {0}, services = {0};
	const struct string_list none = {0};
	bool deleted = effects->deleted[number];

	if (!deleted && !node->is_new) {
		preview_append_rest(&node->services, &node->was, "+", &changes);
		preview_append_rest(&node->was, &node->services, "-", &changes);
		preview_append_done(effects, number, DONE(INSTALL), 0, "install", &changes);
		preview_append_done(effects, number, DONE(CONFIGURE) | DONE(INITIALIZE), DONE(INSTALL), "configure", &changes);
	}
	preview_append_rest(node->leaves ? &node->was : &node->services, &none, "", &services);
	buffer_byte(&text, deleted ? '-' : node->is_new ? '+' : changes.length ? '~' : '=');
	buffer_printf(&text, "%s, %s:%s%s", node->hardwaretype ? node->hardwaretype : "any hardware",
	    node->imagetype ? node->imagetype : "any image", services.length ? " " : "",
	    services.length ? services.data : "");
	if (changes.length)
		buffer_printf(&text, "  (%s)", changes.data);
	buffer_release(&changes);
	buffer_release(&services);
	return buffer_take(&text);
}

/* Prints a line for each kind of node, and counts the nodes of each sign. */
static void
preview_print_kinds(const struct effects *effects, size_t counts[SIGNS], FILE *out, bool colour)
{
	static const char *const columns[] = {"COUNT", "KIND", NULL};
	const struct layout *layout = &effects->plan->layout;
	size_t *times = memory_zeroed(layout->node_count, sizeof *times);
	struct names kinds = {0};
	struct table table = {0};

	for (size_t i = 0; i < layout->node_count; i++) {
		char *kind = preview_kind_of(effects, i);
		bool is_new = names_find(&kinds, kind) == NAMES_NONE;

		times[names_intern(&kinds, kind)]++;
		if (!is_new)
			free(kind);
	}
	table_columns(&table, columns);
	for (size_t sign = 0; sign < SIGNS; sign++)
		for (size_t i = 0; i < kinds.count; i++) {
			if (*kinds.list[i] != signs[sign].sign)
				continue;
			table_cell(&table, signs[sign].style, "%c %zu", signs[sign].sign, times[i]);
			table_cell(&table, STYLE_PLAIN, "%s", kinds.list[i] + 1);
			counts[sign] += times[i];
		}
	table_print(&table, out, colour, false);
	table_release(&table);
	for (size_t i = 0; i < kinds.count; i++)
		free((char *)(uintptr_t)kinds.list[i]);
	names_release(&kinds);
	free(times);
}

static void
preview_print_config(const struct preview_basis *basis, const struct layout *layout, FILE *out)
{
	jv config = json_get(layout->cluster.source, "config");
	struct buffer text = {0};

	if (jv_is_valid(basis->config) && jv_is_valid(config))
		json_diff(basis->config, config, "config", &text);
	for (char *line = text.data, *end; line && *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		*end = '\0';
		printable(line);
		fprintf(out, "%s\n", line);
	}
	buffer_release(&text);
	jv_free(config);
}

/* Returns what people who use the cluster notice of a service that stays where it stands: "restarts", "is started"; NULL if
 * nothing. */
static const char *
preview_notice_of(unsigned actions, struct arena *arena)
{
	const unsigned unnoticed = (ACTIONS_SET_UP | ACTIONS_TAKE_DOWN) & ~ACTIONS_RESTART;

	if ((actions & ACTIONS_RESTART) == ACTIONS_RESTART)
		return "restarts";
	for (int i = 0; i < ACTION_COUNT; i++)
		if (actions & ~unnoticed & ACTION_BIT(i))
			return arena_printf(arena, "is %s", action_table[i].done);
	return NULL;
}

struct notices {
	struct names services;
	size_t *stands;                 /* by service: on how many nodes it stays */
	struct names texts;             /* "haproxy restarts" */
	size_t *times, *service;        /* by text */
};

static void
preview_gather_notices(const struct effects *effects, struct arena *arena, struct notices *notices)
{
	for (size_t i = 0; i < effects->plan->layout.node_count; i++) {
		const struct node *node = &effects->plan->layout.nodes[i];

		for (size_t j = 0; j < node->services.count && !effects->deleted[i]; j++) {
			const char *service = node->services.list[j];
			bool stays = name_set_has(&node->was, service);
			const char *notice = stays ? preview_notice_of(preview_actions_on(effects, i, service), arena) : NULL;
			int number = names_intern(&notices->services, service), text;

			notices->stands[number] += stays;
			if (!notice)
				continue;
			text = names_intern(&notices->texts, arena_printf(arena, "%s %s", service, notice));
			notices->service[text] = (size_t)number;
			notices->times[text]++;
		}
	}
}

static void
preview_print_notices(const struct effects *effects, FILE *out)
{
	const struct layout *layout = &effects->plan->layout;
	struct notices notices = {0};
	struct arena arena = {0};
	size_t room = effects->plan->count;

	for (size_t i = 0; i < layout->node_count; i++)
		room += layout->nodes[i].services.count;
	notices.stands = memory_zeroed(room, sizeof *notices.stands);
	notices.times = memory_zeroed(room, sizeof *notices.times);
	notices.service = memory_zeroed(room, sizeof *notices.service);
	preview_gather_notices(effects, &arena, &notices);
	for (size_t i = 0; i < notices.texts.count; i++) {
		size_t stands = notices.stands[notices.service[i]];

		fprintf(out, "! %s on %zu", notices.texts.list[i], notices.times[i]);
		if (notices.times[i] < stands)
			fprintf(out, " of %zu", stands);
		fprintf(out, " %s\n", stands == 1 ? "machine" : "machines");
	}
	names_release(&notices.services);
	names_release(&notices.texts);
	free(notices.stands);
	free(notices.times);
	free(notices.service);
	arena_release(&arena);
}

/* Prints the cost of an hour before and after the operation, if anything costs anything. */
static void
preview_print_cost(const struct effects *effects, const struct preview_basis *basis, FILE *out)
{
	double after = 0;
	char from[32], to[32];

	for (size_t i = 0; i < effects->plan->layout.node_count; i++) {
		const struct node *node = &effects->plan->layout.nodes[i];
		jv price = node->hardwaretype ? json_get(basis->prices, node->hardwaretype) : jv_invalid();

		if (!effects->deleted[i])
			after += json_get_number(price, "cost", 0);
		jv_free(price);
	}
	snprintf(from, sizeof from, "%.9g", basis->cost);
	snprintf(to, sizeof to, "%.9g", after);
	if (strcmp(from, to) != 0 && basis->cost > 0)
		fprintf(out, ", cost %s -> %s an hour", from, to);
	else if (after > 0)
		fprintf(out, ", cost %s an hour", to);
}

/* Returns the expected seconds: those of the longest chain of tasks, or of all tasks with so many in parallel, if these are
 * more. */
static double
preview_expected(const struct plan_document *plan, long jobs)
{
	double work = 0;

	for (size_t i = 0; i < plan->count; i++)
		work += plan->steps[i].is_milestone ? 0 : plan->steps[i].expect_s;
	work = jobs > 0 ? work / (double)jobs : 0;
	return work > plan->job.critical_path_s ? work : plan->job.critical_path_s;
}

static void
preview_print_sums(const struct effects *effects, const size_t counts[SIGNS], const struct preview_basis *basis, FILE *out)
{
	const struct job *job = &effects->plan->job;
	char duration[CLOCK_RFC3339_SIZE];
	const char *comma = "";

	for (size_t i = 0; i < SIGNS; i++)
		if (counts[i]) {
			fprintf(out, "%s%zu %s", comma, counts[i], signs[i].name);
			comma = ", ";
		}
	fprintf(out, "%s%zu machine%s", *comma ? ": " : "", effects->left, effects->left == 1 ? "" : "s");
	if (jv_is_valid(basis->prices))
		preview_print_cost(effects, basis, out);
	if (job->tasks)
		fprintf(out, "\n%zu task%s, expected to take %s\n", job->tasks, job->tasks == 1 ? "" : "s",
		    clock_duration((int64_t)(preview_expected(effects->plan, basis->jobs) * 1000), duration));
	else
		fprintf(out, "\nno tasks: nothing is to be done on any machine\n");
}

int
preview_print(const char *path, const struct preview_basis *basis, FILE *out, bool colour, struct error *err)
{
	struct problems problems = {0};
	struct plan_document plan = {0};
	struct record_reader reader;
	size_t counts[SIGNS] = {0};
	struct effects effects;
	int result = record_reader_open(&reader, path, err);

	if (result == 0)
		result = plan_document_read(&reader, &plan, &problems, err);
	if (result == 0 && problems.total)
		result = error_set(err, EX_DATAERR, "%s: %s: %s", path, problems.list[0].pointer, problems.list[0].text);
	if (result == 0) {
		preview_effects_init(&effects, &plan);
		preview_print_kinds(&effects, counts, out, colour);
		preview_print_config(basis, &plan.layout, out);
		preview_print_notices(&effects, out);
		preview_print_sums(&effects, counts, basis, out);
		preview_effects_release(&effects);
	}
	plan_document_release(&plan);
	problems_release(&problems);
	record_reader_release(&reader);
	return result;
}
