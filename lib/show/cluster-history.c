/* SPDX-License-Identifier: Apache-2.0 */
#include "show/cluster-history.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/table.h"
#include "cluster/operation-files.h"
#include "json/json.h"
#include "json/record.h"
#include "model/layout-diff.h"
#include "preview/preview.h"
#include "status/state-line.h"

int
cluster_history_print(struct cluster_status *status, int64_t limit, struct output *output, struct error *err)
{
	struct operation_list operations = {0};
	int result = operations_list(&status->account, status->cluster->id, 0, limit, &operations, err) < 0 ? -1 : 0;

	if (result == 0)
		list_print(&state_line_operations, operations.list, operations.count, output);
	operation_list_release(&operations);
	return result;
}

/* Returns 1; 0 if the operation was done at once, without a layout; -1. */
static int
cluster_history_documents(struct cluster_status *status, int64_t number, struct operation_documents *documents, struct error *err)
{
	*documents = (struct operation_documents){0};
	if (operation_documents(&status->account, status->cluster->id, number, documents, err) < 0)
		return err->code == EX_NO ? 0 : -1;
	return documents->wanted != NULL;
}

/* Returns the layout that was there after the operation, the caller's to free: what stood before the next one that had a job,
 * else what is there now. NULL with a reason. */
static char *
cluster_history_layout_after(struct cluster_status *status, int64_t number, struct error *err)
{
	struct operation_documents next = {0};
	struct cluster_documents now = {0};
	char *layout = NULL;

	while (!layout && ++number <= status->cluster->operation) {
		int found = cluster_history_documents(status, number, &next, err);

		if (found < 0)
			return NULL;
		if (found)
			layout = memory_string(next.before ? next.before : "");
		operation_documents_release(&next);
	}
	if (layout)
		return layout;
	if (clusters_documents(&status->account, status->cluster->id, &now, err) < 0)
		return NULL;
	layout = memory_string(now.layout);
	cluster_documents_release(&now);
	return layout;
}

static void
cluster_history_print_records(const char *text, struct output *output)
{
	for (const char *end; *text; text = end + 1) {
		jv record = jv_object();

		end = strchr(text, '\n');
		json_set_string(&record, "kind", "difference");
		json_set(&record, "text", jv_string_sized(text, (int)(end - text)));
		output_value(output, record);
		jv_free(record);
	}
}

