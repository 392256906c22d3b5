/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/errand.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BUCKETS = 64 };

void
errand_release(struct errand *errand)
{
	if (errand->end == ERRAND_ANSWERED)
		jv_free(errand->answer);
	free(errand->error);
	errand->error = NULL;
	errand->end = ERRAND_OPEN;
}

void
errand_fail(struct errand *errand, int code, const char *format, ...)
{
	va_list ap;

	errand->error = memory_zeroed(1, sizeof *errand->error);
	errand->error->code = code;
	va_start(ap, format);
	vsnprintf(errand->error->text, sizeof errand->error->text, format, ap);
	va_end(ap);
	errand->end = ERRAND_FAILED;
}

char *
errand_cancel_line(const struct errand *errand)
{
	return memory_printf("{\"attempt\":%lld,\"job\":\"%s\",\"kind\":\"cancel\",\"task\":\"%s\"}\n",
	    (long long)errand->attempt, errand->job, errand->task);
}

void
errand_list_add(struct errand_list *list, struct errand *errand)
{
	errand->next = NULL;
	errand->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = errand;
	list->last = errand;
	list->count++;
}

void
errand_list_remove(struct errand_list *list, struct errand *errand)
{
	*(errand->previous ? &errand->previous->next : &list->first) = errand->next;
	*(errand->next ? &errand->next->previous : &list->last) = errand->previous;
	list->count--;
}

/* FNV-1a. The names are the plan's, which was checked to name each task once: they cannot be made to collide for free. */
static size_t
errand_hash(const char *job, const char *task)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (; *job; job++)
		sum = (sum ^ (unsigned char)*job) * 0x100000001b3u;
	for (; *task; task++)
		sum = (sum ^ (unsigned char)*task) * 0x100000001b3u;
	return (size_t)(sum ^ sum >> 32);
}

static void
errand_chain(struct errand_set *set, struct errand *errand)
{
	struct errand **bucket = &set->buckets[errand_hash(errand->job, errand->task) & (set->bucket_count - 1)];

	errand->chain = *bucket;
	*bucket = errand;
}

static void
errand_grow(struct errand_set *set)
{
	set->bucket_count = set->bucket_count ? 2 * set->bucket_count : BUCKETS;
	free(set->buckets);
	set->buckets = memory_zeroed(set->bucket_count, sizeof(struct errand *));
	for (struct errand *errand = set->list.first; errand; errand = errand->next)
		errand_chain(set, errand);
}

void
errand_set_add(struct errand_set *set, struct errand *errand)
{
	if (set->list.count >= set->bucket_count)
		errand_grow(set);
	errand_chain(set, errand);
	errand_list_add(&set->list, errand);
}

void
errand_set_remove(struct errand_set *set, struct errand *errand)
{
	struct errand **link = &set->buckets[errand_hash(errand->job, errand->task) & (set->bucket_count - 1)];

	while (*link != errand)
		link = &(*link)->chain;
	*link = errand->chain;
	errand_list_remove(&set->list, errand);
}

static struct errand *
errand_find_named(const struct errand_set *set, const char *job, const char *task, int64_t attempt)
{
	struct errand *errand;

	if (set->bucket_count == 0)
		return NULL;
	errand = set->buckets[errand_hash(job, task) & (set->bucket_count - 1)];
	while (errand && (errand->attempt != attempt || strcmp(errand->task, task) != 0 || strcmp(errand->job, job) != 0))
		errand = errand->chain;
	return errand;
}

/* The errand that the record names; NULL where it names none that was sent. */
static struct errand *
errand_named_by(const struct errand_set *set, jv record)
{
	jv job = json_get(record, "job"), task = json_get(record, "task"), attempt = json_get(record, "attempt");
	struct errand *errand = NULL;

	if (json_string(job) && json_string(task) && jv_get_kind(attempt) == JV_KIND_NUMBER)
		errand = errand_find_named(set, json_string(job), json_string(task), (int64_t)jv_number_value(attempt));
	jv_free(job);
	jv_free(task);
	jv_free(attempt);
	return errand && errand->sent ? errand : NULL;
}

struct errand *
errand_set_answer(struct errand_set *set, const char *line, size_t length, struct error *err)
{
	struct errand *errand;
	jv record;

	if (json_parse("an answer", line, length, &record, err) < 0)
		return NULL;
	errand = errand_named_by(set, record);
	if (!errand) {
		jv_free(record);
		error_set(err, EX_SOFTWARE, "it answered to what it was not given");
		return NULL;
	}
	errand->answer = record;
	errand->end = ERRAND_ANSWERED;
	return errand;
}

void
errand_set_release(struct errand_set *set)
{
	free(set->buckets);
	*set = (struct errand_set){.bucket_count = 0};
}
