/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/application.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/table.h"
#include "json/json.h"
#include "preview/preview.h"

static const struct {
	const char *name;
	char sign;
	enum terminal_style style;
	const char *done, *planned; /* what one says of it */
} changes[] = {
	{"none", '=', STYLE_DIM, "", ""},
	{"new", '+', STYLE_GOOD, "made", "is new"},
	{"changed", '~', STYLE_BOLD, "changed", "changes"},
	{"deleted", '-', STYLE_BAD, "deleted", "is deleted"},
};

static const char *const outcomes[] = {"done", "begun", "planned", "failed", "left", "kept"};

/* Returns the lines as a list, owned. */
static jv
application_list_of(const char *lines)
{
	jv list = jv_array();

	for (const char *line = lines, *end; line && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		list = jv_array_append(list, jv_string_sized(line, (int)(end - line)));
	}
	return list;
}

void
application_write(const struct application *application, struct output *output)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "applied");
	json_set_string(&record, "name", application->name);
	json_set_string(&record, "cluster", *application->id ? application->id : NULL);
	json_set_string(&record, "change", changes[application->change].name);
	json_set(&record, "differences", application_list_of(application->differences.data));
	json_set_string(&record, "job", application->done.job);
	json_set_string(&record, "outcome", outcomes[application->outcome]);
	json_set_string(&record, "message", application->outcome == APPLICATION_FAILED ? application->trouble.text : NULL);
	output_value(output, record);
	jv_free(record);
}

static const char *
application_remark_of(const struct application *application)
{
	switch (application->outcome) {
	case APPLICATION_DONE:
		return changes[application->change].done;
	case APPLICATION_PLANNED:
		return changes[application->change].planned;
	case APPLICATION_BEGUN:
		return application->done.job ? application->done.job : "begun";
	case APPLICATION_LEFT:
		return "no file names it any more; --prune deletes it";
	case APPLICATION_KEPT:
		return "no file names it any more; it is deleted after all else is done";
	case APPLICATION_FAILED:
		break;
	}
	return application->trouble.code > 128 ? "interrupted" : application->trouble.code == EX_TEMPFAIL ? "passed over"
	    : "failed";
}

/* Prints a line of the differences, in the style of its sign. */
static void
application_print_line(const char *line, size_t length, FILE *out, bool colour)
{
	static const char *const column[] = {"", NULL};
	enum terminal_style style = STYLE_WARN;
	char *text = memory_substring(line, length);
	struct table table = {0};

	printable(text);
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (changes[i].sign == *text)
			style = changes[i].style;
	table_columns(&table, column);
	table_cell(&table, style, "    %s", text);
	table_print(&table, out, colour, false);
	table_release(&table);
	free(text);
}

/* Prints the plan of a dry run, indented. */
static int
application_print_plan(const struct application *application, FILE *out, bool colour, struct error *err)
{
	struct preview_basis basis = application->done.basis; /* but what changes in the configuration was said already */
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int result;

	basis.config = jv_invalid();
	result = memory ? preview_print(application->done.plan, &basis, memory, colour, err)
	                : error_errno(err, EX_OSERR, "open_memstream");
	if (memory)
		fclose(memory);
	for (const char *line = text, *end; result == 0 && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		fprintf(out, "    %.*s\n", (int)(end - line), line);
	}
	free(text);
	return result;
}

int
application_print(const struct application *application, FILE *out, bool colour, struct error *err)
{
	static const char *const columns[] = {"", "", NULL};
	enum terminal_style style = changes[application->change].style;
	struct table table = {0};

	table_columns(&table, columns);
	table_cell(&table, style, "%c %s", changes[application->change].sign, application->name);
	table_cell(&table, STYLE_PLAIN, "%s", application_remark_of(application));
	table_print(&table, out, colour, false);
	table_release(&table);
	for (const char *line = application->differences.data, *end; line && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		application_print_line(line, (size_t)(end - line), out, colour);
	}
	return application->outcome == APPLICATION_PLANNED && application->done.plan ? application_print_plan(application,
	    out, colour, err) : 0;
}

void
application_print_counts(const size_t counts[APPLICATION_CHANGE_COUNT], size_t failed, FILE *out)
{
	const char *comma = "";

	for (int i = APPLICATION_NEW; i < APPLICATION_CHANGE_COUNT; i++)
		if (counts[i]) {
			fprintf(out, "%s%zu %s", comma, counts[i], changes[i].name);
			comma = ", ";
		}
	fprintf(out, "%s%zu unchanged", comma, counts[APPLICATION_NONE]);
	if (failed)
		fprintf(out, ", %zu not done", failed);
	fputc('\n', out);
}

void
application_release(struct application *application)
{
	operation_result_release(&application->done);
	buffer_release(&application->differences);
	*application = (struct application){0};
}
