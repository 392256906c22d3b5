/* SPDX-License-Identifier: Apache-2.0 */
#include "store/audit.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "store/client.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "id, at_ms, tenant, user, login, host, address, program, action, object, cluster, reason, hash, via, request"

_Static_assert(AUDIT_HASH_SIZE == 2 * crypto_hash_sha256_BYTES + 1, "a hash fits");

/* Writes the hash of a record, behind the one that has the hash before. */
static void
audit_hash(const struct audit_record *record, const char *before, char hash[AUDIT_HASH_SIZE])
{
	const char *const texts[] = {record->tenant, record->user, record->login, record->host, record->address, record->program,
		record->action, record->object, record->cluster, record->reason};
	unsigned char sum[crypto_hash_sha256_BYTES];
	struct buffer text = {0};

	buffer_printf(&text, "%s,%" PRId64 ",%" PRId64 ",", before, record->id, record->at_ms);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		buffer_netstring(&text, texts[i]);
	if (record->via) /* records of earlier versions have none, and keep their hash */
		buffer_netstring(&text, record->via);
	if (record->request)
		buffer_netstring(&text, record->request);
	crypto_hash_sha256(sum, (const unsigned char *)text.data, text.length);
	sodium_bin2hex(hash, AUDIT_HASH_SIZE, sum, sizeof sum);
	buffer_release(&text);
}

/* Fills in the number of the next record, and the hash of the last one that was written, whether that is still there or not: a gap
 * stays one. */
static int
audit_find_last(struct store *store, int64_t *id, char hash[AUDIT_HASH_SIZE], struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT id, hash FROM audit_last", "");
	int got = sql_row(rows, err);

	*id = got > 0 ? sql_integer(rows, 0) + 1 : 1;
	snprintf(hash, AUDIT_HASH_SIZE, "%s", got > 0 ? sql_text(rows, 1) : "");
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

static const char *
audit_find_tenant(struct store *store, int64_t tenant, struct arena *arena, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT CASE deleted_ms WHEN 0 THEN name ELSE "
	    "substr(name, 1, instr(name, '~') - 1) END FROM tenant WHERE id = ?", "i", tenant ? tenant : store_tenant(store));
	int got = sql_row(rows, err);
	const char *name = got > 0 ? sql_keep(rows, 0, arena) : got == 0 ? "" : NULL;

	sql_end(rows);
	return name;
}

static const char *
audit_object(const struct audit_event *event, struct arena *arena)
{
	if (event->version)
		return arena_printf(arena, "%s %s@%" PRId64, event->kind, event->name, event->version);
	return arena_printf(arena, "%s %s", event->kind, event->name);
}

/* The records of a request: those of the last day with its key, which is behind a blank, of who has sent it, perhaps in the name of another. */
#define OF_REQUEST "request >= ?1 || ' ' AND request < ?1 || '!' AND (user = ?2 OR login = ?2) AND at_ms > ?3"

enum { AUDIT_REQUEST_MS = 24 * 3600 * 1000 };

/* Fails with EX_CANTCREAT where another run of the request has changed something. */
static int
audit_check_repeated(struct store *store, const struct audit_record *record, struct error *err)
{
	char *key = memory_substring(record->request, strcspn(record->request, " "));
	int64_t others = 0;
	int got = strcmp(key, "-") == 0 ? 0 : sql_number(store_sql(store), &others, err, "SELECT count(*) FROM audit WHERE " OF_REQUEST
	    " AND request <> ?4", "ttit", key, record->user, record->at_ms - AUDIT_REQUEST_MS, record->request);

	free(key);
	if (got < 0)
		return -1;
	return others > 0 ? error_set(err, EX_CANTCREAT, "a request with this Idempotency-Key was carried out before") : 0;
}

