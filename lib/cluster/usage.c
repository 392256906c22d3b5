/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of each node is added once: to its first and its last period in part; of those between, only the first and the last
 * are marked. So the cost does not grow with the number of periods that a node has lived.
 */
#include "cluster/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/visible.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/names.h"
#include "cluster/clusters.h"
#include "store/sql/sql.h"

static const char *const names[] = {"tenant", "user", "cluster", "template", "hardwaretype"};

struct life { /* of a node, or of a volume with its size; of a node that is 0 */
	int64_t from, to, size_gb;
	double cost;  /* of an hour */
	bool goes_on; /* beyond the end */
};

struct slice { /* of a group in a period */
	int64_t ms, gb_ms;        /* of nodes, of GiB */
	double cost;              /* of these, as hours of milliseconds: divided once, at the end */
	int64_t whole, whole_gb;  /* nodes, and GiB, that are there all through, from here on */
	int64_t whole_lives;      /* of both */
	double whole_cost;        /* of an hour of them */
	int64_t living;           /* more nodes than before at the end */
};

struct group {
	const char *values[USAGE_BY_COUNT], *cluster_id;
	struct slice *slices; /* one more than there are periods */
};

struct summing {
	const struct usage_question *question;
	struct usage *usage;
	int64_t *bounds;
	size_t periods;
	struct names keys;
	struct group *groups; /* by the number of the key */
	size_t count, capacity;
	struct buffer key;
};

const char *
usage_by_name(enum usage_by by)
{
	return names[by];
}

enum usage_by
usage_by_of(const char *name)
{
	int by = 0;

	while (by < USAGE_BY_COUNT && strcmp(names[by], name) != 0)
		by++;
	return (enum usage_by)by;
}

/* Sets *start_ms to the first use that the account sees, if it is earlier. */
static int
usage_find_start(struct account *account, const char *visible, int64_t *start_ms, struct error *err)
{
	char *text = memory_printf("SELECT min(from_ms) FROM node_use WHERE cluster IN (SELECT id FROM cluster WHERE %s)",
	    visible);
	int64_t first_ms = 0;
	int got = sql_number(account_sql(account), &first_ms, err, text, VISIBLE_TYPES, VISIBLE_VALUES(account));

	if (first_ms > 0 && first_ms < *start_ms)
		*start_ms = first_ms;
	free(text);
	return got < 0 ? -1 : 0;
}

static struct sql_rows *
usage_query(struct account *account, const struct usage_question *question, const char *visible,
    const struct usage *usage, struct error *err)
{
	char *text = memory_printf("WITH seen AS (SELECT * FROM cluster WHERE %s) "
	    "SELECT (SELECT tenant.name FROM tenant WHERE tenant.id = seen.tenant), owner, seen.name, template, hardwaretype, "
	    "seen.id, one.cost, from_ms, to_ms, size_gb FROM (SELECT cluster, hardwaretype, cost, from_ms, to_ms, 0 AS size_gb FROM node_use "
	    "UNION ALL SELECT cluster, NULL, cost * size_gb, from_ms, to_ms, size_gb FROM volume_use) AS one JOIN seen ON seen.id = one.cluster "
	    "WHERE from_ms < ?7 AND (to_ms IS NULL OR to_ms > ?6) AND (?8 IS NULL OR owner = ?8) "
	    "AND (?9 IS NULL OR seen.name = ?9 OR seen.id = ?10) AND (?11 IS NULL OR template = ?11)", visible);
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "iittit", VISIBLE_VALUES(account),
	    usage->start_ms, usage->end_ms, question->user, question->cluster,
	    question->cluster ? cluster_id_of(question->cluster) : (int64_t)0, question->template);

	free(text);
	return rows;
}

