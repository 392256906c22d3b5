/* SPDX-License-Identifier: Apache-2.0 */
#include "provisioner/errand.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "event/tail.h"
#include "exec/attempt-log.h"
#include "exec/attempt-result.h"
#include "exec/redaction.h"
#include "json/place.h"
#include "login/provisioners.h"
#include "model/take/task.h"
#include "provisioner/task-document.h"
#include "queue/read.h"
#include "store/store.h"
#include "worker/secrets.h"

enum {
	ERRAND_TRIES = 20, /* tasks that fail before they are given, in one take */
	ERRAND_FORGOTTEN_MS = 24 * 3600 * 1000, /* one that was not heard of for so long is not shown any more */
};

struct caller { /* of an order */
	struct arena arena;
	const char *provisioner, *worker, *tenant;
};

/* Reads who an order is of, and checks that its tenant and its provisioner are the token's: the store's tenant is that one then. */
static int
errand_read_caller(const struct errand *errand, jv order, struct caller *caller, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(order, &problems);
	struct provisioner_list found = {0};
	int result;

	*caller = (struct caller){0};
	if (place_object(&root, NEED_REQUIRED)) {
		caller->provisioner = place_string(&root, "provisionerId", NEED_REQUIRED, &caller->arena);
		caller->worker = place_string(&root, "workerId", NEED_REQUIRED, &caller->arena);
		caller->tenant = place_string(&root, "tenantId", NEED_REQUIRED, &caller->arena);
	}
	result = problems_error(&problems, "the order", EX_DATAERR, err);
	problems_release(&problems);
	if (result == 0)
		result = provisioners_enter_tenant(errand->store, errand->token, caller->tenant, err);
	if (result == 0)
		result = provisioners_list(errand->store, caller->provisioner, &found, err);
	if (result == 0 && (found.count == 0 || found.list[0].token != errand->token || found.list[0].heard_ms == PROVISIONERS_LEFT))
		result = error_set(err, EX_NOPERM, "provisioner %s: it has not registered", caller->provisioner);
	provisioner_list_release(&found);
	return result;
}

/* Makes what was given ready again, unless its result is there; and forgets it. */
static int
errand_return(const struct errand *errand, const struct provisioner_task *given, struct error *err)
{
	const struct queue_task task = {.job = given->job, .task = given->task, .attempt = given->attempt};

	if (queue_give_back(errand->queue, &task, 1, err) < 0 && err->code != EX_NO)
		return -1;
	return provisioners_take_back(errand->store, given, err);
}

/* Does that with all that a worker (NULL: each) of a provisioner has. */
static int
errand_return_all(const struct errand *errand, const char *provisioner, const char *worker, struct error *err)
{
	struct provisioner_task_list given = {0};
	int result = provisioners_given(errand->store, provisioner, worker, &given, err);

	for (size_t i = 0; result >= 0 && i < given.count; i++)
		result = errand_return(errand, &given.list[i], err);
	provisioner_task_list_release(&given);
	return result;
}

/* Takes a task that the caller may have: 1, 0 where none is ready. */
static int
errand_take_any(const struct errand *errand, const struct caller *caller, struct queue_batch *batch, struct error *err)
{
	struct arguments providers = {0};
	char *by = memory_printf("%.60s/%.60s", caller->provisioner, caller->worker);
	int result = provisioners_providers(errand->store, &providers, err);
	struct queue_want want = {.count = 1, .by = by, .lease_ms = -1, .actions = ACTIONS_OF_PROVISIONERS,
	    .tenants = (const char *const[]){caller->tenant, NULL}, .providers = (const char *const *)providers.list};

	*batch = (struct queue_batch){.next_ms = -1};
	if (result == 0 && providers.count > 0)
		result = queue_take(errand->queue, &want, batch, err);
	arguments_release(&providers);
	free(by);
	return result < 0 ? -1 : batch->count > 0;
}

/* Records that the task has failed before anybody got it. */
static int
errand_refuse(const struct errand *errand, const struct queue_task *task, const struct error *why, struct error *err)
{
	const struct result result = {.job = task->job, .task = task->task, .attempt = task->attempt, .status = why->code, .message = why->text};
	struct queue_answer answer = {0};

	return queue_finish(errand->queue, &result, 1, &answer, err);
}

