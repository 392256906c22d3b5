/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/preview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/table.h"
#include "json/diff.h"
#include "json/json.h"
#include "json/record.h"
#include "model/expectation.h"
#include "model/layout-diff.h"
#include "model/name.h"
#include "model/plan-document.h"
#include "preview/losses.h"

#define DONE(action) (1U << ACTION_##action)

static const struct {
	char sign;
	enum terminal_style style;
	const char *name;
} signs[] = {{'+', STYLE_GOOD, "new"}, {'~', STYLE_BOLD, "changed"}, {'-', STYLE_BAD, "to be removed"}, {'=', STYLE_DIM,
    "unchanged"}};

enum {
	SIGNS = sizeof signs / sizeof *signs,
	NAMED = 4, /* nodes of a kind by their numbers */
};

void
preview_basis_release(struct preview_basis *basis)
{
	jv_free(basis->prices);
	jv_free(basis->config);
	jv_free(basis->stateful);
	*basis = (struct preview_basis)PREVIEW_BASIS_NONE;
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
		unsigned actions = stays ? effects_on(effects, number, service) : 0;

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

/* Appends the numbers of the machines that are deleted, at most NAMED of them: these are gone afterwards. */
static void
preview_append_deleted(const struct effects *effects, const int *kind_of, int kind, size_t count, struct buffer *text)
{
	const struct layout *layout = &effects->plan->layout;
	size_t named = 0;

	for (size_t i = 0; i < layout->node_count && named < NAMED; i++)
		if (kind_of[i] == kind)
			buffer_printf(text, "%s%" PRId64, named++ ? " " : "  (", layout->nodes[i].nodenum);
	buffer_printf(text, count > named ? " and %zu more)" : ")", count - named);
}

static void
preview_print_kind(const struct effects *effects, const int *kind_of, int kind, const char *name, size_t count, struct table *table)
{
	struct buffer deleted = {0};
	size_t sign = 0;

	while (signs[sign].sign != *name) /* each kind begins with one of them */
		sign++;
	if (*name == '-')
		preview_append_deleted(effects, kind_of, kind, count, &deleted);
	table_cell(table, signs[sign].style, "%c %zu", *name, count);
	table_cell(table, STYLE_PLAIN, "%s%s", name + 1, deleted.length ? deleted.data : "");
	buffer_release(&deleted);
}

/* Prints a line for each kind of node, and counts the nodes of each sign. */
static void
preview_print_kinds(const struct effects *effects, size_t counts[SIGNS], FILE *out, bool colour)
{
	static const char *const columns[] = {"COUNT", "KIND", NULL};
	const struct layout *layout = &effects->plan->layout;
	size_t *times = memory_zeroed(layout->node_count, sizeof *times);
	int *kind_of = memory_zeroed(layout->node_count, sizeof *kind_of);
	struct names kinds = {0};
	struct table table = {0};

	for (size_t i = 0; i < layout->node_count; i++) {
		char *kind = preview_kind_of(effects, i);
		bool is_new = names_find(&kinds, kind) == NAMES_NONE;

		kind_of[i] = names_intern(&kinds, kind);
		times[kind_of[i]]++;
		if (!is_new)
			free(kind);
	}
	table_columns(&table, columns);
	for (size_t sign = 0; sign < SIGNS; sign++)
		for (size_t i = 0; i < kinds.count; i++) {
			if (*kinds.list[i] != signs[sign].sign)
				continue;
			preview_print_kind(effects, kind_of, (int)i, kinds.list[i], times[i], &table);
			counts[sign] += times[i];
		}
	table_print(&table, out, colour, false);
	table_release(&table);
	for (size_t i = 0; i < kinds.count; i++)
		free((char *)(uintptr_t)kinds.list[i]);
	names_release(&kinds);
	free(kind_of);
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
	const unsigned restart = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_START);
	const unsigned unnoticed = ((ACTIONS_SET_UP | ACTIONS_TAKE_DOWN) & ~restart) | ACTION_BIT(ACTION_RELOAD) |
	    ACTION_BIT(ACTION_RESTART) | ACTION_BIT(ACTION_CHECK);

	if ((actions & restart) == restart)
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
			const char *notice = stays ? preview_notice_of(effects_on(effects, i, service), arena) : NULL;
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

static bool
preview_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* A restart starts what the services need, too, which mostly runs already. */
static void
preview_print_notices(const struct effects *effects, FILE *out)
{
	bool restarts = effects->plan->job.action && strcmp(effects->plan->job.action, "restart_services") == 0;
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
		fprintf(out, " %s%s\n", plural(stands, "machine", "machines"),
		    restarts && preview_ends_with(notices.texts.list[i], " is started") ? ", if it is down" : "");
	}
	names_release(&notices.services);
	names_release(&notices.texts);
	free(notices.stands);
	free(notices.times);
	free(notices.service);
	arena_release(&arena);
}

