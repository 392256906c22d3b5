/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/volumes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/quota.h"
#include "account/visible.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/clusters.h"
#include "model/entity.h"
#include "store/sql/installation-id.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "volume.id, tenant.name, volume.provider, zone, service, volume.name, volume.cluster, cluster.name, node, promised, of, " \
	"size_gb, keep, is_snapshot, is_blank, made_ms, cluster.status = 'terminated', size_gb * coalesce((SELECT cost FROM volume_use " \
	"WHERE volume = volume.id ORDER BY from_ms DESC LIMIT 1), 0), leaving"
#define FROM " FROM volume JOIN cluster ON cluster.id = volume.cluster JOIN tenant ON tenant.id = volume.tenant WHERE gone_ms IS NULL AND "

#define GOES "(keep = 0 OR is_blank = 1)" /* one that a node has, as volume_stays tells */

enum { RANDOM_DIGITS = 16, AS_BEFORE = -1 };

static struct volume
volumes_row(struct sql_rows *rows, struct arena *arena)
{
	return (struct volume){
		.id = sql_keep(rows, 0, arena),
		.tenant = sql_keep(rows, 1, arena),
		.provider = sql_keep(rows, 2, arena),
		.zone = sql_keep(rows, 3, arena),
		.service = sql_keep(rows, 4, arena),
		.name = sql_keep(rows, 5, arena),
		.cluster = sql_integer(rows, 6),
		.cluster_name = sql_keep(rows, 7, arena),
		.node = sql_keep(rows, 8, arena),
		.promised = sql_keep(rows, 9, arena),
		.of = sql_keep(rows, 10, arena),
		.size_gb = sql_integer(rows, 11),
		.keep = sql_integer(rows, 12) != 0,
		.is_snapshot = sql_integer(rows, 13) != 0,
		.is_blank = sql_integer(rows, 14) != 0,
		.made_ms = sql_integer(rows, 15),
		.is_orphaned = sql_integer(rows, 16) != 0,
		.cost = sql_real(rows, 17),
		.is_leaving = sql_integer(rows, 18) != 0,
	};
}

/* Adds all rows, and ends them. Returns how many, or -1. */
static int
volumes_add_rows(struct sql_rows *rows, struct volume_list *list, struct error *err)
{
	int got, count = 0;

	for (; (got = sql_row(rows, err)) > 0; count++) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = volumes_row(rows, &list->arena);
	}
	sql_end(rows);
	return got < 0 ? -1 : count;
}

static int
volumes_add_one(struct store *store, const char *id, struct volume_list *list, struct error *err)
{
	return volumes_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS FROM "volume.id = ?", "t", id), list, err) < 0 ? -1 : 0;
}

static int
volumes_draw_id(bool is_snapshot, struct arena *arena, const char **id, struct error *err)
{
	char digits[INSTALLATION_ID_SIZE];

	if (installation_id_make(digits, err) < 0)
		return -1;
	*id = arena_printf(arena, "%c-%.*s", is_snapshot ? 's' : 'v', RANDOM_DIGITS, digits);
	return 0;
}

/* Begins a use of the volume by its cluster. AS_BEFORE: at the price of before, or for a copy at that of the original. */
static int
volumes_begin_use(struct store *store, const char *id, double cost, int64_t now_ms, struct error *err)
{
	return sql_change(store_sql(store), err, "INSERT INTO volume_use (volume, cluster, size_gb, cost, from_ms) SELECT id, cluster, size_gb, "
	    "CASE WHEN ?1 >= 0 THEN ?1 ELSE coalesce((SELECT cost FROM volume_use WHERE volume = its.id ORDER BY from_ms DESC LIMIT 1), "
	    "(SELECT cost FROM volume_use WHERE volume = its.of ORDER BY from_ms DESC LIMIT 1), 0) END, ?2 FROM volume AS its WHERE id = ?3", "dit",
	    cost, now_ms, id);
}

static int
volumes_end_use(struct store *store, const char *id, int64_t now_ms, struct error *err)
{
	return sql_change(store_sql(store), err, "UPDATE volume_use SET to_ms = max(from_ms, ?) WHERE volume = ? AND to_ms IS NULL", "it", now_ms, id);
}

