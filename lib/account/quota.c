/* SPDX-License-Identifier: Apache-2.0 */
#include "account/quota.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "content/content.h"
#include "account/holding.h"
#include "json/json.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define ROUNDING 1e-9 /* of sums of costs */

int
quota_read(struct store *store, int64_t tenant, struct arena *arena, struct quota *quota, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT document FROM tenant WHERE id = ?", "i", tenant);
	struct problems problems = {0};
	struct tenant parsed;
	struct place place;
	const char *text = sql_row(rows, err) > 0 ? sql_text(rows, 0) : NULL;
	jv document;
	int result = text ? json_parse("quota", text, strlen(text), &document, err) : -1;

	if (result == 0) {
		place = place_root(document, &problems);
		tenant_parse(&place, arena, &parsed);
		*quota = (struct quota){parsed.max_clusters, parsed.max_nodes, parsed.max_cost, parsed.max_resources,
		    parsed.max_archives, parsed.max_volumes, parsed.max_uploads};
		jv_free(parsed.source);
		problems_release(&problems);
		jv_free(document);
	}
	sql_end(rows);
	return result;
}

/* Reads rows of a name, an amount, and the number of rows, and ends them. */
static int
quota_read_amounts(struct sql_rows *rows, struct arena *arena, struct amounts *amounts, struct error *err)
{
	int got;

	*amounts = (struct amounts){0};
	while ((got = sql_row(rows, err)) > 0) {
		if (!amounts->list)
			amounts->list = arena_alloc(arena, (size_t)sql_integer(rows, 2), sizeof *amounts->list);
		amounts->list[amounts->count++] = (struct amount){.resource = arena_string(arena, sql_text(rows, 0)), .value = sql_real(rows, 1)};
	}
	sql_end(rows);
	return got;
}

static int
quota_read_archives(struct store *store, int64_t tenant, int64_t *bytes, struct error *err)
{
	return sql_number(store_sql(store), bytes, err, "SELECT coalesce(sum(bytes), 0) FROM archive WHERE tenant = ?", "i",
	    tenant) < 0 ? -1 : 0;
}

static int
quota_read_volumes(struct store *store, int64_t tenant, int64_t *size_gb, struct error *err)
{
	return sql_number(store_sql(store), size_gb, err, "SELECT coalesce(sum(size_gb), 0) FROM volume WHERE tenant = ? AND gone_ms IS NULL", "i",
	    tenant) < 0 ? -1 : 0;
}

/* Sums up what is kept for the versions of resources, and for those that were deleted, or uploaded to no end, less than a day ago:
 * coopr-reconcile leaves their bytes for so long. */
static int
quota_read_uploads(struct store *store, int64_t tenant, int64_t *bytes, struct error *err)
{
	char since[CLOCK_RFC3339_SIZE];

	return sql_number(store_sql(store), bytes, err, "SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT sum, bytes FROM resource "
	    "WHERE tenant = ? AND (deleted = 0 OR at > ?))", "it", tenant, clock_rfc3339(clock_wall_ms() - CONTENT_NEW_S * 1000, since)) < 0
	    ? -1 : 0;
}

/* Sums up what the volumes of a tenant cost in an hour. */
static int
quota_read_volume_cost(struct store *store, int64_t tenant, double *cost, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT round(coalesce(sum(volume_use.cost * volume_use.size_gb), 0), 9) FROM volume_use "
	    "JOIN volume ON volume.id = volume_use.volume WHERE volume.tenant = ? AND to_ms IS NULL", "i", tenant);
	int got = sql_row(rows, err);

	*cost = got > 0 ? sql_real(rows, 0) : 0;
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