/* Prints which stateful services have no other instance while they are stopped, and for how long. */
static void
preview_print_downtime(const struct effects *effects, jv today, FILE *out)
{
	const struct cluster *cluster = &effects->plan->layout.cluster;
	char text[CLOCK_RFC3339_SIZE];

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const char *service = cluster->definitions[i].name;
		bool is_measured;
		double seconds;

		if (effects_interrupt(effects, today, service, &seconds, &is_measured))
			fprintf(out, "! %s is down for about %s%s: it has no other instance\n", service,
			    clock_duration((int64_t)(seconds * 1000), text), is_measured ? "" : " (not measured yet)");
	}
}

/* Returns what a node costs an hour; 0 where that is not known. */
static double
preview_cost_of(const struct node *node, const struct preview_basis *basis)
{
	jv price = node->hardwaretype && jv_is_valid(basis->prices) ? json_get(basis->prices, node->hardwaretype) : jv_invalid();
	double cost = json_get_number(price, "cost", 0);

	jv_free(price);
	return cost;
}

void
preview_basis_cost(const struct preview *preview, struct preview_basis *basis)
{
	basis->cost = 0;
	for (size_t i = 0; i < preview->plan.layout.node_count; i++)
		if (!preview->plan.layout.nodes[i].is_new)
			basis->cost += preview_cost_of(&preview->plan.layout.nodes[i], basis);
}

/* Prints the cost of an hour before and after the operation, if anything costs anything. */
static void
preview_print_cost(const struct effects *effects, const struct preview_basis *basis, FILE *out)
{
	double after = 0;
	char from[32], to[32];

	for (size_t i = 0; i < effects->plan->layout.node_count; i++)
		if (!effects->deleted[i])
			after += preview_cost_of(&effects->plan->layout.nodes[i], basis);
	snprintf(from, sizeof from, "%.9g", basis->cost);
	snprintf(to, sizeof to, "%.9g", after);
	if (strcmp(from, to) != 0 && basis->cost > 0)
		fprintf(out, ", cost %s -> %s an hour", from, to);
	else if (after > 0)
		fprintf(out, ", cost %s an hour", to);
}

/* Prints how many tasks there are, and how long they take as far as that was measured. */
static void
preview_print_tasks(const struct job *job, FILE *out)
{
	char median[CLOCK_RFC3339_SIZE], p90[CLOCK_RFC3339_SIZE];

	fprintf(out, "\n%zu task%s, ", job->tasks, plural(job->tasks, "", "s"));
	if (job->runs > 0 && job->runs < EXPECTATION_RUNS)
		fprintf(out, "expected to take %s (some of them were measured only %s)\n",
		    clock_duration((int64_t)(job->expected_s * 1000), median), job->runs == 1 ? "once" : "twice");
	else if (job->runs > 0)
		fprintf(out, "expected to take %s (90th percentile: %s)\n",
		    clock_duration((int64_t)(job->expected_s * 1000), median), clock_duration((int64_t)(job->expected_p90_s * 1000), p90));
	else if (job->unmeasured > 0 && job->unmeasured < (int64_t)job->tasks)
		fprintf(out, "expected duration unknown: %lld of them %s never measured here\n", (long long)job->unmeasured,
		    plural(job->unmeasured, "was", "were"));
	else
		fprintf(out, "expected duration unknown: no such task was measured here yet\n");
}

