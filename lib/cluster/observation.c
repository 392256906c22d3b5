/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/observation.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/preference.h"
#include "store/sql/sql.h"
#include "store/store.h"

enum { STALE_AFTER_S = 300, CLOCKS_DIFFER_MS = 60000 };

static const char *const answers[] = {"healthy", "unhealthy", "unreachable", "gone", "unknown"};
static const char *const conditions[] = {"unknown", "healthy", "degraded", "down", "stopped"};

const char *
observation_answer_name(enum observation_answer answer)
{
	return answers[answer];
}

static enum observation_answer
observation_answer_of(const char *name)
{
	int answer = 0;

	while (answer < OBSERVATION_UNKNOWN && strcmp(answers[answer], name) != 0)
		answer++;
	return (enum observation_answer)answer;
}

const char *
condition_name(enum condition condition)
{
	return conditions[condition];
}

enum condition
condition_of(const char *name)
{
	int condition = CONDITION_COUNT - 1;

	while (condition > CONDITION_UNKNOWN && strcmp(conditions[condition], name) != 0)
		condition--;
	return (enum condition)condition;
}

int64_t
observation_fresh_ms(void)
{
	const char *value = preference_value(PREFERENCE_STALE_AFTER_S, NULL);

	return clock_wall_ms() - (value ? strtoll(value, NULL, 10) : STALE_AFTER_S) * 1000;
}

int64_t
observation_latest_ms(void)
{
	return clock_wall_ms() + CLOCKS_DIFFER_MS;
}

/* No id of a node has a blank in it. */
static char *
observations_key(const char *node, const char *service)
{
	return memory_printf("%s %s", node, service);
}

void
observations_set(struct observations *list, const struct observation *observation)
{
	char *key = observations_key(observation->node, observation->service);
	int number = names_find(&list->keys, key);

	if (number == NAMES_NONE) {
		number = names_intern(&list->keys, arena_string(&list->arena, key));
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->count++;
	}
	list->list[number] = *observation;
	list->list[number].node = arena_string(&list->arena, observation->node);
	list->list[number].service = arena_string(&list->arena, observation->service);
	list->list[number].message = observation->message ? arena_string(&list->arena, observation->message) : NULL;
	list->list[number].by = arena_string(&list->arena, observation->by);
	list->list[number].since_ms = observation->since_ms ? observation->since_ms : observation->observed_ms;
	free(key);
}

const struct observation *
observations_find(const struct observations *list, const char *node, const char *service)
{
	char *key = observations_key(node, service);
	int number = names_find(&list->keys, key);

	free(key);
	return number == NAMES_NONE ? NULL : &list->list[number];
}

bool
observations_is_gone(const struct observations *list, const char *node)
{
	const struct observation *machine = observations_find(list, node, "");

	return machine && machine->answer == OBSERVATION_GONE && machine->observed_ms <= observation_latest_ms();
}

int
observations_read(struct store *store, int64_t cluster, struct observations *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT node, service, answer, message, by, observed_ms, since_ms "
	    "FROM observation WHERE cluster = ? ORDER BY node, service", "i", cluster);
	int got;

	while ((got = sql_row(rows, err)) > 0)
		observations_set(list, &(struct observation){.node = sql_text(rows, 0), .service = sql_text(rows, 1),
		    .answer = observation_answer_of(sql_text(rows, 2)), .message = sql_text(rows, 3), .by = sql_text(rows, 4),
		    .observed_ms = sql_integer(rows, 5), .since_ms = sql_integer(rows, 6)});
	sql_end(rows);
	return got;
}

/* Adds up the rows of the cluster. What is bad is bad from its newest observation on; all is well since the oldest of them. */
static int
observations_add_up(struct store *store, int64_t cluster, struct error *err)
{
	return sql_change(store_sql(store), err, "UPDATE cluster SET (instances, ready, condition, observed_ms) = (SELECT instances, ready, "
	    "CASE WHEN rows = 0 THEN 'unknown' WHEN healthy = rows THEN 'healthy' WHEN bad = 0 THEN 'unknown' "
	    "WHEN (CASE WHEN instances > 0 THEN bad_instances = instances ELSE bad = rows END) THEN 'down' ELSE 'degraded' END, "
	    "CASE WHEN bad > 0 THEN bad_ms ELSE coalesce(oldest_ms, 0) END FROM (SELECT count(*) AS rows, "
	    "count(*) FILTER (WHERE service <> '') AS instances, "
	    "count(*) FILTER (WHERE service <> '' AND answer = 'healthy') AS ready, "
	    "count(*) FILTER (WHERE answer = 'healthy') AS healthy, "
	    "count(*) FILTER (WHERE answer NOT IN ('healthy', 'unknown')) AS bad, "
	    "count(*) FILTER (WHERE service <> '' AND answer NOT IN ('healthy', 'unknown')) AS bad_instances, "
	    "max(observed_ms) FILTER (WHERE answer NOT IN ('healthy', 'unknown')) AS bad_ms, min(observed_ms) AS oldest_ms "
	    "FROM observation WHERE cluster = cluster.id)) WHERE id = ?", "i", cluster);
}

