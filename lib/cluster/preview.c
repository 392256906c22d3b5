/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/preview.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/terminal.h"
#include "json/record.h"
#include "model/plan-document.h"

static bool
has_name(const struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], name) == 0)
			return true;
	return false;
}

/* Those of a that are not in b, each behind the sign. */
static void
append_rest(const struct string_list *a, const struct string_list *b, const char *sign, struct buffer *text)
{
	for (size_t i = 0; i < a->count; i++)
		if (!has_name(b, a->list[i]))
			buffer_printf(text, " %s%s", sign, a->list[i]);
}

static bool
same_services(const struct node *node)
{
	struct buffer text = {0};
	bool same;

	append_rest(&node->services, &node->was, "+", &text);
	append_rest(&node->was, &node->services, "-", &text);
	same = text.length == 0;
	buffer_release(&text);
	return same;
}

/* What becomes of a node, and what kind of machine it is, as text: equal kinds have equal texts, and the first byte is the
 * sign: + new, - leaves, ~ changes, = stays as it is. The caller frees it. */
static char *
kind_of(const struct node *node, bool deleted)
{
	char sign = node->leaves || deleted ? '-' : node->is_new ? '+' : same_services(node) ? '=' : '~';
	const struct string_list none = {0};
	struct buffer text = {0};

	buffer_byte(&text, sign);
	buffer_printf(&text, "%s, %s:", node->hardwaretype ? node->hardwaretype : "any hardware",
	    node->imagetype ? node->imagetype : "any image");
	append_rest(node->leaves ? &node->was : &node->services, &none, "", &text);
	if (sign == '~') {
		buffer_text(&text, "  (");
		append_rest(&node->services, &node->was, "+", &text);
		append_rest(&node->was, &node->services, "-", &text);
		buffer_text(&text, " )");
	}
	return buffer_take(&text);
}

static enum terminal_style
style_of(char sign)
{
	return sign == '+' ? STYLE_GOOD : sign == '-' ? STYLE_BAD : sign == '~' ? STYLE_BOLD : STYLE_DIM;
}

static void
print_kinds(const struct layout *layout, const bool *deleted, FILE *out, bool colour)
{
	static const char *const columns[] = {"COUNT", "KIND", NULL};
	size_t *times = memory_zeroed(layout->node_count, sizeof *times);
	struct names kinds = {0};
	struct table table = {0};

	for (size_t i = 0; i < layout->node_count; i++) {
		char *kind = kind_of(&layout->nodes[i], deleted[i]);
		bool is_new = names_find(&kinds, kind) == NAMES_NONE;

		times[names_intern(&kinds, kind)]++;
		if (!is_new)
			free(kind);
	}
	table_columns(&table, columns);
	for (size_t i = 0; i < kinds.count; i++) {
		table_cell(&table, style_of(kinds.list[i][0]), "%c %zu", kinds.list[i][0], times[i]);
		table_cell(&table, STYLE_PLAIN, "%s", kinds.list[i] + 1);
	}
	table_print(&table, out, colour, false);
	table_release(&table);
	for (size_t i = 0; i < kinds.count; i++)
		free((char *)(uintptr_t)kinds.list[i]);
	names_release(&kinds);
	free(times);
}

/* The number of the node that a task of this action is on; NAMES_NONE where it is none of it. */
static int
node_of(const struct step *step, enum action action, const struct names *ids)
{
	return !step->is_milestone && step->action == action && step->node ? names_find(ids, step->node) : NAMES_NONE;
}

/* Services that are stopped where they stand and stay, which is what people who use the cluster notice. */
static void
print_stops(const struct plan_document *plan, const struct names *ids, const bool *deleted, FILE *out)
{
	size_t *times = memory_zeroed(plan->count, sizeof *times);
	struct names services = {0};

	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int node = node_of(step, ACTION_STOP, ids);

		if (node != NAMES_NONE && !deleted[node] && step->service &&
		    has_name(&plan->layout.nodes[node].services, step->service))
			times[names_intern(&services, step->service)]++;
	}
	for (size_t i = 0; i < services.count; i++)
		fprintf(out, "! %s is stopped on %zu %s\n", services.list[i], times[i], times[i] == 1 ? "machine" : "machines");
	names_release(&services);
	free(times);
}

/* The cost that the solver found, negative where it was not asked for it. */
static double
cost_of(const struct layout *layout)
{
	jv solution = json_get(layout->cluster.source, "solution"), objective = json_get(solution, "objective");
	jv cost = json_get(objective, "cost");
	double value = jv_get_kind(cost) == JV_KIND_NUMBER ? jv_number_value(cost) : -1;

	jv_free(cost);
	jv_free(objective);
	jv_free(solution);
	return value;
}

/* Which nodes the plan deletes; the caller frees it. How many are left goes to *left. */
static bool *
find_deleted(const struct plan_document *plan, const struct names *ids, size_t *left)
{
	bool *deleted = memory_zeroed(plan->layout.node_count, sizeof *deleted);

	for (size_t i = 0; i < plan->count; i++) {
		int node = node_of(&plan->steps[i], ACTION_DELETE, ids);

		if (node != NAMES_NONE)
			deleted[node] = true;
	}
	*left = 0;
	for (size_t i = 0; i < plan->layout.node_count; i++)
		*left += !deleted[i] && !plan->layout.nodes[i].leaves;
	return deleted;
}

static void
print_all(const struct plan_document *plan, FILE *out, bool colour)
{
	char duration[CLOCK_RFC3339_SIZE];
	double cost = cost_of(&plan->layout);
	struct names ids = {0};
	bool *deleted;
	size_t left;

	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&ids, plan->layout.nodes[i].id);
	deleted = find_deleted(plan, &ids, &left);
	print_kinds(&plan->layout, deleted, out, colour);
	print_stops(plan, &ids, deleted, out);
	fprintf(out, "%zu machines, %zu tasks, expected to take %s", left, plan->job.tasks,
	    clock_duration((int64_t)(plan->job.critical_path_s * 1000), duration));
	if (cost >= 0 && left)
		fprintf(out, ", cost %g", cost);
	fputc('\n', out);
	names_release(&ids);
	free(deleted);
}

int
preview_print(int fd, FILE *out, bool colour, struct error *err)
{
	struct problems problems = {0};
	struct plan_document plan = {0};
	struct record_reader reader;
	int result;

	record_reader_init(&reader, fd, "plan");
	result = plan_document_read(&reader, &plan, &problems, err);
	if (result == 0 && problems.total)
		result = error_set(err, EX_DATAERR, "plan: %s: %s", problems.list[0].pointer, problems.list[0].text);
	if (result == 0)
		print_all(&plan, out, colour);
	plan_document_release(&plan);
	problems_release(&problems);
	record_reader_release(&reader);
	return result;
}