/* Returns the group of a row, a new one if need be; NULL where there would be too many. */
static struct group *
usage_group_of(struct summing *summing, struct sql_rows *row)
{
	struct arena *arena = &summing->usage->arena;
	size_t known = summing->keys.count, number;
	char id[CLUSTER_ID_SIZE];
	struct group *group;

	buffer_clear(&summing->key);
	buffer_byte(&summing->key, ' ');
	for (int by = 0; by < USAGE_BY_COUNT; by++)
		if (summing->question->by[by])
			buffer_printf(&summing->key, "%s\n", sql_text(row, by) ? sql_text(row, by) : "");
	if (summing->question->by[USAGE_CLUSTER])
		buffer_printf(&summing->key, "%lld", (long long)sql_integer(row, 5));
	if (names_find(&summing->keys, summing->key.data) != NAMES_NONE)
		return &summing->groups[names_find(&summing->keys, summing->key.data)];
	if ((known + 1) * summing->periods > USAGE_ROWS_MAX)
		return NULL;
	number = (size_t)names_intern(&summing->keys, arena_string(arena, summing->key.data));
	ARRAY_ROOM(summing->groups, summing->count, summing->capacity);
	group = &summing->groups[number];
	*group = (struct group){.slices = memory_zeroed(summing->periods + 1, sizeof *group->slices)};
	summing->count++;
	for (int by = 0; by < USAGE_BY_COUNT; by++)
		if (summing->question->by[by] && sql_text(row, by))
			group->values[by] = arena_string(arena, sql_text(row, by));
	if (summing->question->by[USAGE_CLUSTER])
		group->cluster_id = arena_string(arena, cluster_id_text(sql_integer(row, 5), id));
	return group;
}

/* Returns the number of the period that a time is in. */
static size_t
usage_period_at(const struct summing *summing, int64_t ms)
{
	size_t low = 0, high = summing->periods;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		*(summing->bounds[middle] <= ms ? &low : &high) = middle;
	}
	return low;
}

static void
usage_add_part(struct slice *slice, int64_t ms, const struct life *life)
{
	*(life->size_gb ? &slice->gb_ms : &slice->ms) += ms * (life->size_gb ? life->size_gb : 1);
	slice->cost += (double)ms * life->cost;
}

/* Has it be there all through from this period on, or no more (sign -1). */
static void
usage_add_whole(struct slice *slice, const struct life *life, int sign)
{
	*(life->size_gb ? &slice->whole_gb : &slice->whole) += sign * (life->size_gb ? life->size_gb : 1);
	slice->whole_lives += sign;
	slice->whole_cost += sign * life->cost;
}

/* Adds a life within the bounds; its end is theirs if it goes on. */
static void
usage_add_life(const struct summing *summing, struct group *group, const struct life *life)
{
	size_t first = usage_period_at(summing, life->from), last = usage_period_at(summing, life->to - 1);

	if (!life->size_gb) {
		group->slices[first].living++;
		group->slices[last].living -= !life->goes_on;
	}
	if (first == last) {
		usage_add_part(&group->slices[first], life->to - life->from, life);
		return;
	}
	usage_add_part(&group->slices[first], summing->bounds[first + 1] - life->from, life);
	usage_add_part(&group->slices[last], life->to - summing->bounds[last], life);
	usage_add_whole(&group->slices[first + 1], life, 1);
	usage_add_whole(&group->slices[last], life, -1);
}

static int
usage_add_row(struct summing *summing, struct sql_rows *row, struct error *err)
{
	const struct usage *usage = summing->usage;
	int64_t from = sql_integer(row, 7), to = sql_text(row, 8) ? sql_integer(row, 8) : INT64_MAX;
	struct life life = {.from = from > usage->start_ms ? from : usage->start_ms, .to = to > usage->end_ms ? usage->end_ms : to,
	    .size_gb = sql_integer(row, 9), .cost = sql_real(row, 6), .goes_on = to > usage->end_ms};
	struct group *group;

	if (life.from >= life.to)
		return 0;
	group = usage_group_of(summing, row);
	if (!group)
		return error_set(err, EX_USAGE, "more than %d rows; ask for longer periods, or group by less",
		    USAGE_ROWS_MAX);
	usage_add_life(summing, group, &life);
	return 0;
}

/* Millionths are enough, and look better. */
static double
usage_round(double value)
{
	return round(value * 1e6) / 1e6;
}