/* Makes the document of a task that was taken, and records who has it. Returns 1; 0 where it cannot be done, and has failed; -1. */
static int
errand_hand_out(const struct errand *errand, const struct caller *caller, const struct queue_task *task, jv *document, struct error *err)
{
	struct provisioner_task given = {.provisioner = caller->provisioner, .worker = caller->worker, .job = task->job, .task = task->task,
	    .attempt = task->attempt};
	struct redaction values = {0};
	struct buffer text = {0}, nodes = {0};
	struct error why;
	jv record = jv_null();
	int result = queue_task_record(errand->queue, task, &text, err);

	if (result == 0)
		result = json_parse("the task", text.data, text.length, &record, err);
	if (result == 0)
		result = queue_nodes(errand->queue, task->job, &nodes, err);
	if (result == 0 && secrets_fill(&record, &values, &why) < 0) {
		result = errand_refuse(errand, task, &why, err);
	} else if (result == 0) {
		given.record = buffer_string(&text);
		result = provisioners_give(errand->store, &given, err) < 0 ? -1 : 1;
		if (result > 0)
			*document = task_document(record, buffer_string(&nodes));
	}
	redaction_release(&values);
	jv_free(record);
	buffer_release(&nodes);
	buffer_release(&text);
	return result;
}

/* Takes tasks until one can be handed out, or none is ready. */
static int
errand_take_for(const struct errand *errand, const struct caller *caller, jv *document, struct error *err)
{
	struct queue_batch batch;
	struct error ignored;
	int result = 0;

	for (int tries = 0; result == 0 && tries < ERRAND_TRIES; tries++) {
		int got = errand_take_any(errand, caller, &batch, err);

		result = got > 0 ? errand_hand_out(errand, caller, &batch.list[0], document, err) : got;
		if (got > 0 && result < 0)
			queue_give_back(errand->queue, batch.list, 1, &ignored);
		queue_batch_release(&batch);
		if (got <= 0)
			break;
	}
	return result < 0 ? -1 : 0;
}

int
errand_take(const struct errand *errand, jv order, jv *document, struct error *err)
{
	struct caller caller;
	int result = errand_read_caller(errand, order, &caller, err);

	*document = jv_invalid();
	if (result == 0)
		result = errand_return_all(errand, caller.provisioner, caller.worker, err);
	if (result == 0)
		result = errand_take_for(errand, &caller, document, err);
	arena_release(&caller.arena);
	return result;
}

int
errand_give_back(const struct errand *errand, jv order, struct error *err)
{
	struct caller caller;
	int result = errand_read_caller(errand, order, &caller, err);

	if (result == 0)
		result = errand_return_all(errand, caller.provisioner, caller.worker, err);
	arena_release(&caller.arena);
	return result;
}

/* Writes what the worker says that it has seen to the log of the attempt. */
static void
errand_log(const struct task *task, const struct redaction *values, jv order)
{
	static const char *const said[] = {"stdout", "stderr"};
	struct attempt_log log;
	struct buffer text = {0};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		char *its = json_get_string(order, said[i]);

		if (its)
			redaction_text(values, its, strlen(its), &text);
		if (text.length && text.data[text.length - 1] != '\n')
			buffer_byte(&text, '\n');
		free(its);
	}
	attempt_log_init(&log, task->log);
	attempt_log_append(&log, text.data, text.length);
	attempt_log_close(&log);
	buffer_release(&text);
}

/* Returns the result record of the order, without what is secret of the task. */
static jv
errand_result(const struct task *task, const struct redaction *values, jv order)
{
	struct buffer text = {0};
	struct tail log = {0};
	char *name = memory_printf("%s/%s", task_plugin_kind(task->action), task->type), *said = json_get_string(order, "stderr");
	jv answer = task_document_answer(order), result;

	json_dump(answer, &text);
	if (said)
		tail_append(&log, said, strlen(said));
	result = attempt_result(task, &(struct plugin_end){.name = name, .out = &text, .out_total = text.length, .log = &log, .secrets = values});
	tail_release(&log);
	buffer_release(&text);
	jv_free(answer);
	free(said);
	free(name);
	return result;
}

/* Records the result of a task in the queue. */
static int
errand_record(const struct errand *errand, jv record, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(record, &problems);
	struct queue_answer answer = {0};
	struct result result;
	int code;

	result_parse(&root, &result);
	code = problems_error(&problems, "the result", EX_DATAERR, err);
	if (code == 0)
		code = queue_finish(errand->queue, &result, 1, &answer, err);
	if (code < 0 && (answer.code == EX_NO || answer.code == EX_DATAERR))
		err->code = EX_TEMPFAIL;
	result_release(&result);
	problems_release(&problems);
	return code;
}