/* Gives the node a free volume of the cluster, or one that is promised to it, and adds it: 1; 0 where there is none; -1. */
static int
volumes_take_free(struct store *store, const struct volume_place *place, const char *name, struct volume_list *list, struct error *err)
{
	size_t before = list->count;
	const int64_t now_ms = clock_wall_ms();
	const struct volume *volume;
	int got = volumes_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS FROM "node IS NULL AND leaving = 0 AND is_snapshot = 0 "
	    "AND service = ?1 AND volume.name = ?2 AND volume.provider = ?3 AND CASE WHEN promised IS NULL THEN volume.cluster = ?4 ELSE (promised, "
	    "volume.tenant) = (SELECT mine.name, mine.tenant FROM cluster AS mine WHERE mine.id = ?4) END ORDER BY promised IS NULL, "
	    "CASE WHEN zone = ?5 THEN 0 ELSE 1 END, freed_ms DESC, made_ms, volume.id LIMIT 1", "tttit", place->service, name, place->provider,
	    place->cluster, place->zone), list, err);

	if (got <= 0)
		return got;
	volume = &list->list[before];
	if (volume->zone && place->zone && strcmp(volume->zone, place->zone) != 0)
		return error_set(err, EX_NO, "node %s: the volume %s of %s is in the zone %s, and the node in %s; create the node there, or delete the volume",
		    place->node, volume->id, place->service, volume->zone, place->zone);
	if (sql_change(store_sql(store), err, "UPDATE volume SET node = ?, cluster = ?, promised = NULL WHERE id = ?", "tit", place->node,
	    place->cluster, volume->id) < 0)
		return -1;
	if (volume->cluster != place->cluster && (volumes_end_use(store, volume->id, now_ms, err) < 0 || volumes_begin_use(store, volume->id,
	    AS_BEFORE, now_ms, err) < 0))
		return -1;
	list->count = before;
	return volumes_add_one(store, volume->id, list, err) < 0 ? -1 : 1;
}

static int
volumes_make(struct store *store, const struct volume_place *place, const struct volume_wish *wish, struct volume_list *list,
    struct error *err)
{
	const int64_t now_ms = clock_wall_ms();
	int64_t tenant = 0;
	const char *id;
	int got = sql_number(store_sql(store), &tenant, err, "SELECT tenant FROM cluster WHERE id = ?", "i", place->cluster);

	if (got == 0)
		return error_set(err, EX_CONFIG, "node %s: its cluster is not in the store, which knows all volumes; create the cluster with coopr create",
		    place->node);
	if (got < 0 || quota_check_volumes(store, tenant, wish->size_gb, place->cost * (double)wish->size_gb, err) < 0 ||
	    volumes_draw_id(false, &list->arena, &id, err) < 0)
		return -1;
	if (sql_change(store_sql(store), err, "INSERT INTO volume (id, tenant, provider, zone, service, name, cluster, node, size_gb, keep, "
	    "is_snapshot, is_blank, leaving, made_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 1, 0, ?)", "tittttitiii", id, tenant, place->provider,
	    place->zone, place->service, wish->name, place->cluster, place->node, wish->size_gb, (int64_t)wish->keep, now_ms) < 0 ||
	    volumes_begin_use(store, id, place->cost, now_ms, err) < 0)
		return -1;
	return volumes_add_one(store, id, list, err);
}

int
volumes_assign(struct store *store, const struct volume_place *place, const struct volume_wish *wish, struct volume_list *list,
    struct error *err)
{
	int got;

	if (store_begin(store, err) < 0)
		return -1;
	got = volumes_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS FROM "node = ? AND service = ? AND volume.name = ?", "ttt",
	    place->node, place->service, wish->name), list, err);
	if (got == 0)
		got = volumes_take_free(store, place, wish->name, list, err);
	if (got == 0)
		got = volumes_make(store, place, wish, list, err);
	return store_finish(store, got < 0 ? -1 : 0, err);
}

int
volumes_of_node(struct store *store, const char *node, struct volume_list *list, struct error *err)
{
	return volumes_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS FROM "node = ? ORDER BY service, volume.name", "t", node), list,
	    err) < 0 ? -1 : 0;
}