/* Fails with EX_TEMPFAIL where the request has a condition, and another has changed something since it was looked at. */
static int
audit_check_late(struct store *store, const struct audit_record *record, struct error *err)
{
	int64_t others = 0;

	if (client_seen() >= 0 && sql_number(store_sql(store), &others, err, "SELECT count(*) FROM audit WHERE id > ? AND cluster IS ? AND "
	    "request IS NOT ?", "itt", client_seen(), record->cluster, record->request) < 0)
		return -1;
	return others > 0 ? error_set(err, EX_TEMPFAIL, AUDIT_LATE "; look again") : 0;
}

int
audit_newest(struct store *store, int64_t *id, struct error *err)
{
	return sql_number(store_sql(store), id, err, "SELECT coalesce(max(id), 0) FROM audit", "") < 0 ? -1 : 0;
}

static int
audit_insert(struct store *store, const struct audit_event *event, const char *request, struct error *err)
{
	struct arena arena = {0};
	char hash[AUDIT_HASH_SIZE];
	struct client client = {0};
	struct audit_record record = {.at_ms = clock_wall_ms(), .user = store_by(store) ? store_by(store) : "", .login = client.login,
		.host = client.host, .via = client.via, .program = message_program_name(), .action = event->action, .object = audit_object(event, &arena),
		.reason = store_why(store), .request = request};
	int result = -1;

	record.cluster = event->cluster ? arena_printf(&arena, "%08" PRId64, event->cluster) : NULL;
	if (record.request && (audit_check_repeated(store, &record, err) < 0 || audit_check_late(store, &record, err) < 0)) {
		arena_release(&arena);
		return -1;
	}
	client_find(&client);
	record.address = *client.address ? client.address : NULL;
	record.tenant = audit_find_tenant(store, event->tenant, &arena, err);
	if (record.tenant && audit_find_last(store, &record.id, hash, err) == 0) {
		audit_hash(&record, hash, hash);
		result = sql_change(store_sql(store), err, "INSERT INTO audit (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "iittttttttttttt", record.id, record.at_ms, record.tenant, record.user, record.login, record.host, record.address,
		    record.program, record.action, record.object, record.cluster, record.reason, hash, record.via, record.request);
		if (result == 0)
			result = sql_change(store_sql(store), err, "INSERT INTO audit_last VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET "
			    "id = excluded.id, hash = excluded.hash", "it", record.id, hash);
	}
	arena_release(&arena);
	return result;
}

int
audit_add(struct store *store, const struct audit_event *event, struct error *err)
{
	return audit_insert(store, event, client_request(), err);
}

int
audit_add_alone(struct store *store, const struct audit_event *event, struct error *err)
{
	return store_begin(store, err) < 0 ? -1 : store_finish(store, audit_insert(store, event, NULL, err), err);
}

static struct audit_record
audit_read(struct sql_rows *rows, struct arena *arena)
{
	return (struct audit_record){
		.id = sql_integer(rows, 0),
		.at_ms = sql_integer(rows, 1),
		.tenant = sql_keep(rows, 2, arena),
		.user = sql_keep(rows, 3, arena),
		.login = sql_keep(rows, 4, arena),
		.host = sql_keep(rows, 5, arena),
		.address = sql_keep(rows, 6, arena),
		.program = sql_keep(rows, 7, arena),
		.action = sql_keep(rows, 8, arena),
		.object = sql_keep(rows, 9, arena),
		.cluster = sql_keep(rows, 10, arena),
		.reason = sql_keep(rows, 11, arena),
		.hash = sql_keep(rows, 12, arena),
		.via = sql_keep(rows, 13, arena),
		.request = sql_keep(rows, 14, arena),
	};
}

/* Adds the rows to the list, and ends them. */
static int
audit_read_all(struct sql_rows *rows, struct audit_list *list, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = audit_read(rows, &list->arena);
	}
	sql_end(rows);
	return got;
}

/* The records of a tenant: those with its name, behind the end of an earlier one of that name, which are not its own. */
#define OF_TENANT "tenant = (SELECT name FROM tenant WHERE tenant.id = ?1) AND id > (SELECT coalesce(max(ended.id), 0) FROM audit AS ended " \
	"WHERE ended.action IN ('delete', 'erase') AND ended.object = 'tenant ' || (SELECT name FROM tenant WHERE tenant.id = ?1))"