/* Adds the rows of a group. Those with nothing in them say something only if there is one for each period: also_empty. */
static void
usage_add_rows(struct summing *summing, const struct group *group, bool also_empty)
{
	struct usage *usage = summing->usage;
	struct slice sum = {0};

	for (size_t i = 0; i < summing->periods; i++) {
		const struct slice *slice = &group->slices[i];
		int64_t length = summing->bounds[i + 1] - summing->bounds[i], ms, gb_ms;

		sum.whole += slice->whole;
		sum.whole_gb += slice->whole_gb;
		sum.whole_lives += slice->whole_lives;
		sum.whole_cost = sum.whole_lives ? sum.whole_cost + slice->whole_cost : 0;
		sum.living += slice->living;
		ms = slice->ms + sum.whole * length;
		gb_ms = slice->gb_ms + sum.whole_gb * length;
		if (ms == 0 && gb_ms == 0 && !also_empty)
			continue;
		ARRAY_ROOM(usage->rows, usage->count, usage->capacity);
		usage->rows[usage->count] = (struct usage_row){.start_ms = summing->bounds[i], .end_ms = summing->bounds[i + 1],
		    .cluster_id = group->cluster_id, .node_hours = usage_round((double)ms / 3.6e6), .volume_gb_hours = usage_round((double)gb_ms / 3.6e6),
		    .cost = usage_round((slice->cost + sum.whole_cost * (double)length) / 3.6e6), .nodes = sum.living};
		memcpy(usage->rows[usage->count++].values, group->values, sizeof group->values);
	}
}

static int
usage_compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int
usage_compare_rows(const void *a, const void *b)
{
	const struct usage_row *x = a, *y = b;
	int order = (x->start_ms > y->start_ms) - (x->start_ms < y->start_ms);

	for (int by = 0; order == 0 && by < USAGE_BY_COUNT; by++)
		order = usage_compare_texts(x->values[by], y->values[by]);
	return order ? order : usage_compare_texts(x->cluster_id, y->cluster_id);
}

/* Makes the rows of all groups, in order. */
static void
usage_finish(struct summing *summing)
{
	struct usage *usage = summing->usage;
	bool alone = true;

	for (int by = 0; by < USAGE_BY_COUNT; by++)
		alone = alone && !summing->question->by[by];
	for (size_t i = 0; i < summing->count; i++)
		usage_add_rows(summing, &summing->groups[i], alone);
	if (alone && summing->count == 0) {
		struct group none = {.slices = memory_zeroed(summing->periods + 1, sizeof *none.slices)};

		usage_add_rows(summing, &none, true);
		free(none.slices);
	}
	if (usage->count)
		qsort(usage->rows, usage->count, sizeof *usage->rows, usage_compare_rows);
}

int
usage_ask(struct account *account, const struct usage_question *question, struct usage *usage, struct error *err)
{
	const char *visible = question->everywhere ? visible_anywhere(account) : visible_in_tenant(account);
	struct summing summing = {.question = question, .usage = usage};
	struct sql_rows *rows;
	int got;

	usage->end_ms = question->end_ms && question->end_ms < question->now_ms ? question->end_ms : question->now_ms;
	usage->start_ms = question->start_ms ? question->start_ms : usage->end_ms;
	if (!question->start_ms && usage_find_start(account, visible, &usage->start_ms, err) < 0)
		return -1;
	summing.bounds = period_bounds(question->period, usage->start_ms, usage->end_ms, USAGE_ROWS_MAX, &summing.periods);
	if (!summing.bounds)
		return error_set(err, EX_USAGE, "more than %d rows; ask for longer periods", USAGE_ROWS_MAX);
	rows = usage_query(account, question, visible, usage, err);
	while ((got = sql_row(rows, err)) > 0)
		if (usage_add_row(&summing, rows, err) < 0) {
			got = -1;
			break;
		}
	sql_end(rows);
	if (got == 0)
		usage_finish(&summing);
	for (size_t i = 0; i < summing.count; i++)
		free(summing.groups[i].slices);
	free(summing.groups);
	free(summing.bounds);
	names_release(&summing.keys);
	buffer_release(&summing.key);
	return got;
}

void
usage_release(struct usage *usage)
{
	free(usage->rows);
	arena_release(&usage->arena);
	*usage = (struct usage){0};
}
