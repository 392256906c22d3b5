/* SPDX-License-Identifier: Apache-2.0 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/belongings.h"
#include "account/tenants.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "catalogue/catalogue.h"
#include "content/content.h"
#include "json/credential.h"
#include "json/json.h"
#include "json/place.h"
#include "json/record.h"
#include "model/name.h"
#include "queue/queue.h"
#include "resource/named.h"
#include "resource/upload.h"
#include "tenant/export.h"

enum { VERSION = 1, PART_MAX = 96 * 1024 };

struct import { /* what an export has */
	struct arena arena;
	char *tenant;
	jv document;                   /* the tenant's */
	jv revisions, resources, members;
	struct buffer content;         /* of which the last part has not come yet */
	int64_t tasks;                 /* the limit; -1: none */
	size_t records;
	bool ended;
};

static int
import_refuse(struct error *err, const char *what)
{
	return error_set(err, EX_DATAERR, "the export: %s", what);
}

static int64_t
import_number(jv row, const char *member)
{
	double number = json_get_number(row, member, -1);

	return number >= 0 && number < 9e15 ? (int64_t)number : -1;
}

static bool
import_is_time(const char *text)
{
	return text && clock_parse_rfc3339(text) >= 0;
}

/* --- reading --- */

/* Keeps a content when its last part has come. */
static int
import_read_content(struct import *import, jv record, struct error *err)
{
	const char *sum = json_arena_string(record, "sum", &import->arena), *text = json_arena_string(record, "base64", &import->arena);
	int64_t part = import_number(record, "part"), parts = import_number(record, "parts");
	unsigned char bytes[PART_MAX];
	char digest[CONTENT_DIGEST_SIZE];
	size_t length = 0;

	if (!sum || !content_is_digest(sum) || !text || part < 0 || part >= parts ||
	    sodium_base642bin(bytes, sizeof bytes, text, strlen(text), NULL, &length, NULL, sodium_base64_VARIANT_ORIGINAL) < 0)
		return import_refuse(err, "a part of a content is malformed");
	if (part == 0)
		buffer_clear(&import->content);
	if (import->content.length + length > CONTENT_BYTES)
		return import_refuse(err, "a content is too large");
	buffer_append(&import->content, (const char *)bytes, length);
	if (part < parts - 1)
		return 0;
	content_digest(buffer_string(&import->content), import->content.length, digest);
	if (strcmp(digest, sum) != 0)
		return import_refuse(err, "the bytes of a content are not those of its SHA-256");
	return content_put(buffer_string(&import->content), import->content.length, digest, err);
}

/* Takes a row that defines the tenant. */
static void
import_read_row(struct import *import, jv record)
{
	char *table = json_get_string(record, "table");
	jv row = json_get(record, "row");

	if (table && strcmp(table, "revision") == 0)
		import->revisions = jv_array_append(import->revisions, jv_copy(row));
	else if (table && strcmp(table, "resource") == 0)
		import->resources = jv_array_append(import->resources, jv_copy(row));
	else if (table && strcmp(table, "member") == 0)
		import->members = jv_array_append(import->members, jv_copy(row));
	free(table);
	jv_free(row);
}

static int
import_read_tenant(struct import *import, jv record, struct error *err)
{
	jv row = json_get(record, "row");
	char *text = json_get_string(row, "document");
	int result = text && !jv_is_valid(import->document) ? json_parse("the tenant's document", text, strlen(text), &import->document, err)
	    : import_refuse(err, "the tenant's row is malformed, or is there twice");

	free(text);
	jv_free(row);
	return result;
}

static void
import_note_secret(jv record, struct import_result *result)
{
	jv row = json_get(record, "row");
	char *name = json_get_string(row, "name");

	if (name)
		arguments_push(&result->secrets, name);
	free(name);
	jv_free(row);
}

static int
import_read_record(struct import *import, jv record, struct import_result *result, struct error *err)
{
	const char *kind = record_kind(record);
	char *table = json_get_string(record, "table");
	bool is_row = strcmp(kind, "tenantrow") == 0;
	int code = 0;

	if (import->records == 0 && (strcmp(kind, "tenantexport") != 0 || json_get_number(record, "version", 0) != VERSION))
		code = import_refuse(err, "it does not begin as one, or is of a later version of coopr");
	else if (import->ended)
		code = import_refuse(err, "there is something behind its end");
	else if (import->records == 0)
		import->tenant = json_get_string(record, "tenant");
	else if (is_row && table && strcmp(table, "tenant") == 0)
		code = import_read_tenant(import, record, err);
	else if (is_row && table && strcmp(table, "secret") == 0)
		import_note_secret(record, result);
	else if (is_row)
		import_read_row(import, record);
	else if (strcmp(kind, "tenantlimit") == 0)
		import->tasks = import_number(record, "tasks");
	else if (strcmp(kind, "tenantcontent") == 0)
		code = import_read_content(import, record, err);
	else if (strcmp(kind, "tenantexportend") == 0)
		import->ended = import_number(record, "records") == (int64_t)import->records;
	free(table);
	import->records++;
	return code;
}