int
volumes_set_mounted(struct store *store, const char *node, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE volume SET is_blank = 0 WHERE node = ?", "t", node);
}

bool
volume_stays(const struct volume *volume)
{
	return volume->is_snapshot || (volume->keep && !(volume->is_blank && volume->node));
}

int
volumes_release(struct store *store, const char *node, struct error *err)
{
	const int64_t now_ms = clock_wall_ms();
	int result = store_begin(store, err);

	if (result < 0)
		return -1;
	result = sql_change(store_sql(store), err, "UPDATE volume_use SET to_ms = max(from_ms, ?) WHERE to_ms IS NULL AND volume IN "
	    "(SELECT id FROM volume WHERE node = ? AND " GOES ")", "it", now_ms, node);
	if (result == 0)
		result = sql_change(store_sql(store), err, "UPDATE volume SET node = NULL, freed_ms = ?1, "
		    "gone_ms = CASE WHEN " GOES " THEN ?1 END WHERE node = ?2", "it", now_ms, node);
	return store_finish(store, result, err);
}

int
volumes_release_others(struct store *store, int64_t cluster, const char *nodes, int64_t now_ms, struct error *err)
{
	return sql_change(store_sql(store), err, "UPDATE volume SET node = NULL, freed_ms = ? WHERE cluster = ? AND node IS NOT NULL "
	    "AND gone_ms IS NULL AND node NOT IN (SELECT value FROM json_each(?))", "iit", now_ms, cluster, nodes);
}

/* Begins to read what the account may see of the volumes for which the condition on ?6 and ?7 holds. */
static struct sql_rows *
volumes_visible(struct account *account, const char *visible, const char *condition, int64_t cluster, const char *id, struct error *err)
{
	char *text = memory_printf("SELECT " COLUMNS FROM "volume.cluster IN (SELECT id FROM cluster WHERE %s) AND %s ORDER BY tenant.name, "
	    "volume.cluster, service, volume.name, node, made_ms, volume.id", visible, condition);
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "it", VISIBLE_VALUES(account), cluster, id);

	free(text);
	return rows;
}

int
volumes_list(struct account *account, const char *cluster, bool everywhere, struct volume_list *list, struct error *err)
{
	struct cluster_list found = {0};
	int64_t number = 0;
	int result = 0;

	if (cluster && (result = clusters_find(account, cluster, &found, err)) == 0)
		number = found.list[0].id;
	cluster_list_release(&found);
	if (result < 0)
		return -1;
	return volumes_add_rows(volumes_visible(account, everywhere || number ? visible_anywhere(account) : visible_in_tenant(account),
	    "(?6 = 0 OR volume.cluster = ?6) AND ?7 IS NULL", number, NULL, err), list, err) < 0 ? -1 : 0;
}

int
volumes_promised(struct account *account, int64_t cluster, struct volume_list *list, struct error *err)
{
	return volumes_add_rows(volumes_visible(account, visible_anywhere(account), "node IS NULL AND (promised, volume.tenant) = (SELECT mine.name, "
	    "mine.tenant FROM cluster AS mine WHERE mine.id = ?6) AND ?7 IS NULL", cluster, NULL, err), list, err) < 0 ? -1 : 0;
}

int
volumes_find(struct account *account, const char *id, struct volume_list *list, struct error *err)
{
	int got = volumes_add_rows(volumes_visible(account, visible_anywhere(account), "?6 = 0 AND volume.id = ?7", 0, id, err), list, err);

	if (got == 0)
		return error_set(err, EX_NO, "there is no volume \"%s\"; coopr volume list shows them", id);
	return got < 0 ? -1 : 0;
}

int
volumes_is_known(struct store *store, const char *id, int64_t at_ms, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM volume WHERE id = ? AND (gone_ms IS NULL OR gone_ms >= ?)", "ti", id, at_ms);
}

