/* SPDX-License-Identifier: Apache-2.0 */
#include "tenant/export.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/belongings.h"
#include "base/buffer.h"
#include "base/error.h"
#include "content/content.h"
#include "json/json.h"
#include "json/record.h"
#include "queue/queue.h"
#include "store/audit.h"

enum { PART_BYTES = 48 * 1024 }; /* of a content, in one record */

struct export_stream {
	struct buffer out;      /* the rows, as they were at one moment */
	struct arguments sums;  /* of the contents of its resources */
	size_t records;
};

static void
export_append(struct export_stream *stream, jv record)
{
	json_dump(record, &stream->out);
	buffer_byte(&stream->out, '\n');
	stream->records++;
	jv_free(record);
}

static jv
export_record(const char *kind)
{
	jv record = jv_object();

	json_set_string(&record, "kind", kind);
	return record;
}

/* Notes the content of a version that is not deleted, once. */
static void
export_note_content(struct export_stream *stream, jv row)
{
	char *sum = json_get_string(row, "sum");
	bool is_new = sum && json_get_number(row, "deleted", 0) == 0;

	for (size_t i = 0; i < stream->sums.count && is_new; i++)
		is_new = strcmp(stream->sums.list[i], sum) != 0;
	if (is_new)
		arguments_push(&stream->sums, sum);
	free(sum);
}

/* An upload that has not ended is counted as a resource without a plugin; that is no version of one. */
static bool
export_is_upload(const char *table, jv row)
{
	char *plugin = strcmp(table, "resource") == 0 ? json_get_string(row, "plugin") : NULL;
	bool is = plugin && !*plugin;

	free(plugin);
	return is;
}

static int
export_add_row(void *context, const char *table, const char *text, struct error *err)
{
	struct export_stream *stream = context;
	jv record = export_record("tenantrow"), row;

	if (json_parse(table, text, strlen(text), &row, err) < 0) {
		jv_free(record);
		return -1;
	}
	if (export_is_upload(table, row)) {
		jv_free(row);
		jv_free(record);
		return 0;
	}
	if (strcmp(table, "resource") == 0)
		export_note_content(stream, row);
	json_set_string(&record, "table", table);
	json_set(&record, "row", row);
	export_append(stream, record);
	return 0;
}

static void
export_add_audit(struct export_stream *stream, const struct audit_record *record)
{
	jv line = export_record("tenantrow"), row = jv_object();

	json_set_number(&row, "id", (double)record->id);
	json_set_number(&row, "at_ms", (double)record->at_ms);
	json_set_string(&row, "user", record->user);
	json_set_string(&row, "login", record->login);
	json_set_string(&row, "host", record->host);
	json_set_string(&row, "address", record->address);
	json_set_string(&row, "via", record->via);
	json_set_string(&row, "program", record->program);
	json_set_string(&row, "action", record->action);
	json_set_string(&row, "object", record->object);
	json_set_string(&row, "cluster", record->cluster);
	json_set_string(&row, "reason", record->reason);
	json_set_string(&row, "request", record->request);
	json_set_string(&row, "hash", record->hash);
	json_set_string(&line, "table", "audit");
	json_set(&line, "row", row);
	export_append(stream, line);
}

static int
export_add_store(struct account *account, const struct belongings *its, struct export_stream *stream, struct error *err)
{
	const struct audit_filter filter = {.tenant = its->tenant};
	struct audit_list audit = {0};
	int result;

	/* A transaction, so that all rows are of one moment; nothing is changed in it. */
	if (store_begin(account->store, err) < 0)
		return -1;
	result = belongings_list(account->store, its, export_add_row, stream, err);
	if (result == 0)
		result = audit_list(account->store, &filter, &audit, err);
	store_rollback(account->store);
	for (size_t i = 0; i < audit.count && result == 0; i++)
		export_add_audit(stream, &audit.list[i]);
	audit_list_release(&audit);
	return result;
}

/* Adds the limit that is the tenant's own. */
static void
export_add_limit(const char *tenant, struct export_stream *stream)
{
	struct error none; /* there is no queue, or none that can be read: then nothing is limited */
	struct queue *queue = queue_open(NULL, QUEUE_READ, &none);
	struct queue_limit *limits = NULL;
	size_t count = 0;

	if (!queue || queue_limits(queue, &limits, &count, &none) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (limits[i].kind == QUEUE_LIMIT_TENANT && limits[i].max != QUEUE_UNLIMITED && strcmp(limits[i].name, tenant) == 0) {
			jv record = export_record("tenantlimit");

			json_set_number(&record, "tasks", (double)limits[i].max);
			export_append(stream, record);
		}
	free(limits);
	queue_close(queue);
}

/* Appends a content in parts, and prints what there is. */
static int
export_print_content(struct export_stream *stream, const char *sum, struct error *err)
{
	char text[sodium_base64_ENCODED_LEN(PART_BYTES, sodium_base64_VARIANT_ORIGINAL)];
	struct buffer bytes = {0};
	int result = content_read(sum, &bytes, err);
	size_t parts = bytes.length ? (bytes.length + PART_BYTES - 1) / PART_BYTES : 1;

	for (size_t i = 0; i < parts && result == 0; i++) {
		size_t at = i * PART_BYTES, length = bytes.length - at < PART_BYTES ? bytes.length - at : PART_BYTES;
		jv record = export_record("tenantcontent");

		sodium_bin2base64(text, sizeof text, (const unsigned char *)buffer_string(&bytes) + at, length, sodium_base64_VARIANT_ORIGINAL);
		json_set_string(&record, "sum", sum);
		json_set_number(&record, "part", (double)i);
		json_set_number(&record, "parts", (double)parts);
		json_set_string(&record, "base64", text);
		export_append(stream, record);
		buffer_print(&stream->out);
		buffer_clear(&stream->out);
	}
	buffer_release(&bytes);
	return result;
}

static int
export_print(struct export_stream *stream, struct error *err)
{
	jv end = export_record("tenantexportend");
	int result = 0;

	buffer_print(&stream->out);
	buffer_clear(&stream->out);
	for (size_t i = 0; i < stream->sums.count && result == 0; i++)
		result = export_print_content(stream, stream->sums.list[i], err);
	json_set_number(&end, "records", (double)stream->records);
	if (result == 0)
		record_write(end, stdout);
	jv_free(end);
	return result;
}

int
export_tenant(struct account *account, struct error *err)
{
	struct export_stream stream = {0};
	struct belongings its = {0};
	jv header = export_record("tenantexport");
	int got = account_need(account, ACCOUNT_ADMIN, "exporting a tenant", err);

	json_set_string(&header, "tenant", account->tenant);
	json_set_number(&header, "version", 1);
	export_append(&stream, header);
	if (got == 0)
		got = belongings_find(account->store, account->tenant, &its, err);
	if (got == 0)
		error_absent(err, "no tenant named \"%s\"", account->tenant);
	if (got > 0 && (export_add_store(account, &its, &stream, err) < 0))
		got = -1;
	if (got > 0) {
		export_add_limit(account->tenant, &stream);
		got = export_print(&stream, err) < 0 ? -1 : 1;
	}
	belongings_release(&its);
	arguments_release(&stream.sums);
	buffer_release(&stream.out);
	return got > 0 ? 0 : -1;
}
