/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "model/limits.h"
#include "queue/spool/local.h"

enum { LIMITS_BYTES = 1024 * 1024 };

static const char file[] = "limits.json";

/* Reads what tells one file from another; {1} if there is none. */
static void
limits_stamp_of(const struct spool_queue *queue, uint64_t stamp[3])
{
	struct stat st;
	bool there = fstatat(queue->spool.root, file, &st, AT_SYMLINK_NOFOLLOW) == 0;

	stamp[0] = there ? (uint64_t)st.st_ino : 1;
	stamp[1] = there ? (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec : 0;
	stamp[2] = there ? (uint64_t)st.st_size : 0;
}

/* Without a file nothing is limited. */
static int
limits_read(const struct spool_queue *queue, struct limits *limits, struct error *err)
{
	struct problems problems = {0};
	struct buffer text = {0};
	struct place place;
	jv document = jv_invalid();
	char *name;
	int result;

	*limits = (struct limits){.total = -1};
	if (!file_exists(queue->spool.root, file))
		return 0;
	name = memory_printf("%s/%s", queue->spool.path, file);
	result = file_read(queue->spool.root, file, LIMITS_BYTES, &text, err);
	if (result == 0)
		result = json_parse(name, text.data, text.length, &document, err);
	if (result == 0) {
		place = place_root(document, &problems);
		limits_parse(&place, limits);
	}
	if (result == 0)
		result = problems_error(&problems, name, EX_DATAERR, err);
	problems_release(&problems);
	jv_free(document);
	free(name);
	buffer_release(&text);
	return result;
}

int
limits_check(const struct spool_queue *queue, struct error *err)
{
	struct limits limits;
	int result = limits_read(queue, &limits, err);

	limits_release(&limits);
	return result;
}

static const struct limit_list *
limits_list_of(const struct limits *limits, enum limit_key_kind kind)
{
	return kind == LIMIT_KEY_TENANT ? &limits->tenants : &limits->providers;
}

static int
limits_set_on_table(struct scheduler_table *table, const struct limits *limits, const uint64_t stamp[3], struct error *err)
{
	do {
		if (scheduler_lock(table, err) < 0)
			return -1;
		table->header->max = limits->total;
		for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
			for (uint32_t i = 0; i < table->header->key_count[kind]; i++) {
				struct limit_key *limit_key = &scheduler_entry(table, i)->limit_key[kind];

				limit_key->max = limits_of(limits_list_of(limits, (enum limit_key_kind)kind), limit_key->name);
			}
		memcpy(table->header->limits, stamp, sizeof table->header->limits);
	} while (!scheduler_unlock(table));
	return 0;
}

int
limits_refresh(struct spool_queue *queue, struct error *err)
{
	struct limits limits;
	uint64_t stamp[3];
	int result;

	limits_stamp_of(queue, stamp);
	if (memcmp(stamp, queue->table.header->limits, sizeof stamp) == 0)
		return 0;
	result = limits_read(queue, &limits, err);
	if (result == 0)
		result = limits_set_on_table(&queue->table, &limits, stamp, err);
	limits_release(&limits);
	return result;
}

/* --- the verbs --- */

struct found { /* what is told of limits */
	struct queue_limit *list;
	size_t count, capacity;
};

static void
limits_add(struct found *found, enum queue_limit_kind kind, const char *name, int64_t max, uint64_t running)
{
	struct queue_limit *limit;

	ARRAY_ROOM(found->list, found->count, found->capacity);
	limit = &found->list[found->count++];
	*limit = (struct queue_limit){.kind = kind, .max = max, .running = running};
	snprintf(limit->name, sizeof limit->name, "%s", name);
}

/* Those of a kind: each that has a limit, and each of which something runs. */
static void
limits_add_kind(struct found *found, const struct scheduler_table *table, const struct limits *limits, enum limit_key_kind of)
{
	enum queue_limit_kind kind = of == LIMIT_KEY_TENANT ? QUEUE_LIMIT_TENANT : QUEUE_LIMIT_PROVIDER;
	const struct limit_list *list = limits_list_of(limits, of);
	size_t first = found->count;

	for (size_t i = 0; i < list->count; i++)
		limits_add(found, kind, list->list[i].name, list->list[i].max, 0);
	for (uint32_t i = 0; table->header && i < table->header->key_count[of] && i < table->header->capacity; i++) {
		const struct limit_key *limit_key = &scheduler_entry(table, i)->limit_key[of];
		char name[QUEUE_ID_SIZE];
		size_t at = first;

		snprintf(name, sizeof name, "%.*s", QUEUE_ID_SIZE - 1, limit_key->name);
		while (at < found->count && strcmp(found->list[at].name, name) != 0)
			at++;
		if (at < found->count)
			found->list[at].running = limit_key->running;
		else if (limit_key->running > 0)
			limits_add(found, kind, name, limits_of(list, name), limit_key->running);
	}
}

static int
limits_compare(const void *a, const void *b)
{
	const struct queue_limit *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->name, y->name);
}

int
limits_list(struct queue *base, struct queue_limit **list, size_t *count, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	const struct scheduler_table *table = &queue->table;
	struct found found = {0};
	struct limits limits;
	int result = limits_read(queue, &limits, err);

	if (result == 0) {
		limits_add(&found, QUEUE_LIMIT_TOTAL, "", limits.total, table->header ? table->header->running : 0);
		for (int kind = 0; kind < LIMIT_KEY_KINDS; kind++)
			limits_add_kind(&found, table, &limits, (enum limit_key_kind)kind);
		qsort(found.list, found.count, sizeof *found.list, limits_compare);
	}
	limits_release(&limits);
	*list = found.list;
	*count = found.count;
	return result;
}

/* One at a time, under the scheduler's table's lock: who changes limits must not lose what another has changed. */
int
limits_change_all(struct queue *base, const struct queue_limit *list, size_t count, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct buffer text = {0};
	struct limits limits;
	int result;

	if (engine_check_writable(queue, err) < 0 || scheduler_lock(&queue->table, err) < 0)
		return -1;
	result = limits_read(queue, &limits, err);
	for (size_t i = 0; result == 0 && i < count; i++)
		if (list[i].kind == QUEUE_LIMIT_TOTAL)
			limits.total = list[i].max;
		else
			limits_set(&limits, list[i].kind == QUEUE_LIMIT_TENANT ? &limits.tenants : &limits.providers, list[i].name,
			    list[i].max);
	if (result == 0) {
		limits_print(&limits, &text);
		result = file_replace(queue->spool.root, file, text.data, text.length, 0600, err);
	}
	scheduler_unlock(&queue->table);
	limits_release(&limits);
	buffer_release(&text);
	/* Tasks that were held back may be taken now. */
	spool_notify(&queue->spool);
	return result;
}