/* Reads whose a volume is, and what a GiB of it costs for an hour. */
static int
volumes_read_owner(struct store *store, const char *id, int64_t *tenant, double *cost, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT tenant, coalesce((SELECT cost FROM volume_use WHERE volume = its.id "
	    "ORDER BY from_ms DESC LIMIT 1), 0) FROM volume AS its WHERE id = ?", "t", id);
	int got = sql_row(rows, err);

	if (got > 0) {
		*tenant = sql_integer(rows, 0);
		*cost = sql_real(rows, 1);
	}
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

int
volumes_copy(struct store *store, const struct volume *original, struct volume_list *list, struct error *err)
{
	bool is_snapshot = !original->is_snapshot;
	const int64_t now_ms = clock_wall_ms();
	int64_t tenant = 0;
	const char *id = NULL;
	double cost = 0;
	int result;

	if (volumes_draw_id(is_snapshot, &list->arena, &id, err) < 0 || store_begin(store, err) < 0)
		return -1;
	result = volumes_read_owner(store, original->id, &tenant, &cost, err);
	if (result == 0)
		result = quota_check_volumes(store, tenant, original->size_gb, cost * (double)original->size_gb, err);
	if (result == 0)
		result = sql_change(store_sql(store), err, "INSERT INTO volume (id, tenant, provider, zone, service, name, cluster, of, size_gb, keep, "
		    "is_snapshot, is_blank, leaving, made_ms) SELECT ?1, tenant, provider, zone, service, name, cluster, id, size_gb, 1, ?2, is_blank, "
		    "?2, ?3 FROM volume WHERE id = ?4", "tiit", id, (int64_t)is_snapshot, now_ms, original->id);
	if (result == 0)
		result = volumes_begin_use(store, id, AS_BEFORE, now_ms, err);
	if (result == 0)
		result = volumes_add_one(store, id, list, err);
	return store_finish(store, result, err);
}

/* Changes the volume of that id, if it is free; EX_NO otherwise. promised may be NULL, gone_ms 0: they stay as they are. */
static int
volumes_change_free(struct store *store, const char *id, const char *promised, bool leaves, int64_t gone_ms, struct error *err)
{
	int64_t one;
	int got;

	if (store_begin(store, err) < 0)
		return -1;
	got = sql_number(store_sql(store), &one, err, "UPDATE volume SET promised = coalesce(?, promised), leaving = max(leaving, ?), "
	    "gone_ms = nullif(?, 0) WHERE id = ? AND node IS NULL AND gone_ms IS NULL RETURNING 1", "tiit", promised, (int64_t)leaves, gone_ms, id);
	if (got == 0)
		got = error_set(err, EX_NO, "volume %s: a node has it; it is free once the node is deleted", id);
	if (got > 0 && gone_ms && volumes_end_use(store, id, gone_ms, err) < 0)
		got = -1;
	return store_finish(store, got, err) < 0 ? -1 : 0;
}

int
volumes_stay(struct store *store, const char *id, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE volume SET leaving = 0 WHERE id = ?", "t", id);
}

int
volumes_promise(struct store *store, const char *id, const char *cluster, struct error *err)
{
	return volumes_change_free(store, id, cluster, false, 0, err);
}

int
volumes_leave(struct store *store, const char *id, struct error *err)
{
	return volumes_change_free(store, id, NULL, true, 0, err);
}

int
volumes_remove(struct store *store, const char *id, struct error *err)
{
	return volumes_change_free(store, id, NULL, true, clock_wall_ms(), err);
}

int
volumes_provider(struct store *store, const struct volume *volume, char **entity, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT json_extract(wish, '$.provider') FROM cluster_document JOIN cluster ON id = "
	    "cluster_document.cluster WHERE tenant = (SELECT tenant FROM volume WHERE id = ?) AND provider = ? AND wish IS NOT NULL ORDER BY id DESC "
	    "LIMIT 1", "tt", volume->id, volume->provider);
	int got = sql_row(rows, err);

	*entity = got > 0 ? sql_copy(rows, 0) : NULL;
	sql_end(rows);
	if (got >= 0 && !*entity)
		return error_set(err, EX_NO, "volume %s: no cluster knows its provider \"%s\" any more", volume->id, volume->provider);
	return got < 0 ? -1 : 0;
}

int
volumes_of_tenant(struct store *store, int64_t tenant, struct volume_list *list, struct error *err)
{
	return volumes_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS FROM "volume.tenant = ? ORDER BY made_ms, volume.id", "i", tenant),
	    list, err) < 0 ? -1 : 0;
}

void
volume_list_release(struct volume_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct volume_list){0};
}
