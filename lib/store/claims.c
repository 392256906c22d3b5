/* SPDX-License-Identifier: Apache-2.0 */
#include "store/claims.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/claim-marks.h"
#include "address/machine-address.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
claims_find(struct store *store, const char *node, struct arena *arena, const char **machine, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT machine FROM claim WHERE node = ?", "t", node);
	int got = sql_row(rows, err);

	if (got > 0)
		*machine = sql_keep(rows, 0, arena);
	sql_end(rows);
	return got;
}

/* Claims this machine, which has the addresses: 1, or what the node has; 0 where it is in use; -1. */
static int
claims_take_one(struct store *store, const struct claim *claim, const char *candidate, const struct string_list *addresses,
    struct arena *arena, const char **machine, struct error *err)
{
	int64_t one;
	int got;

	if (store_begin(store, err) < 0)
		return -1;
	got = claims_find(store, claim->node, arena, machine, err);
	if (got == 0) {
		got = claim_marks_add(store_sql(store), claim->node, MARK_ADDRESS, addresses, err);
		if (got > 0)
			got = sql_number(store_sql(store), &one, err, "INSERT INTO claim (machine, node, provider, cluster, hostname, "
			    "at_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1", "ttttti", candidate, claim->node,
			    claim->provider, claim->cluster, claim->hostname, clock_wall_ms());
		if (got > 0)
			*machine = candidate;
		if (got == 0 && sql_change(store_sql(store), err, "DELETE FROM claim_mark WHERE node = ?", "t", claim->node) < 0)
			got = -1;
	}
	return store_finish(store, got, err);
}

int
claims_take(struct store *store, const struct claim *claim, const char *const *machines, size_t count,
    const struct string_list *ranges, struct arena *arena, const char **machine, struct error *err)
{
	struct string_list addresses;
	bool passed_over = false;
	struct error why;
	int64_t taken = 0;
	int got = claims_find(store, claim->node, arena, machine, err);

	for (size_t i = 0; i < count && got == 0; i++) {
		if (sql_number(store_sql(store), &taken, err, "SELECT count(*) FROM claim WHERE machine = ?", "t", machines[i]) < 0)
			return -1;
		if (taken > 0)
			continue;
		if (machine_address_resolve(machines[i], arena, &addresses, &why) == 0 &&
		    (!ranges || machine_address_check(machines[i], &addresses, ranges, &why) == 0))
			got = claims_take_one(store, claim, machines[i], &addresses, arena, machine, err);
		else
			passed_over = true;
	}
	if (got == 0 && passed_over) {
		*err = why;
		return -1;
	}
	return got;
}

int
claims_check_address(struct store *store, const char *node, const char *machine, struct error *err)
{
	struct arena arena = {0};
	struct string_list addresses = {0};
	const char *claim = NULL;
	int64_t claimed = 0;
	int got = claims_find(store, node, &arena, &claim, err), result = got < 0 ? -1 : 0;

	if (got > 0 && machine_address_is_one(claim))
		result = machine_address_resolve(machine, &arena, &addresses, err);
	for (size_t i = 0; i < addresses.count && result == 0; i++) {
		result = sql_number(store_sql(store), &claimed, err, "SELECT count(*) FROM claim_mark WHERE kind = ? AND value = ? AND "
		    "node = ?", "itt", (int64_t)MARK_ADDRESS, addresses.list[i], node) < 0 ? -1 : 0;
		if (result == 0 && claimed == 0)
			result = error_set(err, EX_CONFIG, "node %s: the provider hands out %s, which it has not claimed", node, machine);
	}
	arena_release(&arena);
	return result;
}

/* Returns -1, and says whose host key it is. */
static int
claims_refuse_key(struct sql *db, const char *node, const struct string_list *keys, struct error *err)
{
	struct sql_rows *rows;
	int got = 0;

	for (size_t i = 0; i < keys->count && got == 0; i++) {
		rows = sql_query(db, err, "SELECT c.machine, mine.machine FROM claim_mark m JOIN claim c ON c.node = m.node, claim mine "
		    "WHERE m.kind = ? AND m.value = ? AND m.node <> ?3 AND mine.node = ?3", "itt", (int64_t)MARK_HOST_KEY,
		    keys->list[i], node);
		got = sql_row(rows, err);
		if (got > 0)
			error_set(err, EX_CONFIG, "node %s: its machine %s shows the host key of %s, which another node has; they are one "
			    "machine, or copies of one disk: make new keys on the copy (ssh-keygen -A), or set \"shared_host_keys\" in the "
			    "provider", node, sql_text(rows, 1), sql_text(rows, 0));
		sql_end(rows);
	}
	return -1;
}

int
claims_keep_host_keys(struct store *store, const char *node, const struct string_list *keys, bool shared, struct error *err)
{
	struct arena arena = {0};
	const char *machine;
	int got;

	got = claims_find(store, node, &arena, &machine, err);
	arena_release(&arena);
	if (got <= 0)
		return got;
	if (store_begin(store, err) < 0)
		return -1;
	got = claim_marks_add(store_sql(store), node, MARK_HOST_KEY, keys, err);
	if (got == 0 && !shared)
		got = claims_refuse_key(store_sql(store), node, keys, err);
	return store_finish(store, got < 0 ? -1 : 0, err);
}

int
claims_give_back(struct store *store, const char *node, struct error *err)
{
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = sql_change(store_sql(store), err, "DELETE FROM claim WHERE node = ?", "t", node);
	if (result == 0)
		result = sql_change(store_sql(store), err, "DELETE FROM claim_mark WHERE node = ?", "t", node);
	return store_finish(store, result, err);
}

int
claims_list(struct store *store, const char *provider, struct claim_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT machine, node, provider, cluster, hostname FROM claim "
	    "WHERE ?1 IS NULL OR provider = ?1 ORDER BY machine", "t", provider);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct claim){
			.machine = sql_keep(rows, 0, &list->arena),
			.node = sql_keep(rows, 1, &list->arena),
			.provider = sql_keep(rows, 2, &list->arena),
			.cluster = sql_keep(rows, 3, &list->arena),
			.hostname = sql_keep(rows, 4, &list->arena),
		};
	}
	sql_end(rows);
	return got;
}

void
claim_list_release(struct claim_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct claim_list){0};
}