int
audit_list(struct store *store, const struct audit_filter *filter, struct audit_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM (SELECT * FROM audit WHERE (?1 = 0 OR (" OF_TENANT
	    ")) AND at_ms >= ?2 AND (?3 = 0 OR at_ms < ?3) AND (?4 IS NULL OR "
	    "cluster = ?4 OR object = 'cluster ' || ?4) AND (?5 IS NULL OR user = ?5) ORDER BY id DESC LIMIT ?6) ORDER BY id", "iiitti",
	    filter->tenant, filter->start_ms, filter->end_ms, filter->cluster, filter->user,
	    filter->limit > 0 ? filter->limit : INT64_MAX);

	return audit_read_all(rows, list, err);
}

int
audit_find_request(struct store *store, const char *user, const char *key, struct audit_list *list, struct error *err)
{
	return audit_read_all(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM audit WHERE " OF_REQUEST " ORDER BY id", "tti", key,
	    user, clock_wall_ms() - AUDIT_REQUEST_MS), list, err);
}

void
audit_list_release(struct audit_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct audit_list){0};
}

struct verification {
	int64_t next; /* the number that the next record must have */
	const char *head;
	bool has_head;
	int faults;
	void (*say)(const char *fault, void *data);
	void *data;
};

/* Tells the fault, and frees its text. */
static void
audit_tell(struct verification *verification, char *text)
{
	verification->say(text, verification->data);
	verification->faults++;
	free(text);
}

/* Compares a record with its place in the chain. The next one is compared with what this one claims to be: one fault is told once. */
static void
audit_verify_record(struct verification *verification, const struct audit_record *record, char last[AUDIT_HASH_SIZE])
{
	bool is_next = record->id == verification->next;
	char hash[AUDIT_HASH_SIZE];

	if (!is_next)
		audit_tell(verification, memory_printf("audit log: the records %" PRId64 " to %" PRId64 " are missing", verification->next,
		    record->id - 1));
	audit_hash(record, last, hash);
	if (is_next && strcmp(hash, record->hash) != 0)
		audit_tell(verification, memory_printf("audit log: record %" PRId64 " is not as it was written, or not behind the one that "
		    "it was written behind", record->id));
	verification->has_head |= verification->head && strcmp(verification->head, record->hash) == 0;
	verification->next = record->id + 1;
	snprintf(last, AUDIT_HASH_SIZE, "%s", record->hash);
}

/* Compares the end of the chain with what was written last. */
static int
audit_verify_end(struct verification *verification, struct store *store, const char *last, struct error *err)
{
	char written[AUDIT_HASH_SIZE];
	int64_t next;

	if (audit_find_last(store, &next, written, err) < 0)
		return -1;
	if (verification->next < next)
		audit_tell(verification, memory_printf("audit log: the records %" PRId64 " to %" PRId64 " are missing, the newest",
		    verification->next, next - 1));
	else if (strcmp(written, last) != 0)
		audit_tell(verification, memory_printf("audit log: record %" PRId64 " is not the one that coopr has written last",
		    verification->next - 1));
	return 0;
}

int
audit_verify(struct store *store, const char *head, void (*say)(const char *fault, void *data), void *data,
    char last[AUDIT_HASH_SIZE], struct error *err)
{
	struct verification verification = {.next = 1, .head = head, .say = say, .data = data};
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM audit ORDER BY id", "");
	int got;

	*last = '\0';
	while ((got = sql_row(rows, err)) > 0) {
		struct arena arena = {0};
		const struct audit_record record = audit_read(rows, &arena);

		audit_verify_record(&verification, &record, last);
		arena_release(&arena);
	}
	sql_end(rows);
	if (got == 0)
		got = audit_verify_end(&verification, store, last, err);
	if (got == 0 && head && !verification.has_head)
		audit_tell(&verification, memory_printf("audit log: no record has the hash of --head; records behind number %" PRId64
		    " are missing, or all were written anew", verification.next - 1));
	return got < 0 ? -1 : verification.faults;
}