static void
preview_print_sums(const struct effects *effects, const size_t counts[SIGNS], const struct preview_basis *basis, FILE *out)
{
	const struct job *job = &effects->plan->job;
	const char *comma = "";

	for (size_t i = 0; i < SIGNS; i++)
		if (counts[i]) {
			fprintf(out, "%s%zu %s", comma, counts[i], signs[i].name);
			comma = ", ";
		}
	fprintf(out, "%s%zu machine%s", *comma ? ": " : "", effects->left, plural(effects->left, "", "s"));
	if (jv_is_valid(basis->prices))
		preview_print_cost(effects, basis, out);
	if (job->tasks)
		preview_print_tasks(job, out);
	else
		fprintf(out, "%s\n", effects->plan->has_job ? "\nno tasks: nothing is to be done on any machine" : "");
}

static int
preview_check(struct preview *preview, const char *name, const struct problems *problems, struct error *err)
{
	if (problems->total)
		return error_set(err, EX_DATAERR, "%s: %s: %s", name, problems->list[0].pointer, problems->list[0].text);
	effects_init(&preview->effects, &preview->plan);
	return 0;
}

int
preview_read(struct preview *preview, const char *path, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int result;

	*preview = (struct preview){0};
	result = record_reader_open(&reader, path, err);
	if (result == 0)
		result = plan_document_read(&reader, &preview->plan, &problems, err);
	if (result == 0)
		result = preview_check(preview, path, &problems, err);
	problems_release(&problems);
	record_reader_release(&reader);
	return result;
}

int
preview_parse(struct preview *preview, const char *name, const char *text, size_t length, struct error *err)
{
	struct problems problems = {0};
	struct place stream = place_root((jv){0}, &problems);
	size_t number = 0;
	int result = 0;

	*preview = (struct preview){0};
	for (const char *end, *stop = text + length; result == 0 && text < stop; text = end + 1) {
		struct place record = {.up = &stream, .index = number++, .problems = &problems};

		end = memchr(text, '\n', (size_t)(stop - text));
		end = end ? end : stop;
		result = json_parse(name, text, (size_t)(end - text), &record.value, err);
		if (result < 0)
			break;
		plan_document_take(&preview->plan, &record);
		jv_free(record.value);
	}
	plan_document_end(&preview->plan, &problems);
	if (result == 0)
		result = preview_check(preview, name, &problems, err);
	problems_release(&problems);
	return result;
}

/* Makes all machines of the layout new, or, where they were there before, leave. */
static void
preview_mark_all(struct layout *layout, bool leave)
{
	for (size_t i = 0; i < layout->node_count; i++) {
		struct node *node = &layout->nodes[i];

		node->is_new = !leave;
		node->leaves = leave;
		node->was = leave ? node->services : (struct string_list){0};
	}
}

int
preview_compare(struct preview *preview, const char *before, const char *after, struct error *err)
{
	struct layout *layout = &preview->plan.layout;
	struct problems problems = {0};
	int result;

	*preview = (struct preview){0};
	result = layout_parse_text(*after ? after : before, layout, err);
	if (result == 0 && (!*after || !*before))
		preview_mark_all(layout, !*after);
	else if (result == 0)
		result = layout_parse_text(before, &preview->before, err);
	if (result == 0 && *after && *before)
		layout_diff_set_was(layout, &preview->before, &problems);
	if (result == 0)
		effects_init(&preview->effects, &preview->plan);
	problems_release(&problems); /* a node of another type is told as it is now */
	return result;
}

void
preview_release(struct preview *preview)
{
	effects_release(&preview->effects);
	plan_document_release(&preview->plan);
	layout_release(&preview->before);
}

void
preview_write(const struct preview *preview, const struct preview_basis *basis, FILE *out, bool colour)
{
	size_t counts[SIGNS] = {0};

	preview_print_kinds(&preview->effects, counts, out, colour);
	preview_print_config(basis, &preview->plan.layout, out);
	preview_print_notices(&preview->effects, out);
	preview_print_downtime(&preview->effects, basis->stateful, out);
	losses_print(&preview->effects, basis->stateful, out);
	preview_print_sums(&preview->effects, counts, basis, out);
}

int
preview_print(const char *path, const struct preview_basis *basis, FILE *out, bool colour, struct error *err)
{
	struct preview preview;
	int result = preview_read(&preview, path, err);

	if (result == 0)
		preview_write(&preview, basis, out, colour);
	preview_release(&preview);
	return result;
}