/* A probe that asks a machine, and not its provider, learns nothing of one that is gone, unless it answers. */
static int
observations_record_one(struct store *store, int64_t cluster, int64_t revision, const struct observation *seen, struct error *err)
{
	return sql_change(store_sql(store), err, "INSERT INTO observation (cluster, node, service, answer, message, by, observed_ms, since_ms) "
	    "SELECT cluster, node, ?3, ?4, ?5, ?6, ?7, ?8 FROM node_use JOIN cluster ON cluster = id WHERE cluster = ?1 AND node = ?2 "
	    "AND to_ms IS NULL AND revision = ?9 ON CONFLICT (cluster, node, service) DO UPDATE SET answer = excluded.answer, "
	    "message = excluded.message, by = excluded.by, observed_ms = excluded.observed_ms, since_ms = CASE "
	    "WHEN observation.answer = excluded.answer AND observation.since_ms <= ?10 THEN observation.since_ms ELSE excluded.since_ms END "
	    "WHERE (observation.observed_ms <= excluded.observed_ms OR observation.observed_ms > ?10) "
	    "AND NOT (observation.answer = 'gone' AND excluded.answer = 'unreachable' AND excluded.by = 'probe')", "itttttiiii", cluster,
	    seen->node, seen->service, answers[seen->answer], seen->message, seen->by, seen->observed_ms, seen->since_ms, revision,
	    observation_latest_ms());
}

int
observations_record(struct store *store, int64_t cluster, int64_t revision, const struct observations *seen, struct error *err)
{
	int result = 0;

	if (seen->count == 0)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	for (size_t i = 0; i < seen->count && result == 0; i++)
		result = observations_record_one(store, cluster, revision, &seen->list[i], err);
	if (result == 0)
		result = observations_add_up(store, cluster, err);
	return store_finish(store, result, err);
}

/* Inserts what is known of an instance now: what was seen, or else what was known before. */
static int
observations_insert(struct store *store, int64_t cluster, const struct observation *seen, const struct observation *before,
    struct error *err)
{
	const struct observation *now = seen->observed_ms == 0 && before ? before : seen;
	int64_t since_ms = before && before->answer == now->answer && before->since_ms ? before->since_ms : now->since_ms;

	return sql_change(store_sql(store), err, "INSERT INTO observation (cluster, node, service, answer, message, by, observed_ms, "
	    "since_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "itttttii", cluster, now->node, now->service, answers[now->answer], now->message,
	    now->by, now->observed_ms, since_ms);
}

int
observations_replace(struct store *store, int64_t cluster, const struct observations *list, struct error *err)
{
	struct observations before = {0};
	int result = observations_read(store, cluster, &before, err);

	if (result == 0)
		result = sql_change(store_sql(store), err, "DELETE FROM observation WHERE cluster = ?", "i", cluster);
	for (size_t i = 0; i < list->count && result == 0; i++) {
		struct observation seen = list->list[i];
		const struct observation *was = observations_find(&before, seen.node, seen.service);
		const struct observation *machine = observations_find(list, seen.node, "");

		/* What the layout says of an instance, as that it was stopped, tells nothing where the machine is gone, and has not answered since. */
		if (was && was->answer == OBSERVATION_GONE && machine && machine->observed_ms == 0)
			seen.observed_ms = 0;
		result = observations_insert(store, cluster, &seen, was, err);
	}
	if (result == 0)
		result = observations_add_up(store, cluster, err);
	observations_release(&before);
	return result;
}

void
observations_release(struct observations *list)
{
	names_release(&list->keys);
	free(list->list);
	arena_release(&list->arena);
	*list = (struct observations){0};
}