static int
import_read(struct import *import, struct record_reader *reader, struct import_result *result, struct error *err)
{
	int got;
	jv record;

	while ((got = record_read(reader, &record, err)) > 0) {
		int code = import_read_record(import, record, result, err);

		jv_free(record);
		if (code < 0)
			return -1;
	}
	if (got == 0 && !import->ended)
		return import_refuse(err, "its end is missing: it was cut off");
	return got;
}

/* --- checking --- */

/* Takes away what only the installation gives, and a tenant may have added to the records. */
static void
import_distrust(struct import *import, struct import_result *result)
{
	jv addresses = json_get(import->document, "addresses");

	result->lacks_addresses = jv_is_valid(addresses);
	import->document = jv_object_delete(import->document, jv_string("addresses"));
	jv_free(addresses);
}

static int
import_check_tenant(struct import *import, struct error *err)
{
	struct problems problems = {0};
	struct place place = place_root(import->document, &problems);
	struct tenant tenant;
	int result;

	if (!import->tenant || !name_is_valid(import->tenant) || !jv_is_valid(import->document))
		return import_refuse(err, "it names no tenant");
	json_set_string(&import->document, "name", import->tenant);
	place = place_root(import->document, &problems);
	tenant_parse(&place, &import->arena, &tenant);
	result = problems_error(&problems, "the tenant's document", EX_DATAERR, err);
	jv_free(tenant.source);
	problems_release(&problems);
	return result;
}

/* The document is only looked at where it is used, as any other of the store; but it must not be what was hidden from its reader. */
static int
import_check_document(const struct belongings_revision *revision, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv document;
	int result;

	if (!revision->document)
		return 0;
	if (json_parse(revision->name, revision->document, strlen(revision->document), &document, err) < 0)
		return -1;
	place = place_root(document, &problems);
	if (jv_get_kind(document) != JV_KIND_OBJECT)
		place_problem(&place, "expected an object");
	credential_check_hidden(&place);
	result = problems_error(&problems, revision->name, EX_DATAERR, err);
	problems_release(&problems);
	jv_free(document);
	return result;
}

/* Checks an archive as an upload is checked. */
static int
import_check_bytes(const struct belongings_resource *resource, const struct resource_name *name, struct error *err)
{
	struct upload upload = {.resource = {.name = *name, .is_archive = strcmp(resource->format, "archive") == 0}};
	int result = content_read(resource->sum, &upload.made, err);

	if (result == 0 && (int64_t)upload.made.length != resource->bytes)
		result = import_refuse(err, "the size of a resource is not that of its bytes");
	if (result == 0)
		result = upload_check(&upload, err);
	upload_release(&upload);
	return result;
}

/* --- adding --- */

static int
import_add_revision(struct import *import, struct account *account, jv row, bool trusted, struct import_result *result, struct error *err)
{
	struct belongings_revision revision = {json_arena_string(row, "kind", &import->arena), json_arena_string(row, "name", &import->arena),
	    json_arena_string(row, "at", &import->arena), json_arena_string(row, "by", &import->arena), json_arena_string(row, "why", &import->arena),
	    json_arena_string(row, "document", &import->arena), json_arena_string(row, "origin", &import->arena), import_number(row, "version")};

	if (!revision.kind || entity_kind_of(revision.kind) == ENTITY_NONE || !revision.name || !name_is_valid(revision.name) ||
	    !import_is_time(revision.at) || !revision.by || !revision.origin || revision.version < 1)
		return import_refuse(err, "a version of an entity is malformed");
	if (import_check_document(&revision, err) < 0)
		return -1;
	if (strcmp(revision.origin, "tenant") != 0 && !trusted) {
		revision.origin = "tenant";
		result->tenants++;
	}
	result->revisions++;
	return belongings_add_revision(account->store, &revision, err);
}

static int
import_compare_versions(const void *a, const void *b)
{
	double x = json_get_number(*(const jv *)a, "version", 0), y = json_get_number(*(const jv *)b, "version", 0);

	return (x > y) - (x < y);
}

/* Adds the versions of entities, the older ones first. */
static int
import_add_revisions(struct import *import, struct account *account, bool trusted, struct import_result *result, struct error *err)
{
	size_t count = json_length(import->revisions);
	jv *list = memory_zeroed(count + 1, sizeof *list);
	int code = 0;

	for (size_t i = 0; i < count; i++)
		list[i] = json_element(import->revisions, i);
	qsort(list, count, sizeof *list, import_compare_versions);
	for (size_t i = 0; i < count; i++) {
		if (code == 0)
			code = import_add_revision(import, account, list[i], trusted, result, err);
		jv_free(list[i]);
	}
	free(list);
	return code;
}

