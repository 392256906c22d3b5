/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/preview.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/terminal.h"
#include "json/record.h"
#include "model/layout.h"
#include "model/plan.h"

/* A kind of machine as text: equal kinds have equal texts. The caller frees it. */
static char *
kind_of(const struct node *node)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s, %s:", node->hardwaretype ? node->hardwaretype : "any hardware",
	    node->imagetype ? node->imagetype : "any image");
	for (size_t i = 0; i < node->services.count; i++)
		buffer_printf(&text, " %s", node->services.list[i]);
	return buffer_take(&text);
}

static void
print_kinds(const struct layout *layout, FILE *out, bool colour)
{
	static const char *const columns[] = {"COUNT", "KIND", NULL};
	size_t *times = memory_zeroed(layout->node_count, sizeof *times);
	struct names kinds = {0};
	struct table table = {0};

	for (size_t i = 0; i < layout->node_count; i++) {
		char *kind = kind_of(&layout->nodes[i]);
		bool is_new = names_find(&kinds, kind) == NAMES_NONE;

		times[names_intern(&kinds, kind)]++;
		if (!is_new)
			free(kind);
	}
	table_columns(&table, columns);
	for (size_t i = 0; i < kinds.count; i++) {
		table_cell(&table, STYLE_GOOD, "+ %zu", times[i]);
		table_cell(&table, STYLE_PLAIN, "%s", kinds.list[i]);
	}
	table_print(&table, out, colour, false);
	table_release(&table);
	for (size_t i = 0; i < kinds.count; i++)
		free((char *)(uintptr_t)kinds.list[i]);
	names_release(&kinds);
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

static void
print_all(const struct job *job, const struct layout *layout, FILE *out, bool colour)
{
	char duration[CLOCK_RFC3339_SIZE];
	double cost = cost_of(layout);

	print_kinds(layout, out, colour);
	fprintf(out, "%zu machines, %zu tasks, expected to take %s", layout->node_count, job->tasks,
	    clock_duration((int64_t)(job->critical_path_s * 1000), duration));
	if (cost >= 0)
		fprintf(out, ", cost %g", cost);
	fputc('\n', out);
}

/* Reads the job record, which a plan begins with. */
static int
read_job(struct record_reader *reader, struct arena *arena, struct job *job, struct problems *problems,
    struct error *err)
{
	struct place place;
	jv record;
	int found = record_read(reader, &record, err);

	if (found <= 0)
		return found < 0 ? -1 : error_set(err, EX_DATAERR, "%s: empty", reader->name);
	place = place_root(record, problems);
	job_parse(&place, arena, job);
	jv_free(record);
	return 0;
}

int
preview_print(int fd, FILE *out, bool colour, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct layout layout = {0};
	struct arena arena = {0};
	struct job job;
	int result;

	record_reader_init(&reader, fd, "plan");
	result = read_job(&reader, &arena, &job, &problems, err);
	if (result == 0)
		result = layout_read(&reader, &layout, &problems, err);
	if (result == 0 && problems.total)
		result = error_set(err, EX_DATAERR, "plan: %s: %s", problems.list[0].pointer, problems.list[0].text);
	if (result == 0)
		print_all(&job, &layout, out, colour);
	layout_release(&layout);
	problems_release(&problems);
	record_reader_release(&reader);
	arena_release(&arena);
	return result;
}