static void
cluster_history_print_lines(const char *text, struct output *output)
{
	static const char *const columns[] = {"", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (const char *end; *text; text = end + 1) {
		end = strchr(text, '\n');
		table_cell(&table, *text == '+' ? STYLE_GOOD : *text == '-' ? STYLE_BAD : STYLE_WARN, "%.*s", (int)(end - text),
		    text);
	}
	table_print(&table, output->stream, output->colour, false);
	table_release(&table);
}

/* Reads what the preview needs: what machines cost, and the configuration before. */
static int
cluster_history_basis(const struct operation_documents *documents, struct preview_basis *basis, struct error *err)
{
	int result = documents->prices ? json_parse("prices", documents->prices, strlen(documents->prices), &basis->prices, err) : 0;
	jv cluster;

	if (result == 0 && documents->before && *documents->before) {
		result = json_parse("the layout", documents->before, strcspn(documents->before, "\n"), &cluster, err);
		if (result == 0) {
			basis->config = json_get(cluster, "config");
			jv_free(cluster);
		}
	}
	return result;
}

/* Appends each difference of two layouts, a line each. Returns 1 if there is one, 0, -1. */
static int
cluster_history_compare(const char *before, const char *after, struct buffer *text, struct error *err)
{
	struct layout from = {0}, to = {0};
	int result = layout_parse_text(before, &from, err);

	if (result == 0)
		result = layout_parse_text(after, &to, err);
	if (result == 0)
		result = layout_diff_print(&from, &to, text) > 0;
	layout_release(&from);
	layout_release(&to);
	return result;
}

/* Reads the plan of an operation that was carried out to its end, or is; 1, 0 where it is not kept, or -1. */
static int
cluster_history_plan(const struct cluster_status *status, const struct operation *operation, struct preview *preview,
    struct error *err)
{
	char *folder = status_folder(status), *path = memory_printf("%s/%s/plan.ndjson", folder, operation->job);
	int result = operation->status <= OPERATION_COMPLETE && file_exists(AT_FDCWD, path) ? 1 : 0;

	if (result > 0 && preview_read(preview, path, err) < 0)
		result = -1;
	free(path);
	free(folder);
	return result;
}

/* Prints what the operation does as --dry-run does: by its plan, or where that was not carried out to its end, by what there was
 * afterwards. Returns 1 if it does anything, 0, -1. */
static int
cluster_history_preview(const struct cluster_status *status, const struct operation *operation,
    const struct operation_documents *documents, const char *after, const struct output *output, struct error *err)
{
	struct preview_basis basis = PREVIEW_BASIS_NONE;
	const char *before = documents->before ? documents->before : "";
	struct preview preview = {0};
	struct buffer text = {0};
	int result = cluster_history_plan(status, operation, &preview, err);

	if (result == 0)
		result = cluster_history_compare(before, after, &text, err);
	if (result > 0 && text.length && preview_compare(&preview, before, after, err) < 0)
		result = -1;
	if (result > 0 && cluster_history_basis(documents, &basis, err) < 0)
		result = -1;
	if (result > 0) {
		preview_basis_cost(&preview, &basis);
		preview_write(&preview, &basis, output->stream, output->colour);
	}
	preview_basis_release(&basis);
	preview_release(&preview);
	buffer_release(&text);
	return result;
}

/* Prints each difference, as a line or a record. Returns 1 if there is one, 0, -1. */
static int
cluster_history_differences(const char *before, const char *after, struct output *output, struct error *err)
{
	struct buffer text = {0};
	int result = cluster_history_compare(before, after, &text, err);

	if (result > 0 && output_is_records(output))
		cluster_history_print_records(text.data, output);
	else if (result > 0)
		cluster_history_print_lines(text.data, output);
	buffer_release(&text);
	return result;
}

int
cluster_history_changes(struct cluster_status *status, int64_t number, struct output *output, struct error *err)
{
	struct operation_documents documents = {0};
	struct operation_list list = {0};
	char *after = NULL;
	int result = operation_find(&status->account, status->cluster->id, number, &list, err);

	if (result == 0)
		result = cluster_history_documents(status, number, &documents, err);
	if (result > 0) {
		after = list.list[0].status < OPERATION_COMPLETE ? memory_string(documents.wanted) : cluster_history_layout_after(status,
		    number, err);
		result = !after ? -1 : output->format == OUTPUT_TABLE
		       ? cluster_history_preview(status, &list.list[0], &documents, after, output, err)
		       : cluster_history_differences(documents.before ? documents.before : "", after, output, err);
	}
	free(after);
	operation_documents_release(&documents);
	operation_list_release(&list);
	return result;
}

/* Prints a record of a plan, if it is a task or a milestone. */
static int
cluster_history_print_task(jv record, struct output *output)
{
	const char *kind = record_kind(record);
	jv task;

	if (strcmp(kind, "task") != 0 && strcmp(kind, "milestone") != 0)
		return 0;
	task = jv_object_delete(jv_copy(record), jv_string("fields"));
	output_value(output, task);
	jv_free(task);
	return 1;
}

int
cluster_history_tasks(struct cluster_status *status, int64_t number, struct output *output, struct error *err)
{
	struct buffer text = {0};
	int printed = 0, got = operation_file_get(status->account.store, status->cluster->id, number, "plan.ndjson", &text, err);
	const char *at = buffer_string(&text);

	while (got >= 0 && *at) {
		size_t length = strcspn(at, "\n");
		jv record;

		got = length ? json_parse("the plan", at, length, &record, err) : 0;
		if (length && got >= 0) {
			printed += cluster_history_print_task(record, output);
			jv_free(record);
		}
		at += length + (at[length] == '\n');
	}
	buffer_release(&text);
	return got < 0 ? -1 : printed;
}