/* Records the result of what was given. What our own plugins could not read of the machine is of no interest: those of the provisioner
 * have said it. */
static int
errand_finish_given(const struct errand *errand, const struct provisioner_task *given, jv order, struct error *err)
{
	struct redaction values = {0};
	struct error ignored; /* then the secret is gone, and nobody can look for it */
	struct task task;
	jv record, filled, result;
	int code;

	if (json_parse("the task", given->record, strlen(given->record), &record, err) < 0)
		return -1;
	filled = jv_copy(record);
	secrets_fill(&filled, &values, &ignored);
	code = task_take(record, "the task", &task, NULL, err);
	if (code == 0) {
		if (queue_wanted(errand->queue, task.job, task.id, task.attempt, &ignored) > 0)
			errand_log(&task, &values, order);
		result = errand_result(&task, &values, order);
		code = errand_record(errand, result, err);
		jv_free(result);
	}
	task_release(&task);
	redaction_release(&values);
	jv_free(filled);
	jv_free(record);
	return code;
}

/* Returns the task of the worker that has that id, or NULL. */
static const struct provisioner_task *
errand_find(const struct provisioner_task_list *given, const char *id)
{
	for (size_t i = 0; i < given->count; i++) {
		char *its = task_document_id(given->list[i].job, given->list[i].task, given->list[i].attempt);
		bool same = strcmp(its, id) == 0;

		free(its);
		if (same)
			return &given->list[i];
	}
	return NULL;
}

/* Reads the id of the task that an order is about, and checks that it has a status. */
static const char *
errand_read_task(jv order, struct arena *arena, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(order, &problems), status = place_member(&root, "status");
	const char *id = place_string(&root, "taskId", NEED_REQUIRED, arena);
	int result;

	if (!place_present(&status))
		place_problem(&status, "is missing");
	place_read_integer(&status, 0, INT32_MIN, INT32_MAX);
	result = problems_error(&problems, "the order", EX_DATAERR, err);
	problems_release(&problems);
	return result == 0 ? id : NULL;
}

int
errand_finish(const struct errand *errand, jv order, struct error *err)
{
	struct provisioner_task_list given = {0};
	const struct provisioner_task *its;
	struct caller caller;
	const char *id = NULL;
	int result = errand_read_caller(errand, order, &caller, err);

	if (result == 0 && !(id = errand_read_task(order, &caller.arena, err)))
		result = -1;
	if (result == 0)
		result = provisioners_given(errand->store, caller.provisioner, caller.worker, &given, err);
	if (result == 0) {
		its = errand_find(&given, id);
		result = its ? errand_finish_given(errand, its, order, err)
		             : error_set(err, EX_TEMPFAIL, "task %s: it is not the one of worker %s", id, caller.worker);
	}
	provisioner_task_list_release(&given);
	arena_release(&caller.arena);
	return result;
}

/* Returns for how long a provisioner was not heard of; more than any time where it has left, or is not there. */
static int64_t
errand_silence(const struct provisioner_list *list, const char *id, int64_t since_ms)
{
	int64_t now = clock_boottime_ms();

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].id, id) == 0 && list->list[i].heard_ms != PROVISIONERS_LEFT) {
			/* What is ahead of us was heard before the machine was booted. */
			int64_t heard = list->list[i].heard_ms > now ? 0 : list->list[i].heard_ms;

			return now - (heard > since_ms ? heard : since_ms);
		}
	return INT64_MAX;
}

int
errand_sweep(const struct errand *errand, int64_t since_ms, struct error *err)
{
	struct provisioner_task_list given = {0};
	struct provisioner_list list = {0};
	int result = provisioners_given(errand->store, NULL, NULL, &given, err);

	/* Who was given something has registered before: so they are looked for second. */
	if (result == 0)
		result = provisioners_list(errand->store, NULL, &list, err);
	for (size_t i = 0; result == 0 && i < given.count; i++)
		if (errand_silence(&list, given.list[i].provisioner, since_ms) > ERRAND_SILENCE_MS)
			result = errand_return(errand, &given.list[i], err);
	for (size_t i = 0; result == 0 && i < list.count; i++)
		if (errand_silence(&list, list.list[i].id, since_ms) > ERRAND_FORGOTTEN_MS)
			result = provisioners_remove(errand->store, list.list[i].id, err);
	provisioner_list_release(&list);
	provisioner_task_list_release(&given);
	return result;
}