int
quota_use(struct store *store, int64_t tenant, int64_t except, struct arena *arena, struct quota *use,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT count(*), coalesce(sum(peak_nodes), 0), round(coalesce(sum(peak_cost), 0), 9) FROM cluster "
	    "WHERE tenant = ? AND id <> ? AND status <> 'terminated'", "ii", tenant, except);
	int got = sql_row(rows, err);
	double volume_cost = 0;

	if (got > 0)
		*use = (struct quota){sql_integer(rows, 0), sql_integer(rows, 1), sql_real(rows, 2), {0}, 0, 0, 0};
	sql_end(rows);
	if (got < 0 || quota_read_archives(store, tenant, &use->archives, err) < 0 || quota_read_volumes(store, tenant, &use->volumes, err) < 0 ||
	    quota_read_uploads(store, tenant, &use->uploads, err) < 0 || quota_read_volume_cost(store, tenant, &volume_cost, err) < 0)
		return -1;
	use->cost = round((use->cost + volume_cost) * 1e9) / 1e9;
	rows = sql_query(store_sql(store), err, "SELECT key, sum(value), count(*) OVER () FROM cluster, json_each(peak_resources) "
	    "WHERE tenant = ? AND cluster.id <> ? AND status <> 'terminated' GROUP BY key ORDER BY key", "ii", tenant, except);
	return quota_read_amounts(rows, arena, &use->resources, err);
}

int
quota_of(struct store *store, const struct holding *holding, struct arena *arena, struct quota *use, struct error *err)
{
	struct buffer capacities = {0};
	struct sql_rows *rows;
	int got;

	*use = (struct quota){1, (int64_t)holding->count, 0, {0}, 0, 0, 0};
	for (size_t i = 0; i < holding->count; i++) {
		use->cost += holding->list[i].cost;
		buffer_printf(&capacities, "%s%s", i ? "," : "[", holding->list[i].capacity);
	}
	buffer_text(&capacities, holding->count ? "]" : "[]");
	use->cost = round(use->cost * 1e9) / 1e9;
	rows = sql_query(store_sql(store), err, "SELECT part.key, sum(part.value), count(*) OVER () FROM json_each(?) AS machine, "
	    "json_each(machine.value) AS part GROUP BY part.key ORDER BY part.key", "t", capacities.data);
	got = quota_read_amounts(rows, arena, &use->resources, err);
	buffer_release(&capacities);
	return got;
}

void
quota_resources_text(const struct amounts *resources, struct buffer *out)
{
	buffer_byte(out, '{');
	for (size_t i = 0; i < resources->count; i++) {
		if (i)
			buffer_byte(out, ',');
		json_quote(resources->list[i].resource, out);
		buffer_byte(out, ':');
		json_number(resources->list[i].value, out);
	}
	buffer_byte(out, '}');
}

double
quota_used(const struct quota *use, const char *resource)
{
	return amounts_value(&use->resources, resource, 0);
}

double
quota_limit(const struct quota *limit, const char *resource)
{
	return amounts_value(&limit->resources, resource, -1);
}

bool
quota_lists(const struct quota *quota, const char *resource)
{
	return amounts_find(&quota->resources, resource) != NULL;
}

static const char quota_cost[] = "cost an hour";

/* Checks one limit; -1 is none. */
static int
quota_check_one(const char *what, double limit, double others, double now, double peak, struct error *err)
{
	if (limit < 0 || peak <= now || others + peak <= limit * (1 + ROUNDING))
		return 0;
	return error_set(err, EX_NO, "the tenant's quota of %s is %.15g: %.15g are in use, this would need %.15g more; coopr "
	    "quota shows it", what, limit, others + now, peak - now);
}

int
quota_check(struct store *store, int64_t tenant, int64_t cluster, const struct quota *now, const struct quota *peak,
    struct error *err)
{
	struct arena arena = {0};
	struct quota limit, others;
	int result = quota_read(store, tenant, &arena, &limit, err);