static int
import_add_resource(struct import *import, struct account *account, jv row, struct error *err)
{
	struct belongings_resource resource = {json_arena_string(row, "plugin", &import->arena), json_arena_string(row, "type", &import->arena),
	    json_arena_string(row, "name", &import->arena), json_arena_string(row, "sum", &import->arena), json_arena_string(row, "format", &import->arena),
	    json_arena_string(row, "at", &import->arena), json_arena_string(row, "by", &import->arena), json_arena_string(row, "why", &import->arena), import_number(row, "version"),
	    import_number(row, "bytes"), import_number(row, "mode"), import_number(row, "active"), import_number(row, "staged"),
	    import_number(row, "deleted")};
	struct resource_name name;
	const char *full;

	if (!resource.plugin || !resource.type || !resource.name || !resource.sum || !content_is_digest(resource.sum) || !resource.format ||
	    !import_is_time(resource.at) || !resource.by || resource.version < 1)
		return import_refuse(err, "a version of a resource is malformed");
	full = arena_printf(&import->arena, "%s/%s/%s@%lld", resource.plugin, resource.type, resource.name, (long long)resource.version);
	if (named_parse(full, 4, &import->arena, &name, err) < 0)
		return import_refuse(err, "the name of a resource is malformed");
	if (resource.deleted == 0 && import_check_bytes(&resource, &name, err) < 0)
		return -1;
	return belongings_add_resource(account->store, &resource, err);
}

static int
import_add_member(struct import *import, struct account *account, jv row, struct error *err)
{
	const char *user = json_arena_string(row, "user", &import->arena), *role = json_arena_string(row, "role", &import->arena),
	    *groups = json_arena_string(row, "groups", &import->arena);

	if (!user || !name_is_valid(user) || !role || !groups)
		return import_refuse(err, "a member is malformed");
	return belongings_add_member(account->store, user, role, groups, err);
}

static int
import_add_all(struct import *import, struct account *account, bool trusted, struct import_result *result, struct error *err)
{
	int code = import_add_revisions(import, account, trusted, result, err);

	result->resources = json_length(import->resources);
	result->members = json_length(import->members);
	for (size_t i = 0; i < result->resources && code == 0; i++) {
		jv row = json_element(import->resources, i);

		code = import_add_resource(import, account, row, err);
		jv_free(row);
	}
	for (size_t i = 0; i < result->members && code == 0; i++) {
		jv row = json_element(import->members, i);

		code = import_add_member(import, account, row, err);
		jv_free(row);
	}
	return code;
}

/* Makes the tenant with all that it has, in one transaction. */
static int
import_make(struct import *import, struct account *account, bool trusted, struct import_result *result, struct error *err)
{
	int64_t asked_for = store_tenant(account->store), tenant = 0;
	struct buffer text = {0};
	int code;

	if (store_begin(account->store, err) < 0)
		return -1;
	json_dump(import->document, &text);
	code = tenants_add(account->store, import->tenant, text.data, &tenant, err);
	buffer_release(&text);
	store_set_tenant(account->store, tenant);
	if (code == 0)
		code = import_add_all(import, account, trusted, result, err);
	store_set_tenant(account->store, asked_for);
	return store_finish(account->store, code, err);
}

static int
import_set_limit(const struct import *import, struct error *err)
{
	struct queue_limit limit = {.kind = QUEUE_LIMIT_TENANT, .max = import->tasks};
	struct queue *queue;
	int result;

	if (import->tasks < 0)
		return 0;
	queue = queue_open(NULL, QUEUE_WRITE, err);
	snprintf(limit.name, sizeof limit.name, "%s", import->tenant);
	result = queue ? queue_set_limits(queue, &limit, 1, err) : -1;
	queue_close(queue);
	return result;
}

int
import_tenant(struct account *account, struct record_reader *reader, bool trusted, struct import_result *result, struct error *err)
{
	struct import import = {.document = jv_invalid(), .revisions = jv_array(), .resources = jv_array(), .members = jv_array(), .tasks = -1};
	int code = account_need(account, ACCOUNT_SUPERADMIN, "tenants and their quotas", err);

	if (code == 0)
		code = import_read(&import, reader, result, err);
	if (code == 0)
		code = import_check_tenant(&import, err);
	if (code == 0 && !trusted)
		import_distrust(&import, result);
	if (code == 0)
		code = import_make(&import, account, trusted, result, err);
	if (code == 0)
		code = import_set_limit(&import, err);
	result->tenant = import.tenant;
	jv_free(import.document);
	jv_free(import.revisions);
	jv_free(import.resources);
	jv_free(import.members);
	buffer_release(&import.content);
	arena_release(&import.arena);
	return code;
}

void
import_result_release(struct import_result *result)
{
	free(result->tenant);
	arguments_release(&result->secrets);
}