	if (result == 0)
		result = quota_use(store, tenant, cluster, &arena, &others, err);
	if (result == 0)
		result = quota_check_one("clusters", (double)limit.clusters, (double)others.clusters, (double)now->clusters,
		    1, err);
	if (result == 0)
		result = quota_check_one("nodes", (double)limit.nodes, (double)others.nodes, (double)now->nodes,
		    (double)peak->nodes, err);
	if (result == 0)
		result = quota_check_one(quota_cost, limit.cost, others.cost, now->cost, peak->cost, err);
	for (size_t i = 0; i < limit.resources.count && result == 0; i++) {
		const char *name = limit.resources.list[i].resource;

		result = quota_check_one(name, limit.resources.list[i].value, quota_used(&others, name),
		    quota_used(now, name), quota_used(peak, name), err);
	}
	arena_release(&arena);
	return result;
}

int
quota_check_archives(struct store *store, int64_t tenant, struct error *err)
{
	struct arena arena = {0};
	struct quota limit;
	int64_t bytes = 0;
	int result = quota_read(store, tenant, &arena, &limit, err);

	if (result == 0)
		result = quota_read_archives(store, tenant, &bytes, err);
	arena_release(&arena);
	if (result == 0 && limit.archives >= 0 && bytes >= limit.archives)
		result = error_set(err, EX_NO, "the tenant's quota of archives is %lld bytes, and %lld are in use; coopr backup --delete "
		    "deletes archives, coopr quota shows the quota", (long long)limit.archives, (long long)bytes);
	return result;
}

int
quota_check_volumes(struct store *store, int64_t tenant, int64_t size_gb, double cost, struct error *err)
{
	struct arena arena = {0};
	struct quota limit, use;
	int result = quota_read(store, tenant, &arena, &limit, err);

	if (result == 0)
		result = quota_use(store, tenant, 0, &arena, &use, err);
	if (result == 0 && limit.volumes >= 0 && use.volumes + size_gb > limit.volumes)
		result = error_set(err, EX_NO, "the tenant's quota of volumes is %lld GiB: %lld are in use, this would need %lld more; coopr volume "
		    "list shows them, coopr quota the quota", (long long)limit.volumes, (long long)use.volumes, (long long)size_gb);
	if (result == 0)
		result = quota_check_one(quota_cost, limit.cost, use.cost, 0, cost, err);
	arena_release(&arena);
	return result;
}

/* Such a row is of no plugin, and of no version that anybody sees. */
static int
quota_add_upload(struct store *store, const char *digest, int64_t bytes, int64_t limit, struct error *err)
{
	char now[CLOCK_RFC3339_SIZE];
	int64_t before, after;

	if (quota_read_uploads(store, store_tenant(store), &before, err) < 0 ||
	    sql_change(store_sql(store), err, "INSERT OR REPLACE INTO resource (tenant, plugin, type, name, version, sum, bytes, format, mode, "
	        "at, by, deleted) VALUES (?1, '', '', ?2, 1, ?2, ?3, 'file', 0, ?4, ?5, 1)", "ititt", store_tenant(store), digest, bytes,
	        clock_rfc3339(clock_wall_ms(), now), store_by(store)) < 0 ||
	    quota_read_uploads(store, store_tenant(store), &after, err) < 0)
		return -1;
	if (after > limit && after > before)
		return error_set(err, EX_NO, "the tenant's quota of uploads is %lld bytes: %lld are in use, this would need %lld more; "
		    "coopr-resource delete deletes versions, which count until a day after their upload", (long long)limit, (long long)before,
		    (long long)(after - before));
	return 0;
}

int
quota_reserve_upload(struct store *store, const char *digest, int64_t bytes, struct error *err)
{
	struct arena arena = {0};
	struct quota limit;
	int result = quota_read(store, store_tenant(store), &arena, &limit, err);

	arena_release(&arena);
	if (result < 0 || limit.uploads < 0)
		return result;
	return quota_add_upload(store, digest, bytes, limit.uploads, err);
}

int
quota_record_upload(struct store *store, const char *digest, struct error *err)
{
	char since[CLOCK_RFC3339_SIZE];

	return sql_change(store_sql(store), err, "DELETE FROM resource WHERE tenant = ? AND plugin = '' AND (name = ? OR at < ?)", "itt",
	    store_tenant(store), digest, clock_rfc3339(clock_wall_ms() - CONTENT_NEW_S * 1000, since));
}
